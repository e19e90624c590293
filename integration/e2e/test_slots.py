"""Services that keep one port over all runs: side by side each run has them to itself."""
import random
import socket
import sys

import pytest

from conftest import Campaign, retrial

# Counts what was put into it, in memory, and in a file of the folder that it is given.
STORE = """
import http.server, os, pathlib, socketserver, sys, threading

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self):
        os._exit(3)
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        before = self.server.count
        self.server.count += 1
        if self.server.file: self.server.file.write_text(str(self.server.count))
        self.answer(str(before).encode())
    def log_message(self, *args): pass

class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads, request_queue_size = True, 64

def serve(port, folder=None):
    server = Server(("127.0.0.1", port), Handler)
    server.file = folder and pathlib.Path(folder, "count")
    server.count = int(server.file.read_text()) if server.file else 0
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server

if __name__ == "__main__":
    serve(int(sys.argv[1]), *sys.argv[2:])
    print("ready", flush=True)
    threading.Event().wait()
"""
CONFTEST = """
import pytest, store

@pytest.fixture(scope="session", autouse=True)
def service():
    one = store.serve({mine})
    yield
    one.shutdown(); one.server_close()
"""
CLIENT = """
import requests

def put(url):
    for attempt in range(9):
        try:
            return requests.post(url, data=b"order", timeout=5).text
        except requests.ConnectionError:
            pass
    raise RuntimeError("it is down")
"""
TESTS = """
import client, requests

def test_puts_one():
    assert client.put("http://127.0.0.1:{kept}/orders") in ("7", "8")  # 8: it was sent again

def test_puts_another():
    assert client.put("http://127.0.0.1:{mine}/invoices") in ("0", "1")
"""
SERVICE = """
[service.store]
address = "127.0.0.1:{kept}"
start   = "{python} store.py {kept} folder"
ready   = "log:^ready"
data    = "folder"
"""


@pytest.fixture
def project(suite, tmp_path, python):
    """A suite with a service of Retrial's and one of its own, at ports that stay."""
    ports = {"{kept}": free_port(), "{mine}": free_port()}

    def go(verb, *options, more="", out="out", service=SERVICE):
        files = {"store_DOT_py": STORE, "client_DOT_py": CLIENT, "test_store_DOT_py": TESTS + more, "conftest_DOT_py": CONFTEST,
                 "retrial_DOT_toml": service, "folder__count": "7"}
        for word, meaning in {**ports, "{python}": sys.executable}.items():
            files = {name: text.replace(word, str(meaning)) for name, text in files.items()}
        cwd, folder = suite(**files), tmp_path / out
        command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        done = retrial(verb, "--out", folder, "--policies", "p1", "--coverage", "c0", *options, "--", *command, cwd=cwd)
        return Campaign(done, folder, cwd)

    go.ports = ports.values()
    return go


def free_port():
    """Below those that the kernel gives: it counts as one that stays."""
    while True:
        with socket.socket() as s:
            port = random.randrange(20000, 30000)
            if s.connect_ex(("127.0.0.1", port)):
                return port


def test_services_that_keep_their_ports_are_each_runs_own(project):
    alone, beside = (project("run", "--workers", workers, out=str(workers)) for workers in (1, 4))
    for campaign in alone, beside:
        assert campaign.status == 1 and not campaign.report["campaign"].get("incomplete"), campaign.explain()
        assert (campaign.cwd / "folder/count").read_text() == "7" and not (campaign.folder / "data").exists()
    assert not [r for r in beside.report["campaign"]["remarks"] if "workers = 1" in r], beside.explain()
    assert len(alone.findings("duplicate-effect")) == 2, alone.explain()
    assert {(f["id"], f["confidence"]) for f in alone.findings()} == {(f["id"], f["confidence"]) for f in beside.findings()}, beside.explain()
    for port in project.ports:
        with socket.socket() as s:
            assert s.connect_ex(("127.0.0.1", port)), "a service was left behind"


def test_a_service_that_is_there_for_all_keeps_runs_one_after_another(project):
    with socket.create_server(("127.0.0.1", 0)) as stranger:
        at = stranger.getsockname()[1]
        asks = f"\ndef test_asks():\n    import socket\n    socket.create_connection(('127.0.0.1', {at})).close()\n"
        plan = project("plan", "--workers", 4, more=asks)
    assert f"127.0.0.1:{at} answers also while no test runs" in " ".join(plan.out.split()), plan.explain()


def test_a_service_that_dies_in_the_middle_is_told(project):
    dies = """
def test_kills_it():
    import pytest
    with pytest.raises(requests.ConnectionError):
        requests.get("http://127.0.0.1:{kept}/die", timeout=5)
"""
    plan = project("plan", "--workers", 1, more=dies)
    assert plan.status == 4 and "[service.store] ended with status 3 during a run" in plan.err, plan.explain()


def test_a_service_that_no_longer_starts_ends_the_campaign_with_what_is_known(project, tmp_path):
    starts = tmp_path / "starts"
    counted = f"echo x >> {starts}; test $(wc -l < {starts}) -le 5 && exec "
    run = project("run", "--workers", 1, service=SERVICE.replace('"{python}', f'"{counted}{{python}}') + 'reset   = "restart"\n')
    assert run.status in (1, 4) and "ended before it was ready" in run.report["campaign"]["incomplete"], run.explain()
    assert run.report["findings"] or run.report["clean"], run.explain()
    assert "doctor" not in run.err and "Report" in run.out, run.explain()


def test_a_folder_that_cannot_be_kept_is_told_in_a_line(project):
    for data, why in ("nowhere", "expected a folder that is there"), (".", "would be emptied"):
        plan = project("plan", out=str(len(data)), service=SERVICE.replace('"folder"', f'"{data}"'))
        assert plan.status == 3 and "[service.store] data: " in plan.err and why in plan.err, plan.explain()
