<?php

namespace Shop;

final class Orders
{
    private $shop;

    public function __construct(string $shop)
    {
        $this->shop = $shop;
    }

    // Wrong: what may have been paid is paid once more.
    public function pay(string $order): void
    {
        for ($attempt = 0; ; $attempt++) {
            try {
                $this->post('/payments', $order);

                return;
            } catch (\RuntimeException $lost) {
                if ($attempt === 2) {
                    throw new \RuntimeException("order {$order} was not paid", 0, $lost);
                }
                sleep(2 ** $attempt);
            }
        }
    }

    // Right: a key tells the shop that it is the same order.
    public function place(string $order): void
    {
        for ($attempt = 0; ; $attempt++) {
            try {
                $this->post('/orders', $order, ["Idempotency-Key: order-{$order}"]);

                return;
            } catch (\RuntimeException $lost) {
                if ($attempt === 2) {
                    throw $lost;
                }
                sleep(2 ** $attempt);
            }
        }
    }

    private function post(string $path, string $body, array $headers = []): void
    {
        $curl = curl_init($this->shop . $path);
        curl_setopt_array($curl, [
            CURLOPT_POSTFIELDS => $body, CURLOPT_HTTPHEADER => $headers, CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 10,
        ]);
        if (curl_exec($curl) === false) {
            throw new \RuntimeException(curl_error($curl));
        }
        if (curl_getinfo($curl, CURLINFO_RESPONSE_CODE) >= 400) {
            throw new \RuntimeException('the shop answered ' . curl_getinfo($curl, CURLINFO_RESPONSE_CODE));
        }
    }
}
