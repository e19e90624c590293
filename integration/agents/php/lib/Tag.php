<?php

namespace Retrial;

/** The tag of a request: lines of its head, for what writes it (native/runners/php.c). */
final class Tag
{
    const BYTES = 1024; // of callers

    private static $busy = false;

    /** Empty where nothing is known, or something went wrong. */
    public static function lines(): string
    {
        if (self::$busy) {
            return '';
        }
        self::$busy = true;
        try {
            Events::announce();
            [$id, $phase] = Events::current();
            [$chain, $statement] = Site::here($id !== null);
            $lines = '';
            foreach (['site' => $chain === [] ? null : self::text($chain[0]), 'test' => $id, 'phase' => $phase] as $name => $value) {
                $lines .= $value === null ? '' : "x-retrial-{$name}: " . self::encode($value) . "\r\n";
            }
            $lines .= $statement === null ? '' : 'x-retrial-statement: ' . hash('fnv1a64', self::text($statement)) . "\r\n";
            $callers = self::callers($chain);

            return $lines . ($callers === '' ? '' : "x-retrial-callers: {$callers}\r\n");
        } catch (\Throwable $error) {
            Events::failed('tag', $error);

            return '';
        } finally {
            self::$busy = false;
        }
    }

    /** Behind the innermost that calls from within a loop stands an empty one: it may be the one that goes on. */
    private static function callers(array $chain): string
    {
        $callers = [];
        $isParted = false;
        $size = 0;
        foreach ($chain as $at => $frame) {
            if ($at > 0) {
                $callers[] = self::encode(self::text($frame), ',');
                $size += strlen(end($callers)) + 1;
            }
            if ($size > self::BYTES) {
                array_pop($callers);
                break;
            }
            if (!$isParted && !Frames::isTest($frame[0]) && Loops::has($frame[0], $frame[1])) {
                $callers[] = '';
                $isParted = true;
            }
        }

        return $callers === [''] ? ',' : implode(',', $callers);
    }

    private static function text(array $frame): string
    {
        return Frames::relative($frame[0]) . ":{$frame[1]}:{$frame[2]}";
    }

    /** ASCII; anything else, and `%`, space and the characters of `also`, percent-encoded. */
    private static function encode(string $text, string $also = ''): string
    {
        return preg_replace_callback('/[^\x21-\x24\x26-\x7e]' . ($also === '' ? '' : '|[' . preg_quote($also, '/') . ']') . '/', function (array $one) {
            return sprintf('%%%02X', ord($one[0]));
        }, $text);
    }
}
