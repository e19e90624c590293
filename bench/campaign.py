#!/usr/bin/env python3
"""What a campaign costs: all of c0, on the samples and on a made suite of many tests, beside one run of the suite without faults
(the quickest of the campaign's own references: a sample's services are started by it). It is for the eye: nothing passes or fails.
"""
import argparse, json, os, shutil, sqlite3, sys, tempfile, time
from pathlib import Path

import upstream

ROOT = Path(__file__).resolve().parents[1]
ROW = "{:<22}{:>7}{:>9}{:>11}{:>8}{:>8}{:>7}{:>7}{:>10}{:>10}"
PYTHON = str(ROOT / "integration/apps/order-sync/.venv/bin/python")
SAMPLES = {
    "order-sync": ["integration/apps/order-sync", PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
    "queue-worker": ["integration/apps/queue-worker", "node", "--test"],
    "etcd-inventory": ["integration/apps/etcd-inventory", str(ROOT / "integration/apps/etcd-inventory/.venv/bin/python"), "-m", "pytest", "-q",
                       "-p", "no:cacheprovider"],
}
CONFTEST = """
import http.server, threading, pytest
class Service(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.send_response(200); self.send_header("Content-Length", "2"); self.end_headers(); self.wfile.write(b"{}")
    def log_message(self, *_): pass
@pytest.fixture(scope="session")
def port():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
"""
CLIENT = """
import http.client, random, time
def ask(port, path):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        answer.read()
    finally:
        connection.close()
    if answer.status >= 500: raise ConnectionError(f"HTTP {answer.status}")
"""
TESTS_OF_FILE = 50
SITE = """
def call{n}(port):
    for attempt in range(4):
        try: return ask(port, "/thing{n}")
        except OSError:
            if attempt == 3: raise
            time.sleep(0.2 * 2 ** attempt * random.uniform(0.5, 1.5))
"""


def wide(folder, tests, sites, seconds):
    """Right clients, each test with three of the call sites."""
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "client.py").write_text(CLIENT + "".join(SITE.format(n=n) for n in range(sites)))
    for first in range(0, tests, TESTS_OF_FILE):
        lines = ["import time", "from client import *"]
        for n in range(first, min(first + TESTS_OF_FILE, tests)):
            lines += [f"def test_{n}(port):", f"    time.sleep({seconds / tests})"]
            lines += [f"    call{(3 * n + k) % sites}(port)" for k in range(3)]
        (folder / f"test_wide{first}.py").write_text("\n".join(lines) + "\n")
    return [str(folder), PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider"]


def timed(argv, cwd):
    """Wall seconds, and peak MiB of the process and what it waited for."""
    began = time.monotonic()
    pid = os.fork()
    if pid == 0:
        os.chdir(cwd)
        quiet = os.open(os.devnull, os.O_RDWR)
        for fd in (0, 1, 2):
            os.dup2(quiet, fd)
        try:
            os.execvp(argv[0], argv)
        finally:
            os._exit(127)
    _, status, used = os.wait4(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code not in (0, 1):
        sys.exit(f"bench: {' '.join(argv)} ended with {code} in {cwd}")
    return time.monotonic() - began, used.ru_maxrss / 1024


def measure(name, retrial, cwd, *command, coverage="c0", alone=()):
    cwd = ROOT / cwd
    with tempfile.TemporaryDirectory(prefix="retrial-bench-") as out:
        took, peak = timed([*alone, str(retrial), "run", "--coverage", coverage, "--out", out, "--", *command], cwd)
        said = json.loads((Path(out) / "findings.json").read_text())
        runs = len(list((Path(out) / "logs").glob("[0-9]*.log")))
        store = sqlite3.connect(Path(out) / "campaign.db")
        plain = store.execute("select min(ended - began) / 1e9 from run where kind = 'reference'").fetchone()[0]
    cases = said["campaign"]["cases"]
    print(ROW.format(name, f"{plain:.1f} s", f"{took:.1f} s", f"{took / plain:.1f}", sum(cases.values()), cases.get("run", 0), cases.get("left", 0),
                     runs, len(said["findings"]), f"{peak:.0f} MiB"), flush=True)


def run(args):
    print(ROW.format("suite", "once", "campaign", "ratio", "cases", "run", "left", "runs", "findings", "peak"))
    retrial = args.build.resolve() / "retrial"
    for name, (cwd, *command) in SAMPLES.items():
        if Path(command[0]).exists() or shutil.which(command[0]):
            measure(name, retrial, cwd, *command)
        else:
            print(f"{name}: not set up ({cwd}/setup.sh)")
    for tests, sites, seconds in ((30, 10, 6),) if args.quick else ((300, 40, 60), (5000, 500, 5)):
        with tempfile.TemporaryDirectory(prefix="retrial-bench-") as folder:
            measure(f"{tests} tests, {sites} sites", retrial, *wide(Path(folder), tests, sites, seconds))
    for name in upstream.SUITES if getattr(args, "upstream", False) else ():
        cwd, command = upstream.prepared(name, ROOT / "build/bench/upstream")
        alone = [str(ROOT / "integration/alone.sh"), "env", f"PATH={Path(command[0]).parent}:{os.environ['PATH']}", "PYTHON_CALDAV_TEST_DOCKER=0"]
        for coverage in ("c0", "c4"):
            measure(f"{name}, {coverage}", retrial, cwd, *command, coverage=coverage, alone=alone)
    return 0


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", type=Path, default=ROOT / "build/release", help="where retrial is")
    options.add_argument("--quick", action="store_true", help="a smaller made suite")
    options.add_argument("--upstream", action="store_true", help="suites that we did not write, too: an hour and a half")
    sys.exit(run(options.parse_args()))
