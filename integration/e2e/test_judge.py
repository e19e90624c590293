"""The trial of one client: observe makes its runs, judge reads stored traces of observe, run and serve, all as one client."""
import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys

import pytest

from conftest import Answering, RETRIAL, retrial, serving
from test_bad_input import SERVED, TWICE

CLIENT = """
import http.client, sys, time
port, wait, times = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
def fetch(path):
    for last in [False] * (times - 1) + [True]:
        try:
            c = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            c.request("GET", path)
            if c.getresponse().status == 200: return True
        except OSError:
            pass
        if not last: time.sleep(wait)
    return False
right = True
for n in range(int(sys.argv[4]) if len(sys.argv) > 4 else 1):
    right = fetch(f"/thing/{n}") and right
    if len(sys.argv) > 4: time.sleep(0.05)
sys.exit(0 if right else 3)
"""


class Service(Answering):
    def do_GET(self):
        self.answer(b"ok")


@pytest.fixture(scope="module")
def port():
    with serving(Service) as server:
        yield server.server_port


@pytest.fixture
def client(suite):
    return suite(client_DOT_py=CLIENT)


def observe(cwd, *options, command):
    return retrial("observe", *options, "--", *command, cwd=cwd, timeout=120)


def report(folder):
    return json.loads((folder / "findings.json").read_text())


def test_a_fault_is_aimed_at_one_operation_or_one_of_its_calls(client, port, python):
    at = lambda where, out: observe(client, "--inject", "error(503)", "--at", where, "--out", out, command=[python, "client.py", port, "0", "30", "3"])
    done = at("GET /thing/1", "one")
    assert done.returncode == 3 and "30 attempt(s): 503" in done.stderr and done.stderr.count("1 attempt(s): 200") == 2, done.stderr
    assert "--at 'GET /thing/1' -- " in " ".join(done.stderr.split()), done.stderr
    done = observe(client, "--inject", "refuse-connect", "--at", "GET /thing/1", "--out", "refused", command=[python, "client.py", port, "0", "30", "3"])
    assert done.returncode == 2 and "--at: a connection is met before anything is asked on it" in done.stderr, done.stderr
    done = at("/thing/* #3", "third")
    assert done.stderr.count("1 attempt(s): 200") == 2 and done.stderr.rindex("503 503") > done.stderr.rindex("attempt(s): 200"), done.stderr
    done = at("/others/*", "none")
    assert done.returncode == 0 and "never fired" in done.stderr, done.stderr
    assert "#2" in at("#2", "wrong").stderr


PAY = """
import http.client, sys
for n in range(2):
    try:
        c = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=5)
        c.request("POST", "/payments/inv_1001", "{}", {"content-type": "application/json"})
        sys.exit(0 if c.getresponse().status == 201 else 3)
    except OSError:
        pass
sys.exit(4)
"""


class Till(Answering):
    paid, resets = False, 0

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/reset":
            Till.paid, Till.resets = False, Till.resets + 1
            return self.answer(b"")
        status, Till.paid = (409 if Till.paid else 201), True
        self.answer(b"{}", status)


def test_a_service_that_keeps_what_it_is_told_is_reset_before_each_run(suite, python):
    """The run without faults has paid already; then the answer that should be lost is an error, which is not lost."""
    project = suite(pay_DOT_py=PAY)
    with serving(Till) as till:
        pay = [python, "pay.py", str(till.server_port)]
        fault = "lost-response(reset) x 1, then pass"
        kept = observe(project, "--inject", fault, command=pay)
        assert "never fired" in kept.stderr and "--reset COMMAND" in kept.stderr, kept.stderr
        reset = f"{python} -c \"import urllib.request as u; u.urlopen('http://127.0.0.1:{till.server_port}/reset', b'')\""
        done = observe(project, "--inject", fault, "--reset", reset, "--out", "o", command=pay)
        assert "never fired" not in done.stderr and "POST /payments" in done.stderr, done.stderr
        with sqlite3.connect(project / "o" / "campaign.db") as store:
            (runs,) = store.execute("select count(*) from run").fetchone()
        assert Till.resets == runs >= 2
        assert done.stderr.count("     again ") == done.stderr.count("again   retrial observe") == " ".join(done.stderr.split()).count("--reset '"), done.stderr
        failed = observe(project, "--inject", fault, "--reset", "echo no till here; exit 5", command=pay)
        assert failed.returncode == 126 and "[service.reset]: reset `echo no till here; exit 5` ended with status 5: no till here" in failed.stderr, failed.stderr


