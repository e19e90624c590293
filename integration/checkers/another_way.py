"""A suite's tests in an order by chance, or eight at a time: another_way.py order|at-once SEED SUITE."""
import concurrent.futures
import random
import sys
import unittest

how, seed, name = sys.argv[1:]
module = __import__(name)
every = [test for group in unittest.defaultTestLoader.loadTestsFromModule(module) for test in group]
random.Random(int(seed)).shuffle(every)


def run(test):
    result = unittest.TestResult()
    test.run(result)
    return result.failures + result.errors


module.setUpModule()
with concurrent.futures.ThreadPoolExecutor(8 if how == "at-once" else 1) as pool:
    wrong = [trouble for each in pool.map(run, every) for trouble in each]
module.tearDownModule()
for test, trouble in wrong:
    print(test, trouble, file=sys.stderr)
sys.exit(1 if wrong else 0)
