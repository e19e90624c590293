"""kill -9 at any moment of run, observe, serve and judge: what was committed is judged, the rest is said, nothing is cleared
that was not judged, and no time is negative. RETRIAL_KILLS says how often in all (./dev kill), at random moments that
RETRIAL_SEED repeats; without it a few times, spread evenly."""
import collections
import http.client
import http.server
import os
import random
import re
import sqlite3
import subprocess
import threading
import time

import pytest

from conftest import RETRIAL, retrial
from test_judge import Service

KILLS = int(os.environ.get("RETRIAL_KILLS", 0))
SEED = os.environ.get("RETRIAL_SEED") or str(random.randrange(2**32))

# A right client: it waits, goes on for three attempts, and notes every answer that it was given.
CLIENT = """
import http.client, http.server, pathlib, threading, time, unittest
class Service(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.send_header("Content-Length", "0"); self.end_headers()
    def log_message(self, *a): pass
def fetch(port):
    for attempt in range(3):
        c = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        c.request("GET", "/thing/1")
        status = c.getresponse().status
        with open("answers", "a") as answers: answers.write(f"{status}\\n")
        if status < 500: return status
        time.sleep(0.2 * 2 ** attempt)
    raise RuntimeError("it is down")
def served(call):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for _ in range(3): call(server.server_address[1])
    server.shutdown()
class Fetch(unittest.TestCase):
    def test_one(self): served(fetch)
    def test_two(self): served(fetch)
if __name__ == "__main__": served(fetch)
"""


