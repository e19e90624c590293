<?php

namespace Retrial;

/** One JSON object a line, appended to $RETRIAL_EVENTS by one write; and the test that is running. */
final class Events
{
    const SHARED = 'shared';

    private static $announced = [];
    private static $failed = [];
    private static $open = []; // [id, phase], innermost last
    private static $file;

    /** Now: a test may change the environment. */
    public static function open(): void
    {
        self::$file = getenv('RETRIAL_EVENTS');
    }

    /** Returns when the line is in the file. An error is swallowed: nobody could hear it. */
    public static function write(array $event): void
    {
        $line = json_encode($event + ['pid' => getmypid()], JSON_INVALID_UTF8_SUBSTITUTE | JSON_UNESCAPED_SLASHES);
        if ($line !== false && self::$file !== false) {
            @file_put_contents(self::$file, $line . "\n", FILE_APPEND);
        }
    }

    /** Once a process and runner: at a runner's start, or at the first request. */
    public static function announce(?string $runner = null): void
    {
        $pid = getmypid();
        if (array_key_exists($pid, self::$announced) && ($runner === null || self::$announced[$pid] === $runner)) {
            return;
        }
        if (self::$announced === []) {
            register_shutdown_function([self::class, 'uncaught']);
        }
        self::$announced[$pid] = $runner;
        self::write(['ev' => 'agent', 'language' => 'php', 'version' => PHP_VERSION] + ($runner === null ? [] : ['runner' => $runner]));
    }

    /** At the end of a process that sent requests: what ended it, as PHP has kept it. */
    public static function uncaught(): void
    {
        $chain = array_key_exists(getmypid(), self::$announced) ? Chain::ofFatal(error_get_last()) : [];
        if ($chain !== []) {
            self::write(['ev' => 'uncaught', 'chain' => $chain]);
        }
    }

    /** A part of the agent failed: said once. */
    public static function failed(string $part, \Throwable $error): void
    {
        if (!isset(self::$failed[$part])) {
            self::$failed[$part] = true;
            self::write(['ev' => 'agent', 'language' => 'php', 'version' => PHP_VERSION, 'error' => "{$part}: " . get_class($error) . ': ' . $error->getMessage()]);
        }
    }

    public static function start(string $id, string $phase): void
    {
        self::$open[] = [$id, $phase];
        self::write(['ev' => 'start', 'id' => $id, 'phase' => $phase, 'at' => self::now()]);
    }

    public static function end(string $id, string $phase): void
    {
        $at = array_search([$id, $phase], array_reverse(self::$open, true), true);
        if ($at !== false) {
            array_splice(self::$open, $at, 1);
            self::write(['ev' => 'end', 'id' => $id, 'phase' => $phase, 'at' => self::now()]);
        }
    }

    /** [id, phase]. Set-up of several tests belongs to none of them: its id is left out. */
    public static function current(): array
    {
        [$id, $phase] = end(self::$open) ?: [null, null];

        return [$phase === self::SHARED ? null : $id, $phase];
    }

    private static function now(): float
    {
        return round(hrtime(true) / 1e6, 1);
    }
}

Events::open();
