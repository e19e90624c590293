"""What the pytest plug-in and the unittest hook report."""
import sys

import pytest

SUITE = """
    import os, unittest, pytest, requests
    def ask(what): requests.get(os.environ["URL"] + "/" + what)
    @pytest.fixture(scope="module")
    def shared(): ask("shared-up"); yield; ask("shared-down")
    @pytest.fixture
    def own(): ask("own-up"); yield; ask("own-down")
    def test_one(shared, own): ask("one")
    def test_chain():
        try:
            try: {}["x"]
            except KeyError: raise ConnectionResetError(104, "gone")
        except OSError as e:
            error = RuntimeError("load")
            error.status = 503
            raise error from e
    @pytest.fixture
    def bad(): raise ValueError("no")
    def test_bad_fixture(bad): pass
    def test_skipped(): pytest.skip("later")
    class TestCase(unittest.TestCase):
        def setUp(self): ask("case-up")
        def test_it(self): ask("case"); self.assertEqual(1, 2)
"""


def test_each_request_carries_its_test_and_phase_and_a_shared_one_no_test(project, server):
    project.write("test_s.py", SUITE).pytest(check=False)
    told = {tag["path"][1:]: (tag.get("test"), tag["phase"]) for tag in server.tags}
    assert told == {
        "shared-up": (None, "shared"),
        "own-up": ("test_s.py::test_one", "setup"),
        "one": ("test_s.py::test_one", "test"),
        "own-down": ("test_s.py::test_one", "teardown"),
        "case-up": ("test_s.py::TestCase::test_it", "setup"),
        "case": ("test_s.py::TestCase::test_it", "test"),
        "shared-down": (None, "shared"),
    }


def test_each_result_is_told_once_with_its_whole_chain(project):
    project.write("test_s.py", SUITE).pytest(check=False)
    results = {event["id"].split("::")[-1]: event for event in project.of("result")}
    assert len(project.of("result")) == len(results) == 5
    outcomes = {name: (event["outcome"], event["phase"]) for name, event in results.items()}
    assert outcomes == {
        "test_one": ("passed", "test"),
        "test_chain": ("failed", "test"),
        "test_bad_fixture": ("error", "setup"),
        "test_skipped": ("skipped", "test"),
        "test_it": ("failed", "test"),
    }
    chain = [(e["type"], e.get("code"), e["link"], e["in_test"]) for e in results["test_chain"]["chain"]]
    assert chain == [
        ("builtins.RuntimeError", "503", "raised", True),
        ("builtins.ConnectionResetError", "ECONNRESET", "cause", True),
        ("builtins.KeyError", None, "context", True),
    ]
    assert results["test_it"]["chain"][0]["in_test"] is True
    assert project.of("exit")[0]["code"] == 1


def test_starts_and_ends_are_nested_pairs(project):
    project.write("test_s.py", SUITE).pytest(check=False)
    open_ = []
    for event in project.events:
        if event["ev"] == "start":
            open_.append((event["id"], event["phase"]))
        elif event["ev"] == "end":
            assert open_.pop() == (event["id"], event["phase"])
    assert open_ == []


def test_a_library_error_is_not_in_the_test(project):
    project.write("test_s.py", "import requests\ndef test_a(): requests.get('http://127.0.0.1:1')\n")
    project.pytest(check=False)
    [result] = project.of("result")
    assert result["chain"][0]["type"] == "requests.exceptions.ConnectionError"
    assert not any(entry["in_test"] for entry in result["chain"])


def test_what_a_runner_raises_for_a_test_stands_on_the_tests_own_line_by_the_runners_name(project):
    project.write(
        "test_s.py",
        """
        import unittest, pytest
        def test_says_so(): pytest.fail("too few")
        def test_expects():
            with pytest.raises(KeyError):
                pass
        class TestCase(unittest.TestCase):
            def test_it(self): self.assertEqual(1, 2)
        """,
    ).pytest(check=False)
    thrown = {event["id"].split("::")[-1]: event["chain"][0] for event in project.of("result")}
    assert {name: (e["type"], e["file"], e["line"], e["in_test"]) for name, e in thrown.items()} == {
        "test_says_so": ("_pytest.outcomes.Failed", "test_s.py", 3, True),
        "test_expects": ("_pytest.outcomes.Failed", "test_s.py", 5, True),
        "test_it": ("builtins.AssertionError", "test_s.py", 8, True),
    }


def test_collecting_only_lists_each_test_with_its_file(project):
    project.write("sub/test_s.py", SUITE).pytest("--collect-only")
    assert len(project.of("listed")) == 5
    assert {event["file"] for event in project.of("listed")} == {"sub/test_s.py"}


@pytest.mark.parametrize("file", ["test_b.py", "conftest.py"])
def test_a_file_that_cannot_be_loaded_is_broken(file, project):
    project.write(file, "import nonexistent\n").write("test_a.py", "def test_a(): pass\n")
    project.pytest(check=False)
    [event] = project.of("broken")
    assert event["file"] == file and "nonexistent" in event["msg"]