def verdicts(folder):
    return {f["verdict"] for f in report(folder)["findings"]}


def in_a_hurry(cwd, port, out, *options):
    """A client that sends again at once: four attempts, and status 3."""
    return observe(cwd, "--inject", "error(503)", "--out", out, *options, command=[sys.executable, "client.py", port, 0, 4])


def test_observe_runs_the_command_as_often_as_it_takes_judges_it_and_exits_as_it_does(client, port):
    done = in_a_hurry(client, port, "o")
    assert done.returncode == 3, done
    assert "missing-delay" in verdicts(client / "o"), done.stderr
    runs = sqlite3.connect(client / "o/campaign.db").execute("SELECT kind FROM run ORDER BY id").fetchall()
    assert runs[0] == ("reference",) and 1 <= len(runs[1:]) <= 8 and set(runs[1:]) == {("with-fault",)}, runs
    for name in ("report.html", "junit.xml", "findings.sarif"):
        assert (client / "o" / name).stat().st_size, name
    finding = report(client / "o")["findings"][0]
    assert finding["advice"] and finding["more"] == f"retrial explain {finding['verdict']}"
    assert "retrial observe --inject 'error(503)' --" in done.stderr


def test_repeat_says_how_often_and_a_profile_how_errors_look(client, port):
    (client / "show.py").write_text("import http.client, sys\nc = http.client.HTTPConnection('127.0.0.1', int(sys.argv[1]))\n"
                                    "c.request('GET', '/q/messages')\nprint(c.getresponse().read())\n")
    done = observe(client, "--inject", "error(503)", "--out", "o", "--repeat", 5, "--profile", "azure-storage",
                   command=[sys.executable, "show.py", port])
    assert sqlite3.connect(client / "o/campaign.db").execute("SELECT count(*) FROM run WHERE kind = 'with-fault'").fetchone() == (5,), done.stderr
    assert done.stdout.count("<Code>ServerBusy</Code>") == 5, done.stdout
    wrong = observe(client, "--profile", "azure-storge", command=["true"])
    assert wrong.returncode == 2 and "did you mean azure-storage?" in wrong.stderr, wrong


def test_without_faults_a_command_is_run_once_and_nothing_is_judged(client, port):
    done = observe(client, "--out", "o", command=[sys.executable, "client.py", port, 0, 1])
    assert done.returncode == 0 and "no fault was injected, so nothing was judged" in done.stderr, done
    assert report(client / "o")["findings"] == report(client / "o")["clean"] == []


def test_what_is_right_is_said_with_its_numbers(client, port):
    done = observe(client, "--inject", "error(503) x 1, then pass", "--repeat", 2, "--out", "o",
                   command=[sys.executable, "client.py", port, 0.3, 3])
    assert done.returncode == 0, done
    clean = report(client / "o")["clean"]
    assert len(clean) == 1 and clean[0]["seen"].startswith("2 calls in 2 runs, 2 attempts each, 3"), (clean, done.stderr)


def test_folders_are_judged_together_as_one_client_and_the_exit_status_says_what_was_found(client, port):
    in_a_hurry(client, port, "a")
    observe(client, "--inject", "stall", "--hold", "2s", "--repeat", 1, "--out", "b", command=[sys.executable, "client.py", port, 0.3, 1])
    observe(client, "--out", "c", command=[sys.executable, "client.py", port, 0, 1])
    done = retrial("judge", "a", "b", "c", "--out", "j", "--fail-on", "possible", cwd=client)
    assert done.returncode == 1, done
    found = report(client / "j")
    assert "missing-delay" in verdicts(client / "j"), done.stdout
    assert found["campaign"]["cases"].get("run", 0) >= 1
    assert any(line.endswith(": c") for line in found["campaign"]["remarks"]), found["campaign"]
    nothing = retrial("judge", "c", cwd=client)
    assert nothing.returncode == 3 and "Nothing could be judged" in nothing.stdout, nothing
    assert retrial("judge", "a", "b", "--fail-on", "possible", cwd=client).returncode == done.returncode
    assert list((client / ".retrial").glob("judge-*/findings.json")), "where nothing is said, beside the campaigns"