def moments(name, fewest):
    """Where in a command's time it is killed, as fractions of it."""
    if not KILLS:
        return [(n + 0.5) / fewest for n in range(fewest)]
    draw = random.Random(f"{SEED} {name}")
    return [draw.random() for _ in range((KILLS + 2) // 3)]


def killed_after(seconds, command, cwd):
    """False: it had ended by then."""
    process = subprocess.Popen([RETRIAL, *map(str, command)], cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    try:
        process.wait(timeout=seconds)
        return False
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return True


@pytest.fixture
def tally(capsys, request):
    """Counts what became of the kills, and prints it where they were asked for."""
    counts = collections.Counter()
    yield counts
    if KILLS:
        with capsys.disabled():
            print(f"\n{request.node.name}: {', '.join(f'{n} {what}' for what, n in counts.items())} (RETRIAL_SEED={SEED})")


def took(command, cwd):
    began = time.monotonic()
    retrial(*command, cwd=cwd)
    return time.monotonic() - began


def said(verb, folder, cwd):
    """The exit status, and what was told."""
    done = retrial(verb, folder, cwd=cwd)
    assert done.returncode in (0, 1, 2, 3, 4), done
    assert not re.search(r"(?<![\w.-])-\d", done.stdout), done.stdout
    return done.returncode, done.stdout + done.stderr


def recorded(folder):
    return sqlite3.connect(folder / "campaign.db").execute("select count(*) from exchange").fetchone()[0]


@pytest.mark.parametrize("name, command, fewest", [
    ("run", ["run", "--policies", "k1", "--", "-m", "unittest", "app"], 5),
    ("observe", ["observe", "--inject", "error(503) x 1, then pass", "--repeat", "3", "--", "app.py"], 4)],
    ids=["run", "observe"])
def test_a_command_is_never_cleared_by_what_is_left_of_it(suite, python, tally, name, command, fewest):
    cwd = suite(app_DOT_py=CLIENT)
    at = command.index("--") + 1
    command = [*command[:at], python, *command[at:]]
    whole, answers, latest = took(command, cwd), cwd / "answers", cwd / ".retrial/latest"
    for moment in moments(name, fewest):
        answers.write_text("")
        before = latest.resolve()
        killed = killed_after(moment * whole, command, cwd)
        context = f"{name} after {moment} of {whole:.1f} s, seed {SEED}"
        assert latest.is_dir(), context
        if latest.resolve() == before or not killed:
            tally["before it had a folder" if killed else "after its end"] += 1
            continue
        given = len(answers.read_text().splitlines())
        status, text = said("judge", ".retrial/latest", cwd)
        if (latest / "campaign.db").exists() and (latest / "report.html").exists():
            tally["when all was written"] += 1
            continue
        assert status in (3, 4) and "No retry bug was found" not in text, f"{context}: {status}\n{text}"
        status, text = said("report", ".retrial/latest", cwd)
        assert status == 4 and "ncomplete" in text, f"{context}: {status}\n{text}"
        assert recorded(latest) >= given, context
        tally["cut short"] += 1


@pytest.fixture
def service():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


def ask(port, answers, over):
    """A right client, until its proxy is gone."""
    while not over.is_set():
        try:
            client = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            while not over.is_set():
                client.request("GET", "/thing/1")
                answer = client.getresponse()
                answer.read()
                answers.append(answer.status)
                if answer.status >= 500:
                    time.sleep(0.01)
        except (OSError, http.client.HTTPException):
            return


def test_what_a_proxy_recorded_is_judged_whenever_it_was_killed(tmp_path, service, tally):
    folder, given, fewest = tmp_path / "trace", 0, 4
    for n, moment in enumerate(moments("serve", fewest)):
        if n % 10 == 0:
            folder, given = tmp_path / f"trace{n}", 0  # else beside what was killed before
        process = subprocess.Popen([RETRIAL, "serve", "--reverse", f"127.0.0.1:0=http://127.0.0.1:{service}", "--record", folder,
                                    "--inject", "50% of error(503)"], cwd=tmp_path, stdin=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        answers, over, clients = [], threading.Event(), []
        for line in process.stderr:
            if "listening on " not in line:
                continue
            port = int(line.split("listening on ")[1].split()[0].rsplit(":", 1)[1])
            clients = [threading.Thread(target=ask, args=(port, answers, over)) for _ in range(3)]
            for client in clients:
                client.start()
            break
        over.wait(moment)
        process.kill()
        process.communicate()
        over.set()
        for client in clients:
            client.join()
        given += len(answers)
        context = f"{moment} s, seed {SEED}"
        cut = killed_after(moment / 10, ["judge", folder], tmp_path)  # leaves nothing that the next one stumbles over
        status, text = said("judge", folder, tmp_path)
        assert recorded(folder) >= given, context
        assert "the trace stops before" in " ".join(text.split()), f"{context}\n{text}"
        assert status in (0, 3), f"{context}: {status}\n{text}"
        if status == 0:
            assert "Judged, nothing found" in text, f"{context}\n{text}"
        tally["cut short"] += 1
        tally["answers"] += len(answers)
        tally["judges cut short too"] += cut


def test_a_store_that_is_cut_short_is_made_again_from_the_trace(suite, python):
    cwd = suite(app_DOT_py=CLIENT)
    retrial("observe", "--inject", "error(503) x 1, then pass", "--", python, "app.py", cwd=cwd)
    store = cwd / ".retrial/latest/campaign.db"
    whole = recorded(store.parent)
    with open(store, "r+b") as file:
        file.truncate(store.stat().st_size // 2)
    status, text = said("judge", ".retrial/latest", cwd)
    assert status == 4 and "the file is damaged" in " ".join(text.split()), text
    status, text = said("report", ".retrial/latest", cwd)
    assert status == 4 and recorded(store.parent) == whole, text


def test_a_latest_that_leads_nowhere_is_said(suite, python):
    cwd = suite(app_DOT_py=CLIENT)
    (cwd / ".retrial").mkdir()
    (cwd / ".retrial/latest").symlink_to("20200101-000000")
    for verb in ("judge", "report"):
        status, text = said(verb, ".retrial/latest", cwd)
        assert status == 2 and "names 20200101-000000, which is not there any more" in text, text


def test_a_latest_that_leads_nowhere_ends_no_runner(suite, node):
    """Node's runner does at such a link: it looks for tests in every folder."""
    cwd = suite(it_DOT_test_DOT_mjs="import test from 'node:test';\ntest('it', () => fetch('http://127.0.0.1:9').catch(() => {}));\n")
    (cwd / ".retrial").mkdir()
    (cwd / ".retrial/latest").symlink_to("20200101-000000")
    done = retrial("doctor", "--", node, "--test", cwd=cwd)
    assert "node:test" in done.stdout and "Could not find" not in done.stdout + done.stderr, done.stdout + done.stderr
