<?php

namespace Retrial;

/** Which lines of a file stand in a loop of their function. */
final class Loops
{
    private static $files = [];

    public static function has(string $file, int $line): bool
    {
        if (!isset(self::$files[$file])) {
            self::$files[$file] = self::read((string) @file_get_contents($file));
        }
        [$functions, $loops] = self::$files[$file];
        $within = [0, PHP_INT_MAX];
        foreach ($functions as $function) {
            if ($function[0] <= $line && $line <= $function[1] && $function[0] >= $within[0]) {
                $within = $function;
            }
        }
        foreach ($loops as [$from, $to]) {
            if ($from <= $line && $line <= $to && $within[0] <= $from && $to <= $within[1]) {
                return true;
            }
        }

        return false;
    }

    /** [[first line, last line] of each function, of each loop]. */
    private static function read(string $text): array
    {
        if (!function_exists('token_get_all')) {
            return [[], []];
        }
        $tokens = [];
        $line = 1;
        foreach (token_get_all($text) as $token) {
            $line = is_array($token) ? $token[2] : $line;
            if (!is_array($token) || !in_array($token[0], [T_WHITESPACE, T_COMMENT, T_DOC_COMMENT], true)) {
                $tokens[] = [is_array($token) ? $token[0] : $token, $line];
            }
            $line += is_array($token) ? substr_count($token[1], "\n") : 0;
        }
        $found = [[], []];
        foreach ($tokens as $at => [$what, $line]) {
            if ($what === T_FUNCTION) {
                $found[0][] = [$line, self::endOfBody($tokens, $at + 1)];
            } elseif (in_array($what, [T_WHILE, T_FOR, T_FOREACH, T_DO], true)) {
                $found[1][] = [$line, self::endOfBody($tokens, $at + 1)];
            }
        }

        return $found;
    }

    /** The line on which the body ends that begins behind `at`: a block, or all up to a semicolon outside of brackets. */
    private static function endOfBody(array $tokens, int $at): int
    {
        $depth = 0;
        for ($line = 0; $at < count($tokens); $at++) {
            [$what, $line] = $tokens[$at];
            if (in_array($what, ['{', '(', '[', T_CURLY_OPEN, T_DOLLAR_OPEN_CURLY_BRACES], true)) {
                $depth++;
            } elseif (in_array($what, ['}', ')', ']'], true)) {
                $depth--;
                if ($depth === 0 && $what === '}') {
                    break;
                }
            } elseif ($what === ';' && $depth === 0) {
                break;
            }
        }

        return $line;
    }
}
