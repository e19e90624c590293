<?php

namespace Shop\Tests;

use PHPUnit\Framework\TestCase;
use Shop\Orders;
use Shop\Stock;

final class ShopTest extends TestCase
{
    private static $process;
    private static $pipes;
    private static $url;

    public static function setUpBeforeClass(): void
    {
        self::$process = proc_open([PHP_BINARY, __DIR__ . '/shop.php'], [['pipe', 'r'], ['pipe', 'w']], self::$pipes);
        self::$url = trim(fgets(self::$pipes[1]));
    }

    public static function tearDownAfterClass(): void
    {
        fclose(self::$pipes[0]);
        proc_close(self::$process);
    }

    public function testPay(): void
    {
        (new Orders(self::$url))->pay('7');
        $this->addToAssertionCount(1);
    }

    public static function orders(): array
    {
        return ['one of two' => ['1'], 'odd (na)me [x] > $1.*' => ['2/3']];
    }

    /** @dataProvider orders */
    public function testPlace(string $order): void
    {
        (new Orders(self::$url))->place($order);
        $this->addToAssertionCount(1);
    }

    public function testWatch(): void
    {
        $this->assertSame('12', Stock::watch(self::$url));
    }

    /** @depends testWatch */
    public function testCount(): void
    {
        $this->assertSame('12', Stock::count(self::$url));
    }
}