def test_since_fails_on_new_findings_only_and_accept_keeps_a_known_one_out_of_the_exit_status(client, port):
    in_a_hurry(client, port, "a")
    judge = lambda *options: retrial("judge", "a", "--fail-on", "possible", *options, cwd=client)
    assert judge().returncode == 1
    earlier = client / "earlier.json"
    earlier.write_text((client / "a/findings.json").read_text())
    ids = [f["id"] for f in json.loads(earlier.read_text())["findings"]]
    done = judge("--since", earlier)
    assert done.returncode == 0 and f"{len(ids)} of {len(ids)} findings are known" in done.stdout, done
    assert all(f["known"] for f in report(client / "a")["findings"])
    earlier.write_text('{"version": 1, "findings": []}')
    assert judge("--since", earlier).returncode == 1
    (client / "retrial.toml").write_text("".join(f'[[accept]]\nfinding = "{i}"\n' for i in [*ids, "00000000"]))
    done = judge()
    assert done.returncode == 0 and "[[accept]] 00000000 matched no finding" in done.stdout, done
    assert all(f["accepted"] for f in report(client / "a")["findings"])
    wrong = retrial("judge", "a", "--since", "client.py", cwd=client)
    assert wrong.returncode == 2 and "findings.json" in wrong.stderr, wrong


def test_a_campaign_is_judged_again_with_its_own_references_and_since_holds_for_run_too(suite, python):
    cwd = suite(app_DOT_py=TWICE, conftest_DOT_py=SERVED.replace("from app import fetch\n", ""),
                test_app_DOT_py="from app import pay\ndef test_pay(port):\n    assert pay(port) == 201\n")
    command = ["--policies", "p1", "--", python, "-m", "pytest", "-q"]
    done = retrial("run", "--out", "r", *command, cwd=cwd)
    assert done.returncode == 1, done
    earlier = cwd / "earlier.json"
    earlier.write_text((cwd / "r/findings.json").read_text())
    found = report(cwd / "r")["findings"]
    done = retrial("judge", "r", "--out", "j", cwd=cwd)
    assert done.returncode == 1 and {f["id"] for f in report(cwd / "j")["findings"]} & {f["id"] for f in found}, done
    assert all(f["reference"] for f in report(cwd / "j")["findings"])
    again = retrial("run", "--out", "again", "--since", earlier, *command, cwd=cwd)
    assert again.returncode == 0 and all(f["known"] for f in report(cwd / "again")["findings"]), again


def served(cwd, port, end, faults, *arguments):
    """A client's requests through `serve`, which is ended by that signal."""
    with open(cwd / "serve.log", "w") as log:
        serve = subprocess.Popen([RETRIAL, "serve", "--reverse", f"127.0.0.1:0=http://127.0.0.1:{port}", "--inject", faults,
                                  "--record", "s"], cwd=cwd, stderr=log, stdin=subprocess.DEVNULL)
    try:
        at = None
        while at is None:
            assert serve.poll() is None, (cwd / "serve.log").read_text()
            at = next((line.split("listening on ")[1].split()[0] for line in (cwd / "serve.log").read_text().splitlines() if "listening on" in line), None)
        done = subprocess.run([sys.executable, "client.py", at.rsplit(":", 1)[1], *map(str, arguments)], cwd=cwd, timeout=60)
    finally:
        serve.send_signal(end)
        serve.wait(timeout=30)
    return done.returncode


