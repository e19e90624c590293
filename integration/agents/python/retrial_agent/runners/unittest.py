"""Reports unittest suites: phases, class and module fixtures, results.

Where another runner runs the TestCase (pytest), that one reports; the phases of the TestCase are
told under its id.
"""
from functools import wraps
from time import perf_counter

from .. import caught, chain, current, events, executions, expected, frames

_running = []  # the one test that reports; a test may run others inside of itself
_identity = id
_failures = {}  # identity of an exception -> the phase it was raised in


def apply(module):
    case = module.case.TestCase
    case.run = _run(case.run)
    classes = [case]
    if hasattr(module, "async_case"):
        classes.append(module.async_case.IsolatedAsyncioTestCase)
    elif hasattr(module, "IsolatedAsyncioTestCase"):
        classes.append(module.IsolatedAsyncioTestCase)
    for cls in classes:
        for name, phase in (
            ("_callSetUp", "setup"),
            ("_callTestMethod", "test"),
            ("_callTearDown", "teardown"),
            ("_callCleanup", "teardown"),
        ):
            if name in vars(cls):
                setattr(cls, name, _phase(vars(cls)[name], phase))
    expected.watch(getattr(module.case, "_AssertRaisesContext", None))
    caught.watch()
    _suites(module.suite.TestSuite)
    _results(module.result.TestResult)
    _program(module.main)


class _Running:
    def __init__(self, test):
        self.test = test
        self.id = executions.begin(test.id())
        self.started = perf_counter()
        self.phase = "test"


def _run(original):
    @wraps(original)
    def run(self, result=None):
        if _running or not current.claim("unittest"):
            return original(self, result)
        if type(self).__name__ == "_FailedTest":
            name = getattr(self, "_testMethodName", "")
            error = getattr(self, "_exception", None)
            event = {"ev": "broken", "file": name.replace(".", "/") + ".py"}
            event["msg"] = str(error)[: chain.MOST_CHARACTERS]
            events.write(event)
            return original(self, result)
        _remember_file(type(self))
        _running.append(_Running(self))
        try:
            return original(self, result)
        finally:
            _running.clear()
            _failures.clear()

    return run


def _remember_file(cls):
    import sys

    file = getattr(sys.modules.get(cls.__module__), "__file__", None)
    if file:
        frames.add_test_file(file)


def _phase(original, phase):
    @wraps(original)
    def inside(self, *args, **kwargs):
        id = _id_of(self)
        if id is None or current.test() == (id, phase):
            return original(self, *args, **kwargs)
        current.start(id, phase)
        try:
            return original(self, *args, **kwargs)
        except BaseException as error:
            _failures[_identity(error)] = phase
            raise
        finally:
            expected.tell_caught()
            current.end(id, phase)

    return inside


def _id_of(case):
    if _running:
        return _running[0].id if _running[0].test is case else None
    return current.test()[0] if current.runner not in (None, "unittest") else None


def _suites(suite):
    def enclose(name, happens, what):
        original = getattr(suite, name)

        @wraps(original)
        def inside(self, test, result):
            mine = not _running and current.runner in (None, "unittest")
            if not mine or not happens(test, result) or not current.claim("unittest"):
                return original(self, test, result)
            id = what(test, result)
            current.start(id, current.SHARED)
            try:
                return original(self, test, result)
            finally:
                current.end(id, current.SHARED)

        setattr(suite, name, inside)

    def previous(result):
        return getattr(result, "_previousTestClass", None)

    def module_of(cls):
        return getattr(cls, "__module__", None)

    def class_name(cls):
        return "%s.%s" % (cls.__module__, cls.__qualname__)

    enclose(
        "_handleClassSetUp",
        lambda test, result: previous(result) is not type(test),
        lambda test, result: class_name(type(test)),
    )
    enclose(
        "_tearDownPreviousClass",
        lambda test, result: isinstance(previous(result), type)
        and previous(result) is not type(test),
        lambda test, result: class_name(previous(result)),
    )
    enclose(
        "_handleModuleFixture",
        lambda test, result: module_of(previous(result)) != module_of(type(test)),
        lambda test, result: str(module_of(type(test))),
    )


def _results(result):
    def report(name, outcome, error_at=None):
        original = getattr(result, name)

        @wraps(original)
        def add(self, test, *args, **kwargs):
            try:
                error = args[error_at] if error_at is not None else None
                _report(test, outcome, error[1] if isinstance(error, tuple) else None)
            except Exception as problem:
                events.failed("unittest result", problem)
            return original(self, test, *args, **kwargs)

        setattr(result, name, add)

    report("addSuccess", "passed")
    report("addFailure", "failed", 0)
    report("addError", "error", 0)
    report("addSkip", "skipped")
    report("addExpectedFailure", "passed", 0)
    report("addUnexpectedSuccess", "failed")
    original = result.addSubTest

    @wraps(original)
    def add_subtest(self, test, subtest, err):
        if err is not None:
            kind = "failed" if issubclass(err[0], test.failureException) else "error"
            _report(test, kind, err[1])
        return original(self, test, subtest, err)

    result.addSubTest = add_subtest


def _report(test, outcome, error):
    if current.runner not in (None, "unittest"):
        return
    running = _running[0] if _running else None
    if running is not None and running.test is not test:
        return
    if running is None and type(test).__name__ != "_ErrorHolder":  # a class or module fixture
        return
    if type(test).__name__ == "_FailedTest":
        return
    current.claim("unittest")
    phase = current.SHARED if running is None else _failures.get(_identity(error), "test")
    elapsed = perf_counter() - running.started if running is not None else 0
    id = test.id() if running is None else running.id
    event = {"ev": "result", "id": id, "phase": phase, "outcome": outcome}
    event["ms"] = int(elapsed * 1000)
    event["chain"] = chain.of(error) if error is not None and outcome != "passed" else []
    events.write(event)


def _program(program):
    original = program.runTests

    @wraps(original)
    def run_tests(self):
        try:
            return original(self)
        except SystemExit as leaving:
            if current.runner == "unittest":
                code = leaving.code
                code = code if isinstance(code, int) else 0 if code is None else 1
                events.write({"ev": "exit", "code": int(code)})
            raise

    program.runTests = run_tests
