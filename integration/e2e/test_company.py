"""Many cases in one run: what company brings about is nobody's bug, and no finding is lost by it."""
import json
import os
import random
import sqlite3

import pytest

from conftest import retrial

SERVED = """
import http.server, json, threading, pytest
class H(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def answer(self, status):
        self.send_response(status); self.send_header("Content-Length", "2"); self.end_headers(); self.wfile.write(b"{}")
    def do_GET(self): self.answer(200)
    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0)); self.answer(201)
    def log_message(self, *a): pass
@pytest.fixture(scope="session")
def port():
    s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H)
    s.daemon_threads = True
    threading.Thread(target=s.serve_forever, daemon=True).start()
    yield s.server_address[1]
    s.shutdown()
"""
CLIENTS = """
import http.client, random, time
class Down(Exception): pass
def ask(port, method, path, body=None):
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        c.request(method, path, body)
        answer = c.getresponse()
        answer.read()
    except OSError as error:
        raise Down("the service is down: connection lost") from error
    finally:
        c.close()
    if answer.status >= 500: raise Down(f"the service is down: HTTP {answer.status}")
    return answer.status
def plain(port, n):
    return ask(port, "GET", f"/plain{n}")
def patient(port, n):
    for attempt in range(5):
        try: return ask(port, "GET", f"/patient{n}")
        except Down:
            if attempt == 4: raise
            time.sleep(0.2 * 2 ** attempt * random.uniform(0.5, 1.5))
def twice(port, n):
    for attempt in range(4):
        try: return ask(port, "POST", f"/twice{n}", "amount=10")
        except Down:
            if attempt == 3: raise
            time.sleep(0.3 * 2 ** attempt * random.uniform(0.5, 1.5))
def endless(port, n):
    wait = 0.2
    while True:
        try: return ask(port, "GET", f"/endless{n}")
        except Down:
            time.sleep(wait * random.uniform(0.5, 1.5)); wait = min(wait * 2, 5)
def swallowed(port, n):
    try: return ask(port, "GET", f"/swallowed{n}")
    except Down: raise KeyError("status")
broken = False
def breaker(port, n):  # one failure opens it for good
    global broken
    if broken: raise RuntimeError("circuit open")
    try: return ask(port, "GET", f"/breaker{n}")
    except Down:
        broken = True
        raise
closed = {}
def sparing(port, n):  # one rejection is told to all for half a minute
    if time.monotonic() < closed.get("until", 0): raise closed["by"]
    try: return ask(port, "GET", f"/sparing{n}")
    except Down as e:
        closed.update(by=e, until=time.monotonic() + 30)
        raise
"""
# What a fault spoils for the tests behind it, and what fails by itself.
SPOILT = """
import pytest, random
@pytest.fixture(scope="module")
def house(port):
    return plain(port, 90)
def test_in_the_house(port, house):
    assert house == 200 and patient(port, 91) == 200
def test_in_the_house_too(port, house):
    assert house == 200 and plain(port, 92) == 200
def test_by_chance(port):
    assert plain(port, 93) == 200 and random.random() > 0.15, "bad luck"
"""
WRONG = {"twice": "retries-non-idempotent duplicate-effect", "endless": "missing-cap", "swallowed": "unrelated-exception"}


def suite_of(calls):
    lines = ["from clients import *"]
    for n, names in enumerate(calls):
        lines += [f"def test_{n}(port):"] + [f"    assert {name}(port, {n}) in (200, 201)" for name in names]
    return "\n".join(lines) + "\n"


def report(folder):
    return json.loads((folder / "findings.json").read_text())