def test_serial_beats_workers_on_the_command_line(project):
    pytest.importorskip("xdist")
    project.write("test_a.py", "def test_a(): pass\ndef test_b(): pass\n")
    project.pytest("-n", "2", RETRIAL_SERIAL="1")
    assert len({event["pid"] for event in project.events}) == 1 and len(project.of("result")) == 2
    assert [event["what"] for event in project.of("serial")] == ["pytest -n 2"]


@pytest.mark.parametrize("where", ["marker", "command line", "ini"])
def test_the_time_limit_is_lifted_wherever_it_stands(where, project):
    pytest.importorskip("pytest_timeout")
    mark = "@pytest.mark.timeout(0.05)" if where == "marker" else ""
    # Longer than the limit by the CPU's own work: nothing to wait for.
    text = "import time, pytest\n%s\ndef test_a():\n    end = time.monotonic() + 0.2\n    while time.monotonic() < end: pass\n"
    project.write("test_a.py", text % mark)
    if where == "ini":
        project.write("pytest.ini", "[pytest]\ntimeout = 0.05\n")
    args = ["--timeout=0.05"] if where == "command line" else []
    assert project.pytest(*args, check=False, agent=False).returncode == 1
    project.pytest(*args, RETRIAL_NO_TIME_LIMIT="1")


def test_only_the_tests_that_are_named_run(project):
    project.write("test_a.py", "import pytest\n@pytest.mark.parametrize('x', ['ü', 'b c'])\ndef test_a(x): pass\n")
    project.pytest("--collect-only")
    wanted = project.of("listed")[0]["id"]
    only = project.folder / "only"
    only.write_text(wanted + "\n", encoding="utf-8")
    project.pytest(RETRIAL_ONLY=str(only))
    assert [event["id"] for event in project.of("result")] == [wanted]


def test_a_test_that_is_named_again_is_executed_again_with_all_that_is_its_own(project):
    project.write(
        "test_a.py",
        """
        import unittest, pytest
        log = []
        @pytest.fixture
        def own():
            log.append("up")
            yield log
            log.append("down")
        @pytest.mark.parametrize("x", [1])
        def test_f(own, x, request):
            assert log == ["up", "down"] * log.count("down") + ["up"] and request.node.name == "test_f[1]"
        class TestC:
            def test_m(self, own):
                assert not hasattr(self, "seen")
                self.seen = True
        class TestU(unittest.TestCase):
            def setUp(self):
                self.up = 1
            def test_u(self):
                assert not hasattr(self, "seen") and self.up
                self.seen = True
            def tearDown(self):
                assert self.seen
        """,
    )
    names = ["test_a.py::%s" % name for name in ("test_f[1]", "TestC::test_m", "TestU::test_u")]
    wanted = [execution for name in names for execution in (name, name + " [again 2]", name + " [again 3]")]
    only = project.folder / "only"
    only.write_text("\n".join(wanted))
    project.pytest(RETRIAL_ONLY=str(only))
    assert [event["id"] for event in project.of("result")] == wanted
    assert [event["id"] for event in project.of("start") if event["phase"] == "test"] == wanted
    only.write_text(names[1] + " [again 2]")
    project.pytest(RETRIAL_ONLY=str(only))
    assert [event["id"] for event in project.of("result")][-1] == names[1] + " [again 2]"


def test_so_is_one_of_unittest(project):
    project.write(
        "test_a.py",
        """
        import unittest
        class T(unittest.TestCase):
            def setUp(self):
                assert not hasattr(self, "seen")
            def test_x(self):
                self.seen = True
            def test_y(self):
                self.assertEqual(1, 2)
        """,
    )
    wanted = ["test_a.T.test_y", "test_a.T.test_x [again 2]", "test_a.T.test_x [again 3]"]
    only = project.folder / "only"
    only.write_text("\n".join(wanted))
    project.run("-m", "unittest", "test_a.T.test_y", "test_a.T.test_x", "test_a.T.test_x", check=False, RETRIAL_ONLY=str(only))
    assert [(event["id"], event["outcome"]) for event in project.of("result")] == list(
        zip(wanted, ("failed", "passed", "passed"))
    )
    assert [event["id"] for event in project.of("start") if event["phase"] == "setup"] == wanted


def test_the_projects_own_plugins_are_kept(project):
    project.write("theirs.py", "import pytest\n@pytest.fixture\ndef answer(): return 42\n")
    project.write("test_a.py", "def test_a(answer): assert answer == 42\n")
    project.pytest(PYTEST_PLUGINS="theirs", path=[project.folder])
    assert project.of("result")[0]["outcome"] == "passed"


def test_a_suite_that_a_test_runs_inside_of_itself_is_not_reported(project):
    project.write("conftest.py", "pytest_plugins = 'pytester'\n").write(
        "test_a.py",
        """
        import unittest
        def test_inner(pytester):
            pytester.makepyfile("def test_x(): pass")
            pytester.runpytest().assert_outcomes(passed=1)
            class Case(unittest.TestCase):
                def test_y(self): pass
            unittest.TextTestRunner().run(Case("test_y"))
        """,
    )
    project.pytest()
    assert [event["id"] for event in project.of("result")] == ["test_a.py::test_inner"]
    assert len(project.of("exit")) == 1