def test_what_serve_recorded_is_judged_and_its_store_built(client, port):
    assert served(client, port, signal.SIGTERM, "error(503) x 4, then pass", 0, 5, 8) == 0
    done = retrial("judge", "s", "--fail-on", "possible", cwd=client)
    assert done.returncode == 1 and "missing-delay" in verdicts(client / "s"), done
    attempts = sqlite3.connect(client / "s/campaign.db").execute("SELECT attempt FROM exchange ORDER BY begun").fetchall()
    assert attempts == [(n,) for n in range(1, 6)] * 8, "which attempt it was is found afterwards"


def test_a_trace_cut_short_of_another_version_or_of_nobody_makes_no_verdict(client, port):
    served(client, port, signal.SIGKILL, "error(503)", 0, 4)
    done = retrial("judge", "s", cwd=client)
    assert done.returncode == 3 and "the trace stops before `serve` has ended" in done.stdout, done
    assert "No retry bug" not in done.stdout and "still going on where the trace stops" in done.stdout, done
    assert not verdicts(client / "s")
    segment = next((client / "s").glob("*.seg"))
    data = bytearray(segment.read_bytes())
    data[8] = 99
    segment.write_bytes(data)
    done = retrial("judge", "s", cwd=client)
    assert done.returncode == 3 and "another version of Retrial" in done.stdout, done
    (client / "empty").mkdir()
    in_a_hurry(client, port, "o")
    done = retrial("judge", "o", "empty", "s", "--fail-on", "possible", cwd=client)
    assert done.returncode == 1 and "empty: holds no trace of ours" in done.stdout and "another version" in done.stdout, done
    missing = retrial("judge", "no-such", cwd=client)
    assert missing.returncode == 2 and "no-such" in missing.stderr, missing


def test_a_fault_that_never_fires_is_not_judged(client, port):
    done = observe(client, "--inject", "error(503)", "--out", "o", "--no-reference", command=["true"])
    assert done.returncode == 0, done
    found = report(client / "o")
    assert not found["findings"] and "never fired" in found["not_judged"][0]["why"], found
    assert sqlite3.connect(client / "o/campaign.db").execute("SELECT count(*) FROM run").fetchone() == (1,)


ENDED_BY = {
    "py": """
import json, sys, urllib.error, urllib.request
try: body = urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/thing/1").read()
except urllib.error.HTTPError as error: body = error.read()
if sys.argv[2] == "asserted": assert b"ok" in body
if sys.argv[2] == "named" and b"ok" not in body: raise RuntimeError("the shop is down")
print(json.loads(body)["name"] if b"ok" not in body else body)
""",
    "mjs": """
const answer = await fetch(`http://127.0.0.1:${process.argv[2]}/thing/1`);
if (process.argv[3] === 'named' && !answer.ok) throw new Error(`the shop answered ${answer.status}`);
if (process.argv[3] === 'asserted') (await import('node:assert')).ok(answer.ok);
const text = await answer.text();
console.log(text === 'ok' ? text : JSON.parse(text).name.length);
""",
}


@pytest.mark.parametrize("language", ENDED_BY)
def test_an_exception_that_ends_a_command_is_read_as_a_tests_is(language, suite, port):
    project = suite(**{"script_DOT_" + language: ENDED_BY[language]})
    run = [sys.executable if language == "py" else "node", "script." + language, str(port)]
    for how, said in ("missing", {"unrelated-exception"}), ("named", set()), ("asserted", set()):
        observe(project, "--inject", "error(503)", "--out", how, command=[*run, how])
        assert verdicts(project / how) == said and not report(project / how)["not_judged"]
    observe(project, "--inject", "error(404)", "--out", "gone", command=[*run, "missing"])
    assert [f["confidence"] for f in report(project / "gone")["findings"]] == ["possible"]


def test_a_client_that_never_ends_is_ended(suite, port):
    cwd = suite(client_DOT_py=CLIENT.replace("[False] * (times - 1) + [True]", "iter(lambda: False, True)"))
    done = observe(cwd, "--inject", "error(503)", "--repeat", 1, "--out", "o", command=[sys.executable, "client.py", port, 0, 0])
    assert done.returncode == 128 + signal.SIGKILL, done
    assert sqlite3.connect(cwd / "o/campaign.db").execute("SELECT stop FROM run").fetchall() == [("exited",), ("capped",)]
    assert len(done.stderr.splitlines()) < 60, "and tells what it saw in a few lines"


