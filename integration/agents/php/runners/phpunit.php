<?php

// PHPUnit 9: its tests are chosen, told of as they run, and reported.

namespace Retrial;

use PHPUnit\Framework\AssertionFailedError;
use PHPUnit\Framework\Test;
use PHPUnit\Framework\TestCase;
use PHPUnit\Framework\TestListener;
use PHPUnit\Framework\TestResult;
use PHPUnit\Framework\TestSuite;
use PHPUnit\Framework\Warning;
use PHPUnit\Runner\BeforeFirstTestHook;
use PHPUnit\Runner\Filter\Factory;

/** Loaded as an extension. What it gets to see begins where the suite is about to run. */
final class PhpUnit implements BeforeFirstTestHook
{
    const NAME = 'PHPUnit';

    private static $only;

    public function executeBeforeFirstTest(): void
    {
        try {
            Events::announce(self::NAME);
            $suite = debug_backtrace()[1]['args'][0];
            $file = getenv('RETRIAL_ONLY');
            self::$only = $file === false ? null : array_flip(file($file, FILE_IGNORE_NEW_LINES));
            $tests = self::testsIn($suite);
            foreach ($tests as $test) {
                Frames::addTestFile((string) (new \ReflectionClass($test))->getFileName());
            }
            if (self::$only !== null) {
                $chosen = new Factory();
                $chosen->addFilter(new \ReflectionClass(Chosen::class), self::wanted($tests));
                $suite->injectFilter($chosen);
            }
            $suite->setTests(array_merge([new Beginning()], $suite->tests()));
        } catch (\Throwable $error) {
            Events::failed(self::NAME, $error);
        }
    }

    /** "Shop\ShopTest::testPlace with data set #1". */
    public static function id(Test $test): string
    {
        $name = $test instanceof TestCase ? get_class($test) . '::' . $test->getName() : get_class($test);

        return preg_replace('/\s*[\r\n]\s*/', ' ', $name);
    }

    public static function narrows(): bool
    {
        return self::$only !== null;
    }

    private static function testsIn(TestSuite $suite): array
    {
        $tests = [];
        foreach ($suite->tests() as $test) {
            $tests = array_merge($tests, $test instanceof TestSuite ? self::testsIn($test) : [$test]);
        }

        return $tests;
    }

    /** The chosen, and what they depend on. */
    private static function wanted(array $tests): array
    {
        $needed = [];
        $wanted = [];
        do {
            $before = count($wanted);
            foreach ($tests as $test) {
                $key = spl_object_hash($test);
                $provides = $test instanceof TestCase ? get_class($test) . '::' . $test->getName(false) : '';
                if (!isset($wanted[$key]) && (isset(self::$only[self::id($test)]) || isset($needed[$provides]))) {
                    $wanted[$key] = true;
                    foreach ($test instanceof TestCase ? $test->requires() : [] as $dependency) {
                        $needed[$dependency->getTarget()] = true;
                    }
                }
            }
        } while (count($wanted) > $before);

        return array_keys($wanted);
    }
}

/** Runs first: from here on all is told. */
final class Beginning extends TestSuite
{
    public function count(bool $preferCache = false): int
    {
        return 0;
    }

    public function run(?TestResult $result = null): TestResult
    {
        $result->addListener(new Listener());
        if (getenv('RETRIAL_NO_TIME_LIMIT') === '1') {
            $result->enforceTimeLimit(false);
        }
        if (PhpUnit::narrows()) { // what fails in one, ends no other
            foreach (['stopOnError', 'stopOnFailure', 'stopOnWarning', 'stopOnRisky', 'stopOnIncomplete', 'stopOnSkipped', 'stopOnDefect'] as $stops) {
                $result->{$stops}(false);
            }
        }

        return $result;
    }
}

final class Chosen extends \RecursiveFilterIterator
{
    private $wanted;

    public function __construct(\RecursiveIterator $iterator, array $wanted)
    {
        parent::__construct($iterator);
        $this->wanted = array_flip($wanted);
    }

    public function accept(): bool
    {
        $test = $this->getInnerIterator()->current();

        return $test instanceof TestSuite || isset($this->wanted[spl_object_hash($test)]);
    }
}

final class Listener implements TestListener
{
    private $outcome = 'passed';
    private $error;

    public function addError(Test $test, \Throwable $t, float $time): void
    {
        $this->came('failed', $t);
    }

    public function addWarning(Test $test, Warning $e, float $time): void
    {
        $this->came('failed', $e);
    }

    public function addFailure(Test $test, AssertionFailedError $e, float $time): void
    {
        $this->came('failed', $e);
    }

    public function addIncompleteTest(Test $test, \Throwable $t, float $time): void
    {
        $this->came('skipped', null);
    }

    public function addRiskyTest(Test $test, \Throwable $t, float $time): void
    {
    }

    public function addSkippedTest(Test $test, \Throwable $t, float $time): void
    {
        $this->came('skipped', null);
    }

    public function startTestSuite(TestSuite $suite): void
    {
        Events::start($suite->getName(), Events::SHARED);
    }

    public function endTestSuite(TestSuite $suite): void
    {
        Events::end($suite->getName(), Events::SHARED);
    }

    public function startTest(Test $test): void
    {
        $this->outcome = 'passed';
        $this->error = null;
        Events::start(PhpUnit::id($test), 'test');
    }

    public function endTest(Test $test, float $time): void
    {
        $id = PhpUnit::id($test);
        Events::end($id, 'test');
        Events::write([
            'ev' => 'result', 'id' => $id, 'phase' => 'test', 'outcome' => $this->outcome, 'ms' => (int) round($time * 1000), 'chain' => Chain::of($this->error),
        ]);
    }

    private function came(string $outcome, ?\Throwable $error): void
    {
        $this->outcome = $outcome;
        $this->error = $error;
    }
}
