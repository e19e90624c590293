"""The pytest plug-in of Retrial: PYTHONPATH=<this directory> PYTEST_PLUGINS=retrial_pytest.

Inert without RETRIAL_EVENTS. Reports the outermost pytest run of a process only: one that a test
starts inside of itself (pytester) keeps silent.
"""
import copy
import os

import pytest

_active = bool(os.environ.get("RETRIAL_EVENTS"))

if _active:
    from retrial_agent import caught, chain, current, events, executions, expected, frames


def pytest_addoption(parser):
    """Nothing to add; keeps the plug-in a plug-in where it is inert."""


if _active:

    @pytest.hookimpl(hookwrapper=True)
    def pytest_load_initial_conftests(early_config):
        outcome = yield
        error = outcome.excinfo[1] if outcome.excinfo else None
        path = getattr(error, "path", None)
        if path is not None and current.runner is None:  # ConftestImportFailure
            cause = getattr(error, "cause", None) or getattr(error, "excinfo", (0, error))[1]
            _broken(frames.relative(str(path)), "%s: %s" % (type(cause).__name__, cause))

    @pytest.hookimpl(hookwrapper=True)
    def pytest_cmdline_main(config):
        # A wrapper runs before xdist's own tryfirst hook reads the options; PYTEST_ADDOPTS=-n0
        # would be beaten by a -n on the command line.
        if os.environ.get("RETRIAL_SERIAL") == "1" and hasattr(config.option, "numprocesses"):
            if config.option.numprocesses:
                events.write({"ev": "serial", "what": "pytest -n %s" % config.option.numprocesses})
            config.option.numprocesses = None
            config.option.dist = "no"
            config.option.tx = []
            config.option.distload = False
        if _no_time_limit() and hasattr(config.option, "session_timeout"):
            config.option.session_timeout = 0
        if os.environ.get("RETRIAL_ONLY"):  # -x: a fault that fails one test ends no other
            config.option.maxfail = 0
        yield

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(config):
        if current.runner is None and current.claim("pytest"):
            config.pluginmanager.register(_Reporter(config), "retrial_reporter")
            expected.watch(_raises())
            caught.watch()
        if _no_time_limit() and config.pluginmanager.hasplugin("timeout"):
            config.pluginmanager.register(_NoTimeLimit(), "retrial_no_time_limit")


def _raises():
    """What pytest.raises gives: another class since 8.4."""
    try:
        from _pytest.raises import RaisesExc

        return RaisesExc
    except ImportError:
        from _pytest import python_api

        return getattr(python_api, "RaisesContext", None)


def _no_time_limit():
    return os.environ.get("RETRIAL_NO_TIME_LIMIT") == "1"


def _broken(file, message):
    events.write({"ev": "broken", "file": file, "msg": message[: chain.MOST_CHARACTERS]})


class _NoTimeLimit:
    """The first answer to pytest-timeout's own hook counts: no timer is ever set, whether the
    limit stands in the ini file, on the command line, in the environment or on a marker."""

    @pytest.hookimpl(tryfirst=True, optionalhook=True)
    def pytest_timeout_set_timer(self, item, settings):
        return True

    @pytest.hookimpl(trylast=True)
    def pytest_sessionstart(self, session):
        timeout = session.config.pluginmanager.getplugin("timeout")
        key = getattr(timeout, "SESSION_EXPIRE_KEY", None)
        if key is not None:
            session.config.stash[key] = 0


class _Reporter:
    """Writes the events of one pytest run."""

    def __init__(self, config):
        self._config = config
        self._is_worker = hasattr(config, "workerinput")

    # -- what there is

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config, items):
        wanted = executions.wanted()
        if wanted is None:
            return
        dropped = [item for item in items if item.nodeid not in wanted]
        items[:] = [
            item if name == item.nodeid else _again(item, name)
            for item in items
            for name in wanted.get(item.nodeid, ())
        ]
        if dropped:
            config.hook.pytest_deselected(items=dropped)
        # pytest's own tracebacks parse each file on their way: 0.15 s for one through boto3, of which a run of many
        # faults would make dozens that nobody reads.
        if len(items) > 1 and config.option.tbstyle in ("auto", "long"):
            config.option.tbstyle = "native"

    def pytest_collection_finish(self, session):
        for item in session.items:
            frames.add_test_file(_file(item))
        if self._config.getoption("collectonly", False):
            for item in session.items:
                file = frames.relative(_file(item))
                events.write({"ev": "listed", "id": item.nodeid, "file": file})

    def pytest_collectreport(self, report):
        if report.failed and not self._config.pluginmanager.hasplugin("dsession"):
            file = os.path.join(str(self._config.rootdir), report.nodeid.split("::")[0])
            _broken(frames.relative(file), str(report.longreprtext))

    # -- what runs

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item):
        current.start(_name(item), "setup")
        yield
        current.end(_name(item), "setup")

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item):
        current.start(_name(item), "test")
        yield
        expected.tell_caught()
        current.end(_name(item), "test")

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item):
        current.start(_name(item), "teardown")
        yield
        current.end(_name(item), "teardown")

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef, request):
        if fixturedef.scope == "function":
            yield
            return
        id = (fixturedef.baseid or "") + "::" + fixturedef.argname
        # Finalisers run last in, first out: these two enclose the fixture's own.
        fixturedef.addfinalizer(lambda: current.end(id, current.SHARED))
        current.start(id, current.SHARED)
        yield
        current.end(id, current.SHARED)
        fixturedef.addfinalizer(lambda: current.start(id, current.SHARED))

    # -- what came of it

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item, call):
        report = (yield).get_result()
        if report.when != "call" and report.outcome == "passed":
            return
        outcome = report.outcome
        if report.when != "call" and outcome == "failed":
            outcome = "error"
        events.write(
            {
                "ev": "result",
                "id": _name(item),
                "phase": "test" if report.when == "call" else report.when,
                "outcome": outcome,
                "ms": int(report.duration * 1000),
                "chain": chain.of(call.excinfo.value) if call.excinfo else [],
            }
        )

    def pytest_sessionfinish(self, exitstatus):
        if not self._is_worker:
            events.write({"ev": "exit", "code": int(exitstatus)})

    def pytest_unconfigure(self):
        current.release()


def _again(item, name):
    """One more execution, with an instance and fixtures of its own, that goes by this name."""
    execution = copy.copy(item)
    execution.retrial_execution = name
    execution._obj = None
    vars(execution).pop("_instance", None)
    if hasattr(execution, "_initrequest"):
        execution._initrequest()
    return execution


def _name(item):
    return getattr(item, "retrial_execution", item.nodeid)


def _file(item):
    return str(getattr(item, "path", None) or item.fspath)
