"""`retrial doctor -- COMMAND`: what is seen of a command, and what would mend what is not."""
import json
import shutil
import subprocess
import sys

import pytest

from conftest import Answering, retrial, serving
from test_tls import PYTHON_CLIENT, PYTHON_TESTS, authority  # noqa: F401

TEST = """
import http.client, unittest
def fetch(port, path):
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    c.request("GET", path)
    return c.getresponse().status
class Suite(unittest.TestCase):
    def test_one(self): self.assertEqual(fetch({port}, "/one"), 200)
    def test_two(self): self.assertEqual(fetch({port}, "/two"), 200)
    def test_none(self): pass
"""


@pytest.fixture
def port():
    class Service(Answering):
        def do_GET(self):
            self.server.seen.append(self.path)
            self.answer(b"one")

    with serving(Service) as server:
        server.seen = []
        yield server.server_port
        assert max(map(server.seen.count, server.seen), default=0) <= 2, "the suite ran once a doctor"


def doctor(cwd, *command, env=None, status=0):
    """The table, and what the same says in JSON."""
    done = retrial("doctor", "--", *command, cwd=cwd, env=env)
    assert done.returncode == status, done
    return done.stdout


def said(cwd, *command, env=None, status=0):
    done = retrial("doctor", "--json", "--", *command, cwd=cwd, env=env)
    assert done.returncode == status, done
    return json.loads(done.stdout)


def test_a_suite_that_is_seen_whole(suite, port):
    project = suite(test_a_DOT_py=TEST.format(port=port), retrial_DOT_toml=f'[service.shop]\naddress = "127.0.0.1:{port}"\n')
    seen = said(project, sys.executable, "-m", "unittest")
    assert (seen["runner"], seen["tests"], seen["on_trial"], seen["agents"], seen["trouble"]) == ("unittest", 3, 2, ["python"], ""), seen
    assert seen["services"] == [{"address": f"127.0.0.1:{port}", "name": "shop", "profile": "generic", "protocols": ["HTTP/1"], "tls": "none",
                                 "requests": 2, "without_call_site": 0}]
    assert seen["not_seen"] == [] and seen["clocks_moved"], seen
    assert not (project / ".retrial/latest").exists(), "it is no campaign"


def test_the_table_says_the_same(suite, port):
    project = suite(test_a_DOT_py=TEST.format(port=port))
    lines = [" ".join(line.split()) for line in doctor(project, sys.executable, "-m", "unittest").splitlines()]
    assert "runner unittest; 3 tests, of which 2 can be put on trial" in lines, lines
    assert "agents python" in lines and "127.0.0.1:* - generic HTTP/1 2 0" in lines, "\n".join(lines)
    assert "so `retrial run` has 2 tests to put on trial." in lines, lines


def test_an_environment_that_is_taken_away_has_its_mend(suite, port):
    project = suite(test_a_DOT_py=TEST.format(port=port), check_DOT_sh=f"env -i {sys.executable} -m unittest\n")
    seen = said(project, "sh", "check.sh")
    assert seen["runner"] == "command" and seen["agents"] == [], seen
    assert seen["services"][0]["without_call_site"] == 2
    gap = next(gap for gap in seen["not_seen"] if "no agent was heard from" in gap["what"])
    assert "RETRIAL_*, PYTHONPATH" in gap["mend"]


def test_a_runner_behind_a_command_is_named(suite, port, python):
    project = suite(test_a_DOT_py=TEST.format(port=port), Makefile=f"test:\n\t{python} -m pytest -q -p no:cacheprovider\n")
    seen = said(project, "make", "-s", "test")
    assert (seen["runner"], seen["behind"], seen["tests"], seen["on_trial"]) == ("command", ["pytest"], 3, 2), seen
    assert "pytest, which the command starts; 3 tests" in " ".join(doctor(project, "make", "-s", "test").split())


def test_a_suite_that_sends_nothing_has_nothing_to_try_and_run_points_here(suite):
    project = suite(test_a_DOT_py="import unittest\nclass A(unittest.TestCase):\n    def test_a(self): pass\n")
    assert "No HTTP request was seen" in said(project, sys.executable, "-m", "unittest", status=3)["trouble"]
    done = retrial("run", "--", sys.executable, "-m", "unittest", cwd=project)
    assert done.returncode == 3 and f"`retrial doctor -- {sys.executable} -m unittest`" in done.stderr, done


def test_a_test_that_fails_by_itself_and_a_service_that_is_not_up_have_their_mends(suite, port):
    project = suite(test_a_DOT_py=TEST.format(port=port) + "    def test_down(self): self.assertEqual(fetch(9, '/'), 200)\n"
                                                           f"    def test_wrong(self): self.assertEqual(fetch({port}, '/'), 201)\n")
    seen = said(project, sys.executable, "-m", "unittest")
    mends = {gap["what"]: gap["mend"] for gap in seen["not_seen"]}
    assert any("test_wrong: fails without any fault" in what and "mend the test" in mend for what, mend in mends.items()), mends
    assert any("127.0.0.1:9 (Connection refused)" in what and "`start`" in mend for what, mend in mends.items()), mends


