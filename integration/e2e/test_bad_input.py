"""What goes wrong outside of Retrial gets one clear line, and nothing hangs."""
import json
import os
import signal
import sqlite3
import subprocess
import time

import pytest

from conftest import RETRIAL, SECCOMP, refuse, retrial

CLIENT = """
import http.client
def fetch(port):
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    c.request("GET", "/thing/1")
    return c.getresponse().status
"""
SERVED = """
import http.server, threading, pytest
from app import fetch
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.send_header("Content-Length", "0"); self.end_headers()
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(201); self.send_header("Content-Length", "0"); self.end_headers()
    def log_message(self, *a): pass
@pytest.fixture
def port():
    s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H)
    threading.Thread(target=s.serve_forever, daemon=True).start()
    yield s.server_address[1]
    s.shutdown()
"""


TWICE = """
import http.client
def pay(port):
    for last in (False, True):
        try:
            c = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            c.request("POST", "/payments", "amount=10")
            return c.getresponse().status
        except OSError:
            if last: raise
"""


def first_line(process):
    return process.stderr.strip().splitlines()[0] if process.stderr.strip() else ""


@pytest.fixture
def project(suite):
    return suite(app_DOT_py=CLIENT, conftest_DOT_py=SERVED.replace("from app import fetch\n", ""),
                 test_app_DOT_py="from app import fetch\ndef test_fetch(port):\n    assert fetch(port) == 200\n")


def test_a_command_that_does_not_exist_is_named(tmp_path):
    done = retrial("run", "--", "no-such-runner", "tests/", cwd=tmp_path)
    assert done.returncode == 2 and "no-such-runner" in first_line(done), done
    assert not (tmp_path / ".retrial").exists()


def test_a_suite_that_sends_nothing_says_what_was_seen_instead(suite, python):
    cwd = suite(test_a_DOT_py="def test_nothing(): assert True\n")
    done = retrial("run", "--", python, "-m", "pytest", "-q", cwd=cwd)
    assert done.returncode == 3 and "No HTTP request was seen" in done.stderr, done


def test_failing_tests_are_named_and_the_others_tried(project, python):
    (project / "test_bad.py").write_text("from app import fetch\ndef test_broken(port):\n    assert fetch(port) == 201\n")
    done = retrial("run", "--policies", "k1", "--", python, "-m", "pytest", "-q", cwd=project)
    assert done.returncode == 0, done
    report = json.loads((project / ".retrial/latest/findings.json").read_text())
    assert any("test_bad.py::test_broken" in line for line in report["campaign"]["left_alone"]), report["campaign"]
    assert report["clean"], report


def test_where_every_test_fails_nothing_is_left_to_try(project, python):
    (project / "test_app.py").write_text("from app import fetch\ndef test_broken(port):\n    assert fetch(port) == 201\n")
    done = retrial("run", "--", python, "-m", "pytest", "-q", cwd=project)
    assert done.returncode == 3 and "test_broken" in done.stderr, done


def test_a_service_that_is_not_up_is_said(suite, python):
    cwd = suite(app_DOT_py=CLIENT, test_app_DOT_py="from app import fetch\ndef test_fetch():\n    assert fetch(9) == 200\n")
    done = retrial("run", "--", python, "-m", "pytest", "-q", cwd=cwd)
    assert done.returncode == 3 and "127.0.0.1:9" in done.stderr, done


@pytest.mark.parametrize("text, said", [
    ("[run]\nbuget = '5m'\n", ["retrial.toml:2", "buget", "budget"]),
    ("[run]\npolicies = ['p9']\n", ["retrial.toml:2", "p9"]),
    ("[run\n", ["retrial.toml:1"]),
])
def test_a_fault_in_the_configuration_is_one_line_with_its_place(suite, text, said):
    cwd = suite(retrial_DOT_toml=text)
    done = retrial("run", "--", "true", cwd=cwd)
    assert done.returncode == 2 and len(done.stderr.strip().splitlines()) == 1, done
    assert all(word in done.stderr for word in said), done.stderr


def test_an_unknown_option_is_named_with_the_nearest(tmp_path):
    done = retrial("run", "--bugdet", "5m", "--", "true", cwd=tmp_path)
    assert done.returncode == 2 and "--bugdet" in first_line(done) and "--budget" in first_line(done), done


def test_a_kernel_that_refuses_seccomp_is_said_in_one_line(tmp_path):
    done = retrial("run", "--capture", "seccomp", "--", "true", cwd=tmp_path, before=lambda: refuse(SECCOMP))
    assert done.returncode == 2 and len(done.stderr.strip().splitlines()) == 1 and "seccomp" in done.stderr, done


def test_where_seccomp_is_refused_and_nothing_is_said_the_next_way_is_taken_and_named(tmp_path):
    done = retrial("run", "--", "true", cwd=tmp_path, before=lambda: refuse(SECCOMP))
    assert done.returncode == 3 and "forward" in done.stdout + done.stderr, done