HOURLY = """
import http.client, sys, time
while True:
    c = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=5)
    c.request("GET", "/beat")
    if c.getresponse().status == 200 and len(sys.argv) > 2: break
    time.sleep(3600)
"""


def test_a_job_an_hour_for_ever_is_no_retry_and_one_that_ends_with_its_success_is(suite, port):
    cwd = suite(client_DOT_py=HOURLY)
    done = observe(cwd, "--inject", "error(503)", "--out", "job", command=[sys.executable, "client.py", port])
    assert done.returncode == 128 + signal.SIGKILL and not verdicts(cwd / "job"), done.stderr
    assert any("did not end by itself" in line for line in report(cwd / "job")["campaign"]["remarks"])
    observe(cwd, "--inject", "error(503)", "--out", "retry", command=[sys.executable, "client.py", port, "until-done"])
    assert verdicts(cwd / "retry") == {"missing-cap", "no-backoff"}


MANY = """
import http.client, os, sys, threading
ports, calls = list(map(int, sys.argv[1].split(","))), int(sys.argv[2])
def talk(port):
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    for n in range(calls):
        c.request("GET", f"/item/{n}"); c.getresponse().read()
child = os.fork() if len(ports) > 1 else None
threads = [threading.Thread(target=talk, args=(port,)) for port in ports]
for t in threads: t.start()
for t in threads: t.join()
if child: os.waitpid(child, 0)
"""


def test_a_client_of_many_services_that_forks_is_read_as_it_is(suite, port):
    cwd = suite(client_DOT_py=MANY)
    with contextlib.ExitStack() as services:
        ports = ",".join(str(services.enter_context(serving(Service)).server_port) for _ in range(5))
        done = observe(cwd, "--inject", "error(503)", "--repeat", 1, "--out", "o", command=[sys.executable, "client.py", ports, 3])
    assert done.returncode == 0, done
    found = report(cwd / "o")
    assert not found["findings"], found["findings"]
    assert sum(s["exchanges"] for s in found["campaign"]["services"]) == 2 * 30, found["campaign"]["services"]


def test_of_a_client_that_sends_very_many_requests_the_first_are_judged_and_the_rest_counted(suite, port):
    cwd = suite(client_DOT_py=MANY)
    done = observe(cwd, "--inject", "error(503)", "--repeat", 1, "--out", "o", command=[sys.executable, "client.py", port, 6000])
    assert done.returncode == 0, done
    remarks = report(cwd / "o")["campaign"]["remarks"]
    assert any("300 of 6000 calls like it were judged" in line for line in remarks), remarks
    assert sqlite3.connect(cwd / "o/campaign.db").execute("SELECT count(*) FROM exchange WHERE run = 2").fetchone() == (6000,)
    assert retrial("judge", "o", cwd=cwd).returncode == 0


# It never gives up, never waits, and counts.
ENDLESS = """
import sys, urllib.error, urllib.request
for n in range(1_000_000):
    try:
        urllib.request.urlopen(f"http://127.0.0.1:{sys.argv[1]}/thing", timeout=5).read()
    except urllib.error.HTTPError:
        open("count", "w").write(str(n))
"""


@pytest.mark.parametrize("ended_by", [signal.SIGTERM, signal.SIGINT])
def test_who_is_ended_in_the_first_run_says_what_it_has_seen(client, port, ended_by):
    (client / "endless.py").write_text(ENDLESS)
    observe = subprocess.Popen([RETRIAL, "observe", "--real-time", "--no-reference", "--inject", "error(503)", "--out", "o", "--",
                                sys.executable, "endless.py", str(port)], cwd=client, stderr=subprocess.PIPE, text=True,
                               start_new_session=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    count = client / "count"
    while not count.exists() or int(count.read_text() or 0) < 20:
        assert observe.poll() is None
    observe.send_signal(ended_by)
    said = observe.communicate(timeout=60)[1]
    assert observe.returncode == 130 and "what it did until then is judged" in said, said
    assert "missing-delay" in verdicts(client / "o"), said