def campaign(cwd, python, *options, out="out"):
    done = retrial("run", "--coverage", "c0", *options, "--out", out, "--", python, "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=cwd)
    assert done.returncode in (0, 1), done
    return report(cwd / out), done


def told(found):
    """Which verdicts on which function of the client: at how many of its paths, and under which of the faults that do
    the same to its first attempt, is a matter of which came first."""
    return sorted({(f["verdict"], f["operation"].rstrip("0123456789")) for f in found["findings"]})


def told_exactly(found):
    return sorted({(f["verdict"], f["confidence"], f["operation"].rstrip("0123456789"), (f["call_site"] or {}).get("function")) for f in found["findings"]})


SUITES = int(os.environ.get("RETRIAL_COMPANY", "0"))  # ./dev company: made suites, each on trial four times


@pytest.mark.parametrize("seed", range(max(SUITES, 1)))
def test_the_findings_are_those_of_one_case_a_run(suite, python, seed):
    dice = random.Random(seed)
    calls = [[dice.choice(["plain", "patient", "twice", "swallowed", "breaker"] + ["endless", "sparing"] * bool(SUITES)) for _ in range(dice.randint(1, 3) if SUITES else 1)]
             for _ in range(6 if SUITES else 3)]
    cwd = suite(clients_DOT_py=CLIENTS, conftest_DOT_py=SERVED, test_all_DOT_py=suite_of(calls) + SPOILT * bool(SUITES))
    shared, done = campaign(cwd, python)
    alone, slow = campaign(cwd, python, "--alone", out="alone")
    assert told(shared) == told(alone), (calls, done.stdout, slow.stdout)
    for workers in ["1", "4"] * bool(SUITES):
        other, fast = campaign(cwd, python, "--workers", workers, out=f"workers{workers}")
        assert told_exactly(other) == told_exactly(shared), (calls, done.stdout, fast.stdout)
    used = {name for test in calls for name in test}
    found = {f["call_site"]["function"] if f["call_site"] else "" for f in shared["findings"]}
    assert not found - {"ask"} or found <= {"ask", *WRONG}, found
    if used & set(WRONG):
        assert shared["findings"], (calls, done.stdout)
    if not used & set(WRONG):
        assert not shared["findings"], (calls, done.stdout)


def test_a_breaker_that_one_test_opens_is_no_other_tests_bug(suite, python):
    cwd = suite(clients_DOT_py=CLIENTS, conftest_DOT_py=SERVED, test_all_DOT_py=suite_of([["breaker"], ["breaker"], ["patient"], ["breaker"]]))
    found, done = campaign(cwd, python)
    assert found["findings"] == [] and found["not_judged"] == [], done.stdout
    assert done.stdout.count("Judged, nothing found") == 1, done.stdout


def test_a_failure_that_is_kept_is_found_where_its_test_is_executed_again_ten_minutes_later(suite, python):
    kept = ("from clients import *\nimport functools, time\nmade, closed = {}, {}\n"
            "def keeping(port):\n"
            "    if 'kept' not in made:\n"
            "        try: made['kept'] = plain(port, 1)\n"
            "        except Down as e: made['kept'] = e\n"
            "    if isinstance(made['kept'], Down): raise made['kept']\n"
            "    return made['kept']\n"
            "def sparing(port):  # for half a minute\n"
            "    if time.monotonic() < closed.get('until', 0): raise closed['by']\n"
            "    try: return plain(port, 2)\n"
            "    except Down as e: closed.update(by=e, until=time.monotonic() + 30); raise\n"
            "def test_keeping(port):\n    assert keeping(port) == 200\n"
            "def test_sparing(port):\n    assert sparing(port) == 200\n")
    cwd = suite(clients_DOT_py=CLIENTS, conftest_DOT_py=SERVED, test_all_DOT_py=kept)
    found, done = campaign(cwd, python, "--policies", "p3,p1")
    assert told(found) == [("kept-failure", "GET /plain")], done.stdout
    again = retrial("replay", found["findings"][0]["id"], "--from", "out", cwd=cwd)
    assert again.returncode == 1 and "ten minutes later" in again.stdout, again


def test_a_test_that_fails_by_turns_gives_no_finding(suite, python):
    flaky = ("import pathlib, random\nfrom clients import *\n"
             "def test_steady(port):\n    assert patient(port, 1) == 200\n"
             "def test_flaky(port):\n    assert plain(port, 2) == 200\n    assert random.random() > 0.33, 'bad luck'\n")
    cwd = suite(clients_DOT_py=CLIENTS, conftest_DOT_py=SERVED, test_all_DOT_py=flaky)
    for n in range(3):
        found, done = campaign(cwd, python, out=f"out{n}")
        assert found["findings"] == [], done.stdout


def test_runs_that_share_a_file_are_kept_apart_or_run_in_turn(suite, python):
    # One of the two that are side by side ends well without a test, as Maven may beside another in one target/.
    alone = SERVED + (
        "import os\n"
        "def number(n=1):\n"
        "    try: os.close(os.open(f'ran{n}', os.O_CREAT | os.O_EXCL))\n"
        "    except FileExistsError: return number(n + 1)\n"
        "    return n\n"
        "def pytest_collection_modifyitems(session, config, items):\n"
        "    if number() == 2: pytest.exit('another is at work', returncode=0)\n")
    cwd = suite(clients_DOT_py=CLIENTS, conftest_DOT_py=alone, test_all_DOT_py=suite_of([["patient"], ["endless"], ["patient"]]))
    found, done = campaign(cwd, python, "--workers", "2")
    assert "does not do the same each time" not in done.stdout, done.stdout
    assert ("missing-cap", "GET /endless") in told(found), done.stdout


def test_a_test_that_fails_by_chance_is_no_disturbance_of_runs_side_by_side(suite, python):
    # It fails in the second run alone: one of the two that are side by side.
    flaky = ("import os\nfrom clients import *\n"
             "def number(n=1):\n"
             "    try: os.close(os.open(f'ran{n}', os.O_CREAT | os.O_EXCL))\n"
             "    except FileExistsError: return number(n + 1)\n"
             "    return n\n"
             "def test_steady(port):\n    assert patient(port, 1) == 200\n"
             "def test_flaky(port):\n    assert plain(port, 2) == 200\n    assert number() != 2, 'bad luck'\n")
    cwd = suite(clients_DOT_py=CLIENTS, conftest_DOT_py=SERVED, test_all_DOT_py=flaky)
    found, done = campaign(cwd, python, "--workers", "2")
    assert found["findings"] == [] and "disturb each other" not in done.stdout, done.stdout
    assert "test_flaky" in done.stdout, done.stdout


def test_a_test_that_ends_its_process_costs_no_other_its_trial(suite, python):
    text = suite_of([["patient"], ["plain"], ["twice"]]) + (
        "def test_last(port):\n    try: plain(port, 9)\n    except Down:\n        import os; os._exit(7)\n"
        "def test_after(port):\n    assert patient(port, 10) == 200\n")
    cwd = suite(clients_DOT_py=CLIENTS, conftest_DOT_py=SERVED, test_all_DOT_py=text)
    found, done = campaign(cwd, python)
    assert {f["operation"] for f in found["findings"]} >= {"POST /twice2"}, done.stdout
    judged = {c["operation"] for c in found["clean"]}
    assert {"GET /patient0", "GET /patient10"} <= judged, done.stdout


def test_tests_that_need_each_other_are_told_so(suite, python):
    text = ("from clients import *\nmade = []\n"
            "def test_makes(port):\n    made.append(plain(port, 1))\n"
            "def test_needs(port):\n    assert made and plain(port, 2) == 200\n")
    cwd = suite(clients_DOT_py=CLIENTS, conftest_DOT_py=SERVED, test_all_DOT_py=text)
    found, done = campaign(cwd, python)
    assert found["findings"] == [], done.stdout


def test_the_users_own_limit_of_failures_ends_no_run(suite, python):
    cwd = suite(clients_DOT_py=CLIENTS, conftest_DOT_py=SERVED, pytest_DOT_ini="[pytest]\naddopts = -x\n",
                test_all_DOT_py=suite_of([["plain"], ["plain"], ["patient"], ["twice"]]))
    found, done = campaign(cwd, python)
    assert {f["operation"] for f in found["findings"]} == {"POST /twice3"}, done.stdout
    assert found["campaign"]["cases"].get("left", 0) == 0, found["campaign"]


def executions(campaign):
    """Which tests any run executed, and how often at most."""
    store = sqlite3.connect(campaign / "campaign.db")
    names = {test for (test,) in store.execute("select test from test_result")}
    return {name: 1 + sum(other.startswith(name + " [again ") for other in names) for name in names if " [again " not in name}


def test_a_test_is_executed_again_in_one_run_with_another_case(suite, python):
    slow = "import time\ntime.sleep(1)  # a start that costs more than the tests\n"
    cwd = suite(clients_DOT_py=slow + CLIENTS, conftest_DOT_py=SERVED, test_all_DOT_py=suite_of([["plain", "patient", "twice"]]))
    found, done = campaign(cwd, python)
    assert executions(cwd / "out")["test_all.py::test_0"] > 2, done.stdout
    assert {f["operation"] for f in found["findings"]} == {"POST /twice0"}, done.stdout
    assert {"GET /plain0", "GET /patient0"} <= {c["operation"] for c in found["clean"]}, done.stdout


def test_a_test_that_cannot_be_executed_again_loses_nothing_by_it(suite, python):
    text = ("import time\nfrom clients import *\ntime.sleep(1)\nnames = set()\n"
            "def test_once(port):\n    assert plain(port, 1) == 200 and patient(port, 2) == 200\n"
            "    assert 'a' not in names, 'this name is taken'\n    names.add('a')\n    assert twice(port, 3) == 201\n"
            "def test_other(port):\n    assert plain(port, 4) == 200\n")
    cwd = suite(clients_DOT_py=CLIENTS, conftest_DOT_py=SERVED, test_all_DOT_py=text)
    found, done = campaign(cwd, python)
    assert {f["operation"] for f in found["findings"]} == {"POST /twice3"}, done.stdout
    assert {"GET /plain1", "GET /patient2", "GET /plain4"} <= {c["operation"] for c in found["clean"]}, done.stdout
    assert found["not_judged"] == [] and found["campaign"]["cases"].get("left", 0) == 0, done.stdout