def test_a_second_retrial_inside_the_first_is_refused_in_one_line(tmp_path):
    done = retrial("observe", "--", RETRIAL, "observe", "--", "true", cwd=tmp_path)
    inner = [line for line in done.stderr.splitlines() if line.startswith("retrial:") and "recorded in" not in line]
    assert done.returncode != 0 and len(inner) == 1 and "inside" in inner[0], done


def slow_project(project):
    (project / "test_slow.py").write_text(
        "import threading\nfrom app import fetch\ndef test_slow(port):\n    fetch(port)\n    threading.Event().wait(300)\n")


@pytest.fixture
def started(project, python):
    """A campaign under way in its slow test. SIGINT is not ignored, as it would be if we run in the background of a shell."""
    slow_project(project)
    process = subprocess.Popen([RETRIAL, "run", "--", python, "-m", "pytest", "-q"], cwd=project, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    wait_for(lambda: '"test_slow.py::test_slow", "phase": "test"' in events(project))
    yield process
    process.kill()
    process.communicate()


def wait_for(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.05)


def events(project):
    found = list(project.glob(".retrial/*/events/0001.jsonl"))
    return found[0].read_text() if found else ""


def test_ctrl_c_ends_the_tree_and_leaves_a_report(started, project):
    started.send_signal(signal.SIGINT)
    started.communicate(timeout=60)
    assert started.returncode == 130
    report = json.loads((project / ".retrial/latest/findings.json").read_text())
    assert report["campaign"]["incomplete"], report


def test_after_kill_9_the_folder_is_readable_and_marked_incomplete(started, project):
    started.kill()
    started.communicate(timeout=60)
    done = retrial("report", ".retrial/latest", cwd=project)
    assert done.returncode == 4 and "incomplete" in done.stdout, done
    assert sqlite3.connect(project / ".retrial/latest/campaign.db").execute("select count(*) from exchange").fetchone()[0] >= 1


def test_a_folder_that_holds_other_files_is_not_emptied(project, python):
    (project / "logs").mkdir()
    (project / "logs/keep.log").write_text("mine")
    done = retrial("run", "--out", ".", "--policies", "k1", "--", python, "-m", "pytest", "-q", cwd=project)
    assert done.returncode == 2 and "new or empty" in first_line(done), done
    assert (project / "logs/keep.log").read_text() == "mine"


def test_a_finding_replays_as_it_is_printed_wherever_the_campaign_was_put(suite, python, tmp_path_factory):
    cwd = suite(app_DOT_py=TWICE, conftest_DOT_py=SERVED.replace("from app import fetch\n", ""),
                test_app_DOT_py="from app import pay\ndef test_pay(port):\n    assert pay(port) == 201\n")
    out = tmp_path_factory.mktemp("elsewhere") / "campaign"
    done = retrial("run", "--policies", "p1", "--out", out, "--", python, "-m", "pytest", "-q", cwd=cwd)
    finding = json.loads((out / "findings.json").read_text())["findings"][0]
    assert finding["verdict"] in ("duplicate-effect", "retries-non-idempotent"), done
    retrial("run", "--policies", "k1", "--", python, "-m", "pytest", "-q", cwd=cwd)  # the latest is another by then
    again = retrial(*finding["replay"].split()[1:], cwd=cwd)
    assert again.returncode == 1 and "is shown again" in again.stdout, again


def test_the_reference_run_ends_with_the_budget(suite, python):
    cwd = suite(go_DOT_py="import threading\nthreading.Event().wait(300)\n")
    done = retrial("run", "--budget", "2s", "--", python, "go.py", cwd=cwd, timeout=60)
    assert done.returncode == 4 and "did not end within its time" in done.stdout + done.stderr, done


def test_a_fixture_that_sends_requests_is_no_failing_test(project, python):
    (project / "test_app.py").write_text("import pytest\nfrom app import fetch\n"
                                         "@pytest.fixture(scope='module')\ndef warm():\n"
                                         "    import http.server, threading\n    from conftest import H\n"
                                         "    s = http.server.ThreadingHTTPServer(('127.0.0.1', 0), H)\n"
                                         "    threading.Thread(target=s.serve_forever, daemon=True).start()\n"
                                         "    assert fetch(s.server_address[1]) == 200\n    yield\n    s.shutdown()\n"
                                         "def test_fetch(port, warm):\n    assert fetch(port) == 200\n")
    done = retrial("run", "--policies", "k1", "--", python, "-m", "pytest", "-q", cwd=project)
    assert done.returncode == 0 and "fails without" not in done.stdout, done


def test_a_full_disk_is_said_and_nothing_is_found_from_it(project, python, tmp_path_factory):
    if os.geteuid() != 0:
        pytest.skip("a small file system can only be mounted as root")
    small = tmp_path_factory.mktemp("small")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "none", small]).returncode:
        pytest.skip("mount is refused here")
    try:
        done = retrial("run", "--out", small / "c", "--", python, "-m", "pytest", "-q", cwd=project)
        assert done.returncode in (2, 4) and "space" in (done.stdout + done.stderr), done
    finally:
        subprocess.run(["umount", small], check=True)
