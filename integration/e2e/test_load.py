"""What a machine's load and a client's own work do to the times between its attempts: neither is a wait of the client's."""
import pytest

from conftest import Campaign, retrial

# Each attempt costs the client that much of a processor: a large answer to decode, a signature, a slow interpreter.
CLIENT = """
import http.client, time

def work(seconds):
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        pass

def get(port, attempts, cost, wait):
    for _ in range(attempts):
        work(cost)
        c = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        c.request("GET", "/things")
        answer = c.getresponse()
        answer.read()
        c.close()
        if answer.status < 500:
            return answer.status
        time.sleep(wait)
    raise RuntimeError("it is down")
"""
TEST = """
import http.server, threading
import client

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
    def log_message(self, *args): pass

def test_it():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        assert client.get(server.server_port, {attempts}, {cost}, {wait}) == 200
    finally:
        server.shutdown()
"""


@pytest.fixture
def campaign(suite, tmp_path, python):
    def go(attempts, cost, wait, *options):
        project = suite(client_DOT_py=CLIENT, test_it_DOT_py=TEST.format(attempts=attempts, cost=cost, wait=wait))
        folder = tmp_path / "out"
        command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        return Campaign(retrial("run", "--policies", "p3", "--out", folder, *options, "--", *command, cwd=project), folder, project)

    return go


@pytest.mark.parametrize("clock", [[], ["--real-time"]])
def test_an_attempt_that_costs_work_hides_no_missing_delay(campaign, clock):
    found = campaign(9, 0.047, 0, *clock)
    assert found.findings("missing-delay") and not found.findings("no-backoff"), found.explain()


def test_a_wait_is_told_from_the_work_beside_it(campaign):
    found = campaign(5, 0.03, 1)
    assert not found.findings("missing-delay"), found.explain()
