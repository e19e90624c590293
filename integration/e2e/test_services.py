"""Services that tests start at the port that happens to be free: who they are is learned from what is asked of them."""
import pytest

from conftest import Campaign, retrial, site

# The n-th start takes the n-th port, in turn: no two runs, and no two tests, have a service at the same one.
CONFTEST = """
import http.server, pathlib, socketserver, threading
import pytest

FIRST = 30000

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        body = ("ok of " + self.server.name).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *args): pass

class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

def start(name):
    counter = pathlib.Path(__file__).with_name("counter")
    turn = int(counter.read_text()) if counter.exists() else 0
    while True:
        turn += 1
        try:
            server = Server(("127.0.0.1", FIRST + turn % 11), Handler)
            break
        except OSError:
            pass
    counter.write_text(str(turn))
    server.name = name
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server

@pytest.fixture
def service():
    one = start("service")
    yield f"http://127.0.0.1:{one.server_port}"
    one.shutdown(); one.server_close()

@pytest.fixture
def mirror():
    one = start("mirror")
    yield f"http://127.0.0.1:{one.server_port}"
    one.shutdown(); one.server_close()
"""
CLIENT = """
import requests

def get(url):
    for attempt in range(9):
        answer = requests.get(url, timeout=5)
        if answer.status_code < 500:
            return answer.text
    raise RuntimeError("it is down")

def once(url):
    answer = requests.get(url, timeout=5)
    answer.raise_for_status()
    return answer.text
"""
TESTS = """
import client

def test_parts(service):
    assert client.get(service + "/parts") == "ok of service"

def test_parts_again(service):
    assert client.get(service + "/parts") == "ok of service"

def test_both(service, mirror):
    assert client.once(service + "/copy") == "ok of service"
    assert client.once(mirror + "/copy") == "ok of mirror"
"""


@pytest.fixture
def moving(suite, tmp_path, python):
    project = suite(conftest_DOT_py=CONFTEST, client_DOT_py=CLIENT, test_moving_DOT_py=TESTS)

    def go(*options):
        folder = tmp_path / "out"
        command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        return Campaign(retrial("run", "--out", folder, *options, "--", *command, cwd=project), folder, project)

    return go


def test_a_bug_is_found_at_a_service_whose_port_differs_in_each_run(moving):
    campaign = moving("--policies", "p3")
    assert campaign.at("client.py:6", "error(transient)").get("missing-delay"), campaign.explain()
    assert not [j for j in campaign.report["not_judged"] if "never fired" in j["why"]], campaign.explain()
    finding = campaign.findings("missing-delay")[0]
    assert finding["service"].startswith("127.0.0.1:*"), finding
    again = retrial("replay", finding["id"], "--from", campaign.folder, "--out", campaign.folder / "again", cwd=campaign.cwd)
    assert again.returncode == 1 and "is shown again" in again.stdout, again.stdout + again.stderr


def test_two_services_of_a_test_that_are_asked_the_same_are_tried_each(moving):
    campaign = moving("--policies", "p1")
    tried = {c["service"] for c in campaign.report["clean"] + campaign.findings() if c["operation"] == "GET /copy"}
    assert tried == {"127.0.0.1:*", "127.0.0.1:*2"}, campaign.explain()
    assert not [j for j in campaign.report["not_judged"] if "never fired" in j["why"]], campaign.explain()


def test_a_connection_fault_meets_the_service_at_its_new_port(moving):
    campaign = moving("--policies", "k1")
    assert {site(c) for c in campaign.report["clean"] + campaign.findings()} >= {"client.py:6"}, campaign.explain()
    assert not [j for j in campaign.report["not_judged"] if "never fired" in j["why"]], campaign.explain()
