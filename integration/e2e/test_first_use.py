"""The path of someone who uses Retrial for the first time: what is said is right, blames nobody who has not done it, and says what
to do next."""
import json
import os
import shutil
import stat

import pytest

from conftest import ROOT, retrial
from test_bad_input import CLIENT, SERVED

TESTS = "from app import fetch\ndef test_fetch(port):\n    assert fetch(port) == 200\ndef test_again(port):\n    assert fetch(port) == 200\n"
FAILING = "from app import fetch\ndef test_fetch(port):\n    assert fetch(port) == 201, 'the shop is shut'\n"
WHOLE = """
import http.server, threading
from app import fetch
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.send_header("Content-Length", "0"); self.end_headers()
    def log_message(self, *a): pass
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H)
threading.Thread(target=s.serve_forever, daemon=True).start()
assert fetch(s.server_address[1]) == 200
"""


def told(done):
    """All that was said, as one line."""
    return " ".join((done.stdout + done.stderr).split())


def report(cwd):
    return json.loads((cwd / ".retrial/latest/findings.json").read_text())


@pytest.fixture
def project(suite):
    return suite(app_DOT_py=CLIENT, conftest_DOT_py=SERVED.replace("from app import fetch\n", ""), test_app_DOT_py=TESTS)


# A suite that fails by itself.

def test_a_suite_that_fails_by_itself_shows_its_last_words_and_blames_nobody(project, python):
    (project / "test_app.py").write_text(FAILING)
    done = retrial("run", "--", python, "-m", "pytest", "-q", cwd=project)
    assert done.returncode == 3, done
    assert "by itself, without any fault" in told(done) and "the shop is shut" in told(done), done.stderr
    log = done.stderr.split("all of it: ")[1].split()[0]
    assert "the shop is shut" in (project / log).read_text()


def test_a_suite_that_fails_in_part_is_told_of_in_the_summary_too(project, python):
    (project / "test_bad.py").write_text(FAILING)
    done = retrial("run", "--policies", "k1", "--", python, "-m", "pytest", "-q", cwd=project)
    assert done.returncode == 0, done
    summary = done.stdout[done.stdout.index("No retry bug was found"):]
    assert "test_bad.py::test_fetch: fails without any fault" in summary and "the shop is shut" in summary, summary
    assert "all of it: .retrial/" in " ".join(summary.split()), summary


def test_a_suite_that_breaks_before_any_request_shows_why(suite, python):
    cwd = suite(test_a_DOT_py="import no_such_module\ndef test_a(): pass\n")
    done = retrial("run", "--", python, "-m", "pytest", "-q", cwd=cwd)
    assert done.returncode == 3 and "no_such_module" in done.stderr and "by itself, without any fault" in told(done), done


# Commands that are no runner.

@pytest.fixture(params=["make", "script", "npm", "tox", "tox with its own pass_env"])
def wrapped(request, project, python):
    """Commands that start pytest."""
    pytest_ = f"{python} -m pytest -q -p no:cacheprovider"
    if request.param == "make":
        (project / "Makefile").write_text(f"test:\n\t{pytest_}\n")
        return project, ["make", "-s", "test"]
    if request.param == "script":
        (project / "check.sh").write_text(f"#!/bin/sh\nset -e\ncd .\n{pytest_}\n")
        (project / "check.sh").chmod(0o755)
        return project, ["./check.sh"]
    if request.param == "npm":
        (project / "package.json").write_text(json.dumps({"scripts": {"test": f"cd . && {pytest_}"}}))
        return project, ["npm", "test"]
    more = "pass_env = HOME\nset_env = PYTHONPATH = lib\n" if "own" in request.param else ""
    (project / "tox.ini").write_text(f"[tox]\nenv_list = a\nskipsdist = true\n[testenv]\nskip_install = true\nallowlist_externals = *\n"
                                     f"commands = {pytest_}\n[testenv:a]\n{more}")
    return project, [python, "-m", "tox", "-q"]


def test_a_command_that_starts_a_known_runner_has_its_tests_tried_one_by_one(wrapped):
    cwd, command = wrapped
    done = retrial("run", "--policies", "k1", "--", *command, cwd=cwd)
    assert done.returncode == 0, done
    assert "starts pytest" in told(done) and "the whole command" not in told(done) and "all of it is one test" not in told(done), done.stdout
    assert report(cwd)["clean"], done.stdout
    last = sorted((cwd / ".retrial/latest/logs").glob("*.log"))[-1].read_text()
    assert "1 deselected" in last, last


def test_an_unknown_runner_is_named_beside_those_that_are_known(suite, python):
    cwd = suite(app_DOT_py=CLIENT, go_DOT_py=WHOLE, check_DOT_sh=f"{python} go.py\n")
    done = retrial("run", "--policies", "k1", "--", "sh", "check.sh", cwd=cwd)
    assert "`sh check.sh` is no test runner that we know (pytest, unittest, node:test): all of it is one test" in told(done), done.stdout


def test_an_environment_that_is_taken_away_is_said_with_what_to_pass_on(suite, python):
    cwd = suite(app_DOT_py=CLIENT, go_DOT_py=WHOLE, check_DOT_sh=f"env -i {python} go.py\n")
    done = retrial("run", "--policies", "k1", "--", "sh", "check.sh", cwd=cwd)
    assert "No agent was heard from" in told(done) and "RETRIAL_*, PYTHONPATH" in told(done) and "pass_env" in told(done), done.stdout
