<?php

namespace Retrial;

/** Where a request comes from: the application's frames from it outwards to the test, each [file, line, function]. */
final class Site
{
    const FRAMES = 8;

    public static function here(): array
    {
        $all = debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS);
        $chain = [];
        foreach ($all as $at => $entry) {
            $file = $entry['file'] ?? '';
            if ($file === '' || Frames::kind($file) !== Frames::APPLICATION) {
                continue;
            }
            $isTest = Frames::isTest($file);
            if ($isTest && $chain !== []) {
                break;
            }
            $function = Frames::called($all[$at + 1] ?? null);
            if (!isset($chain["{$file}:{$function}"])) { // a function stands once
                $chain["{$file}:{$function}"] = [$file, $entry['line'], $function];
            }
            if ($isTest || count($chain) === self::FRAMES) {
                break;
            }
        }

        return array_values($chain);
    }
}
