"""Runs campaigns on the samples as a user would, and reads what they leave behind."""
import contextlib
import ctypes
import errno
import http.server
import json
import os
import pathlib
import resource
import shutil
import struct
import subprocess
import threading

import pytest

from _pytest.runner import runtestprotocol

ROOT = pathlib.Path(__file__).resolve().parents[2]
RETRIAL = os.environ.get("RETRIAL", str(ROOT / "build/release/retrial"))
APPS = ROOT / "integration/apps"
PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, PIDFD_GETFD, SECCOMP = 38, 22, 438, 317


tried_twice, MOST_TRIED_TWICE = [], 5
cost = {}  # seconds of CPU of what a test started and waited for
SHOWN_COSTS = 40


def cpu_of_children():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def pytest_runtest_protocol(item, nextitem):
    """A test that fails is tried once more with everything set up anew, and named at the end: what passes then failed by
    the machine's load, which is a flaw of the test's and no reason to refuse a change."""
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    before = cpu_of_children()
    reports = runtestprotocol(item, nextitem=nextitem, log=False)
    if any(r.failed for r in reports) and len(tried_twice) < MOST_TRIED_TWICE:
        item.session._setupstate.teardown_exact(None)
        item._initrequest()
        first, reports = reports, runtestprotocol(item, nextitem=nextitem, log=False)
        tried_twice.append((item.nodeid, "\n".join(r.longreprtext for r in first if r.failed)))
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    cost[item.nodeid] = cpu_of_children() - before
    return True


def pytest_terminal_summary(terminalreporter):
    for test, why in tried_twice:
        terminalreporter.section(f"tried twice: {test}")
        terminalreporter.write_line(why[-4000:])
    terminalreporter.section(f"seconds of CPU, {sum(cost.values()):.0f} in all")
    for test, seconds in sorted(cost.items(), key=lambda c: -c[1])[:SHOWN_COSTS]:
        terminalreporter.write_line(f"{seconds:6.1f} {test}")


class Campaign:
    """A finished `retrial run`: its status, output and findings.json."""

    def __init__(self, process, folder, cwd):
        self.status, self.out, self.err = process.returncode, process.stdout, process.stderr
        self.folder, self.cwd = folder, cwd
        file = folder / "findings.json"
        self.report = json.loads(file.read_text()) if file.exists() else {}

    def findings(self, verdict=None):
        return [f for f in self.report.get("findings", []) if verdict in (None, f["verdict"])]

    def at(self, place, fault=""):
        """The verdicts of the findings at this place ("src/jobs.mjs:17") under faults that begin so, by confidence."""
        return {f["verdict"]: f["confidence"] for f in self.findings() if site(f) == place and f["fault"].startswith(fault)}

    def explain(self):
        return f"status {self.status}\n{self.out[-6000:]}\n{self.err[-2000:]}"


def to_replay(findings):
    """Those of three verdicts; RETRIAL_E2E_FULL=1: each."""
    if os.environ.get("RETRIAL_E2E_FULL"):
        return findings
    return list({f["verdict"]: f for f in findings}.values())[:3]


def site(entry):
    s = entry["call_site"]
    return f"{s['file']}:{s['line']}" if s else None


class Answering(http.server.BaseHTTPRequestHandler):
    """What services of the tests have in common. Head and body leave together: apart, the second waits for an ACK."""
    protocol_version, wbufsize = "HTTP/1.1", -1

    def answer(self, body, status=200, headers=()):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serving(handler):
    """A service on a port of its own, with a thread for each connection."""
    class Server(http.server.ThreadingHTTPServer):
        daemon_threads, request_queue_size = True, 128

    server = Server(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def like_docker():
    """Docker's default seccomp profile refuses pidfd_getfd with EPERM."""
    refuse(PIDFD_GETFD)


def refuse(call):
    """Refuses a system call with EPERM from here on. Between fork and exec."""
    allow, eperm, load, equals = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x20, 0x15
    program = [(load, 0, 0, 0), (equals, 0, 1, call), (0x06, 0, 0, eperm), (0x06, 0, 0, allow)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in program))
    filter = struct.pack("HxxxxxxQ", len(program), ctypes.addressof(code))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, 2, filter, 0, 0):
        os._exit(125)


def retrial(*args, cwd, env=None, timeout=400, before=None):
    return subprocess.run([RETRIAL, *map(str, args)], cwd=cwd, env={**os.environ, **(env or {})}, timeout=timeout, preexec_fn=before,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    """run(app, *options, command=[...]) -> Campaign."""

    def go(app, *options, command, before=None):
        cwd, folder = APPS / app, tmp_path_factory.mktemp("campaign")
        return Campaign(retrial("run", "--out", folder, *options, "--", *command, cwd=cwd, before=before), folder, cwd)

    return go


@pytest.fixture
def suite(tmp_path):
    """Writes a small project, and gives its folder."""

    def write(**files):
        for name, text in files.items():
            path = tmp_path / name.replace("__", "/").replace("_DOT_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return write


@pytest.fixture(scope="session")
def python():
    return str(APPS / "order-sync/.venv/bin/python")


@pytest.fixture(scope="session")
def node():
    return shutil.which("node")
