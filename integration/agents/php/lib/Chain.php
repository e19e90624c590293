<?php

namespace Retrial;

/** A failure as the contract's chain: every exception, outermost first, and how each hangs on the one before. */
final class Chain
{
    const MOST = 16;
    const MOST_CHARACTERS = 4000;

    public static function of(?\Throwable $error): array
    {
        $chain = [];
        for ($link = 'raised'; $error !== null && count($chain) < self::MOST; $link = 'cause') {
            $chain[] = self::entry($error, $link);
            $error = self::isWrapper($error) ? $error->getPreviousWrapped() : $error->getPrevious();
        }

        return $chain;
    }

    /** Of what PHP says of an exception that nobody caught: the innermost first, each with its place. */
    public static function ofFatal(?array $error): array
    {
        if ($error === null || ($error['type'] & (E_ERROR | E_USER_ERROR)) === 0 || strpos($error['message'], 'Uncaught ') !== 0) {
            return [];
        }
        preg_match_all('/(?:^Uncaught |^Next )([\w\\\\]+)(?:: (.*?))? in ([^\n]+?):(\d+)\nStack trace:/ms', $error['message'], $all, PREG_SET_ORDER);
        $chain = [];
        foreach (array_reverse($all) as [, $type, $message, $file, $line]) {
            $chain[] = [
                'type' => $type, 'msg' => substr($message, 0, self::MOST_CHARACTERS), 'link' => $chain === [] ? 'raised' : 'cause',
                'file' => Frames::relative($file), 'line' => (int) $line, 'in_test' => Frames::isTest($file),
            ];
        }

        return array_slice($chain, 0, self::MOST);
    }

    /** PHPUnit hands on exceptions of the program's as copies of its own. */
    private static function isWrapper(\Throwable $error): bool
    {
        return $error instanceof \PHPUnit\Framework\ExceptionWrapper;
    }

    private static function entry(\Throwable $error, string $link): array
    {
        $asserts = $error instanceof \PHPUnit\Framework\AssertionFailedError;
        $places = array_merge([['file' => $error->getFile(), 'line' => $error->getLine()]], self::isWrapper($error) ? $error->getSerializableTrace() : $error->getTrace());
        $at = 0;
        while ($asserts && $at + 1 < count($places) && Frames::kind($places[$at]['file'] ?? '') !== Frames::APPLICATION) {
            $at++; // it fails for its caller
        }
        $file = $places[$at]['file'] ?? '';
        $entry = ['type' => self::isWrapper($error) ? $error->getClassName() : get_class($error), 'msg' => substr($error->getMessage(), 0, self::MOST_CHARACTERS)];
        if ($error->getCode() !== 0 && is_scalar($error->getCode())) {
            $entry['code'] = (string) $error->getCode();
        }

        return $entry + [
            'link' => $link, 'file' => Frames::relative($file), 'line' => $places[$at]['line'] ?? 0, 'function' => Frames::called($places[$at + 1] ?? null),
            'in_test' => $asserts || Frames::isTest($file),
        ];
    }
}