def test_unittest_reports_phases_results_and_shared_fixtures(project, server):
    project.write(
        "test_u.py",
        """
        import os, unittest, urllib.request
        def ask(what): urllib.request.urlopen(os.environ["URL"] + "/" + what).read()
        class Case(unittest.TestCase):
            @classmethod
            def setUpClass(cls): ask("class")
            def setUp(self): ask("up")
            def tearDown(self): ask("down")
            def test_it(self): ask("it")
            def test_fails(self): self.fail("no")
        class Async(unittest.IsolatedAsyncioTestCase):
            async def asyncSetUp(self): ask("async-up")
            async def test_async(self): ask("async")
        """,
    )
    project.run("-m", "unittest", check=False)
    told = {(tag["path"][1:], tag.get("test"), tag["phase"]) for tag in server.tags}
    assert {("class", None, "shared"), ("up", "test_u.Case.test_it", "setup"),
            ("it", "test_u.Case.test_it", "test"), ("down", "test_u.Case.test_it", "teardown"),
            ("async-up", "test_u.Async.test_async", "setup"),
            ("async", "test_u.Async.test_async", "test")} <= told
    outcomes = {event["id"]: event["outcome"] for event in project.of("result")}
    assert outcomes == {"test_u.Case.test_it": "passed", "test_u.Case.test_fails": "failed",
                        "test_u.Async.test_async": "passed"}
    assert project.of("exit")[0]["code"] == 1


def test_two_hundred_tests_of_one_request_each_are_all_attributed(project, server):
    project.write(
        "test_many.py",
        """
        import os, pytest, requests
        @pytest.mark.parametrize("n", range(200))
        def test_n(n): requests.get(os.environ["URL"] + "/%d" % n)
        """,
    )
    project.pytest()
    right = [t for t in server.tags if t["test"] == "test_many.py::test_n[%s]" % t["path"][1:] and t["phase"] == "test"]
    assert (len(right), len(server.tags)) == (200, 200)


def test_an_exception_that_a_test_expects_and_gets_is_told_before_its_result(project):
    project.write("test_s.py", """
        import unittest, pytest
        def test_one():
            with pytest.raises(ValueError): raise ValueError("503") from KeyError("a")
        def test_none():
            with pytest.raises(ValueError): pass
        class TestCase(unittest.TestCase):
            def test_it(self):
                with self.assertRaises(OSError): raise ConnectionResetError(104, "gone")
    """).pytest(check=False)
    told = {event["id"].split("::")[-1]: [e["type"].split(".")[-1] for e in event["chain"]] for event in project.of("expected")}
    assert told == {"test_one": ["ValueError", "KeyError"], "test_it": ["ConnectionResetError"]}


@pytest.mark.skipif(not hasattr(sys, "monitoring"), reason="Python 3.11 or earlier tells nobody of what is caught")
def test_what_a_test_catches_itself_is_told_before_its_result_and_nothing_that_goes_through_it(project):
    project.write("app.py", """
        def ask(how):
            try: raise KeyError("of the application")
            except KeyError: pass
            raise how("503")
    """).write("test_s.py", """
        import contextlib, threading, unittest, pytest
        from app import ask
        def tried(how):
            try: return ask(how)
            except ValueError: return None
        def test_caught(): assert tried(ValueError) is None
        def test_through():
            with contextlib.ExitStack(), pytest.raises(OSError):
                try: tried(OSError)
                finally: pass
        def test_elsewhere():
            beside = threading.Thread(target=tried, args=(ValueError,))
            beside.start(), beside.join()
        def test_fails():
            with contextlib.ExitStack(): assert tried is None
        class TestCase(unittest.TestCase):
            def test_it(self): tried(ValueError)
    """).pytest(check=False)
    told = {}
    for event in project.of("expected"):
        types = [e["type"].split(".")[-1] for e in event["chain"]]
        told.setdefault(event["id"].split("::")[-1], []).append(types)
    assert told == {"test_caught": [["ValueError"]], "test_through": [["OSError"]], "test_it": [["ValueError"]]}
    written = [event["ev"] for event in project.events if event.get("id") == "test_s.py::test_caught"]
    assert written.index("expected") < written.index("result")


def test_an_exception_of_a_task_that_nobody_awaits_is_told_for_its_test(project):
    project.write("test_it.py", """
        import asyncio
        async def fails(): raise OSError("503 of a task")
        async def start(awaited):
            tasks = {asyncio.create_task(fails())}
            if awaited: await asyncio.gather(*tasks, return_exceptions=True)
            else: await asyncio.wait(tasks)
            tasks.clear()
            await asyncio.sleep(0)
        async def handled():
            asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
            await start(False)
        def test_left(): asyncio.run(start(False))
        def test_handled(): asyncio.run(handled())
        def test_awaited(): asyncio.run(start(True))
    """).pytest()
    told = [(event["id"].split("::")[-1], [e["msg"] for e in event["chain"]]) for event in project.of("unheard")]
    assert told == [("test_left", ["503 of a task"])]