@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")
def test_a_program_whose_clock_cannot_be_moved_is_named(suite, port):
    project = suite(nap_DOT_c="#include <unistd.h>\nint main(void) { return (int)sleep(2); }\n",
                    test_a_DOT_py=TEST.format(port=port) + "    def test_wait(self): import subprocess; subprocess.run(['./nap'], check=True)\n")
    subprocess.run(["cc", "-static", "-o", "nap", "nap.c"], cwd=project, check=True)
    gap = next(gap for gap in said(project, sys.executable, "-m", "unittest")["not_seen"] if gap["what"].startswith("nap["))
    assert "its clock cannot be moved" in gap["what"] and "docs/time.md" in gap["mend"], gap


def test_tls_that_is_opened_is_said(suite, authority):
    project = suite(client_DOT_py=PYTHON_CLIENT, test_client_DOT_py=PYTHON_TESTS)
    env = {"LEAF": str(authority / "other-leaf"), "SEEN": str(project / "seen"), "REQUESTS_CA_BUNDLE": str(authority / "other.pem")}
    seen = said(project, sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", env=env)
    assert [(s["tls"], s["requests"], s["without_call_site"]) for s in seen["services"]] == [("opened", 3, 0)], seen["services"]


def test_of_the_machine_json_says_the_same(tmp_path):
    said, told = (retrial("doctor", *options, cwd=tmp_path) for options in (["--json"], []))
    machine = json.loads(said.stdout)
    assert said.returncode == told.returncode == 0, said
    assert [f"{one['what']}: {one['told']}" for one in machine["tried"]] == told.stdout.splitlines()[:-1], machine
    assert machine["capture"] in told.stdout.splitlines()[-1] and machine["trouble"] == "", machine


# Whoever starts a program may give it another value of a variable in which our part stands.

CHILD = "import json, os, sys; print(json.dumps(dict(os.environ)))"
STARTS = """
import json, os, subprocess, sys
child = [sys.executable, "-S", "-c", {child!r}]
other = {{**os.environ, "PYTHONPATH": "/mine", "GOFLAGS": "-count=3", "NODE_OPTIONS": "--expose-gc"}}
def read(start):
    out, into = os.pipe()
    pid = start(into)
    os.close(into)
    with os.fdopen(out) as pipe:
        said = json.loads(pipe.read())
    os.waitpid(pid, 0)
    return said
def forked(how):
    def start(into):
        pid = os.fork()
        if pid == 0:
            os.dup2(into, 1)
            how()
        return pid
    return start
def in_place():
    os.environ.update(other)
    os.execvp(child[0], child)
told = [read(forked(lambda: os.execve(child[0], child, other))), read(forked(lambda: os.execvpe(child[0], child, other))), read(forked(in_place)),
        read(lambda into: os.posix_spawn(child[0], child, other, file_actions=[(os.POSIX_SPAWN_DUP2, into, 1)])),
        read(lambda into: os.posix_spawnp(child[0], child, other, file_actions=[(os.POSIX_SPAWN_DUP2, into, 1)])),
        json.loads(subprocess.run(child, env=other, stdout=subprocess.PIPE).stdout),
        json.loads(subprocess.run(child, env={{k: v for k, v in os.environ.items() if k != "PYTHONPATH"}}, stdout=subprocess.PIPE).stdout),
        json.loads(subprocess.run(child, env={{"PYTHONPATH": "/mine"}}, stdout=subprocess.PIPE).stdout)]
json.dump(told, open("told.json", "w"))
"""


def test_a_program_that_is_given_another_list_gets_our_part_of_it_too(suite):
    project = suite(start_DOT_py=STARTS.format(child=CHILD))
    doctor(project, sys.executable, "start.py", env={"GOFLAGS": "-mod=mod"}, status=3)
    *changed, without, cleared = json.loads((project / "told.json").read_text())
    assert len(changed) == 6
    for told in changed:
        ours, mine = told["PYTHONPATH"].split(":")
        assert mine == "/mine" and ours.endswith("/agents/python"), told
        assert told["GOFLAGS"].startswith("-count=3 ") and "-count=1" not in told["GOFLAGS"] and "-mod" not in told["GOFLAGS"], told
        assert told["NODE_OPTIONS"].startswith("--expose-gc --require="), told
        assert told["NODE_OPTIONS"].count("retrial.cjs") == 1 and told["LD_PRELOAD"].count("built_in.so") == 1, told
    assert without["PYTHONPATH"].endswith("/agents/python"), without
    assert cleared["PYTHONPATH"] == "/mine" and "RETRIAL_EVENTS" not in cleared, cleared


@pytest.mark.parametrize("command", ["PYTHONPATH=elsewhere {python} -m unittest", "env -u PYTHONPATH {python} -m unittest"])
def test_a_suite_whose_script_sets_the_path_is_seen_whole(suite, port, command):
    project = suite(test_a_DOT_py=TEST.format(port=port), test_DOT_sh=command.format(python=sys.executable) + "\n")
    seen = said(project, "sh", "test.sh")
    assert (seen["tests"], seen["agents"], seen["services"][0]["without_call_site"]) == (3, ["python"], 0), seen
