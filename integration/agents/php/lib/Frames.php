<?php

namespace Retrial;

/** What a file is: the application's, of a library, or ours; and how files and functions are named. */
final class Frames
{
    const APPLICATION = 1;
    const LIBRARY = 2;
    const OURS = 3;
    const RUNNER = '/Framework/TestCase.php';

    private static $start = '';
    private static $standard = [];
    private static $kinds = [];
    private static $tests = [];
    private static $told = [];

    public static function begin(): void
    {
        self::$start = rtrim((string) getcwd(), '/') . '/';
        foreach (explode(PATH_SEPARATOR, (string) get_include_path()) as $folder) {
            if ($folder !== '' && $folder[0] === '/') {
                self::$standard[] = rtrim($folder, '/') . '/';
            }
        }
    }

    public static function kind(string $file): int
    {
        return self::$kinds[$file] ?? (self::$kinds[$file] = self::classify($file));
    }

    public static function relative(string $file): string
    {
        return strpos($file, self::$start) === 0 ? substr($file, strlen(self::$start)) : $file;
    }

    public static function addTestFile(string $file): void
    {
        self::$tests[$file] = true;
    }

    /** Of PHPUnit, what calls a test's own functions. */
    public static function isRunner(string $file): bool
    {
        return substr($file, -strlen(self::RUNNER)) === self::RUNNER;
    }

    public static function isTest(string $file): bool
    {
        return self::$tests[$file] ?? (self::$tests[$file] = self::looksLikeTest($file));
    }

    /** Of the function that a frame's caller entered: "Orders::post"; what is included is no function. */
    public static function called(?array $entry): string
    {
        $name = $entry['function'] ?? 'require';
        if (strpos($name, '{closure') !== false) {
            return '<anonymous>';
        }
        if (in_array($name, ['require', 'require_once', 'include', 'include_once', 'eval'], true)) {
            return '<main>';
        }
        $class = $entry['class'] ?? '';
        $short = strpos($class, 'class@anonymous') === 0 ? '<anonymous>' : substr((string) strrchr('\\' . $class, '\\'), 1);

        return $class === '' ? substr((string) strrchr('\\' . $name, '\\'), 1) : "{$short}::{$name}";
    }

    private static function classify(string $file): int
    {
        if (strpos($file, dirname(__DIR__) . '/') === 0) {
            return self::OURS;
        }
        if ($file === '' || $file[0] !== '/' || strpos($file, "eval()'d code") !== false) {
            return $file === 'Command line code' ? self::APPLICATION : self::LIBRARY;
        }
        if (preg_match('~^.*/vendor/([^/]+/[^/]+)/~', $file, $package)) {
            return self::isApplication($package[1]) ? self::APPLICATION : self::LIBRARY;
        }
        foreach (self::$standard as $folder) {
            if (strpos($file, $folder) === 0) {
                return self::LIBRARY;
            }
        }

        return in_array(dirname($file), [PHP_BINDIR, '/usr/bin', '/usr/local/bin'], true) || strpos($file, '/vendor/') !== false ? self::LIBRARY : self::APPLICATION;
    }

    /** Is a package that is installed the application? The user says so. */
    private static function isApplication(string $package): bool
    {
        if (!in_array($package, array_map('trim', explode(',', (string) getenv('RETRIAL_APPLICATION'))), true)) {
            return false;
        }
        if (!isset(self::$told[$package])) {
            self::$told[$package] = true;
            Events::write(['ev' => 'application', 'package' => $package]);
        }

        return true;
    }

    private static function looksLikeTest(string $file): bool
    {
        if (self::kind($file) !== self::APPLICATION) {
            return false;
        }
        $name = self::relative($file);

        return preg_match('/Test(?:Case)?\.php$/', $name) || ($name[0] !== '/' && preg_match('~(?:^|/)[Tt]ests?/~', $name));
    }
}

Frames::begin();
