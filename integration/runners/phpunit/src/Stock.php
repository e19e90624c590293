<?php

namespace Shop;

final class Stock
{
    // Wrong: it asks again at once, and for ever.
    public static function watch(string $shop): string
    {
        while (true) {
            try {
                return self::get($shop . '/watched');
            } catch (\RuntimeException $lost) {
                continue;
            }
        }
    }

    // Right: it waits longer each time, and gives up.
    public static function count(string $shop): string
    {
        $lost = null;
        foreach ([1, 2, 4] as $pause) {
            try {
                return self::get($shop . '/counted');
            } catch (\RuntimeException $lost) {
                usleep((int) ($pause * (500000 + mt_rand(0, 1000000))));
            }
        }
        throw new \RuntimeException('the stock is not known', 0, $lost);
    }

    private static function get(string $url): string
    {
        $text = @file_get_contents($url, false, stream_context_create(['http' => ['timeout' => 10]]));
        if ($text === false) {
            throw new \RuntimeException(error_get_last()['message']);
        }

        return $text;
    }
}
