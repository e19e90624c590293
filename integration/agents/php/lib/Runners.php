<?php

namespace Retrial;

/** Has PHPUnit load its hook, where it is what runs. */
final class Runners
{
    const VERSION = '/Version(?:Id)?\(\s*\'(\d+)\./';

    public static function prepare(): void
    {
        $program = $_SERVER['argv'][0] ?? '';
        if (!preg_match('/^(?:simple-)?phpunit(?:\.php)?$/', basename($program)) || self::version($program) !== 9) {
            return;
        }
        spl_autoload_register(function (string $class) {
            if ($class === PhpUnit::class) {
                require dirname(__DIR__) . '/runners/phpunit.php';
            }
        });
        array_splice($_SERVER['argv'], 1, 0, ['--extensions', PhpUnit::class]);
    }

    /** By the source of the one that this program runs; 0: not known. */
    private static function version(string $program): int
    {
        $real = (string) realpath($program);
        foreach ([dirname($real) . '/src', dirname(dirname($real)) . '/phpunit/phpunit/src', '/usr/share/php/PHPUnit'] as $folder) {
            if (preg_match(self::VERSION, (string) @file_get_contents("{$folder}/Runner/Version.php"), $found)) {
                return (int) $found[1];
            }
        }

        return 0;
    }
}
