<?php

namespace Retrial;

/** Where a request comes from; each frame is [file, line, function]. */
final class Site
{
    const FRAMES = 8;

    /**
     * The application's frames from it outwards to the test; and, where one is known to run, the outermost of its own that PHPUnit has called:
     * its statement, else null.
     */
    public static function here(bool $inTest): array
    {
        $all = debug_backtrace(DEBUG_BACKTRACE_IGNORE_ARGS);
        $chain = [];
        $statement = null;
        $hasEnded = false;
        foreach ($all as $at => $entry) {
            $file = $entry['file'] ?? '';
            if ($file === '' || Frames::kind($file) !== Frames::APPLICATION) {
                if ($statement !== null && Frames::isRunner($file)) {
                    break;
                }
                continue;
            }
            $isTest = Frames::isTest($file);
            $hasEnded = $hasEnded || ($isTest && $chain !== []);
            $function = Frames::called($all[$at + 1] ?? null);
            if (!$hasEnded && !isset($chain["{$file}:{$function}"])) { // a function stands once
                $chain["{$file}:{$function}"] = [$file, $entry['line'], $function];
            }
            $hasEnded = $hasEnded || $isTest || count($chain) === self::FRAMES;
            if ($isTest && $inTest) {
                $statement = [$file, $entry['line'], $function];
            }
            if ($hasEnded && !$inTest) {
                break;
            }
        }

        return [array_values($chain), $statement];
    }
}
