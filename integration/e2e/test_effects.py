"""What a service did with a repeat decides: its answers to both."""
import json

import pytest

from conftest import Answering, serving
from test_judge import observe, report

CLIENT = """
import http.client, json, sys, time, uuid
name = str(uuid.uuid4())
for wait in (0.1, 0.3, 0):
    try:
        c = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=5)
        c.request("POST", "/transfers", json.dumps({"request_id": name, "amount": 5}))
        c.getresponse().read()
        break
    except OSError:
        time.sleep(wait)
        if sys.argv[2] == "new": name = str(uuid.uuid4())
"""


class Service(Answering):
    known = set()

    def do_POST(self):
        name = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["request_id"]
        body = json.dumps({"status": "accepted", "duplicate": name in self.known}).encode()
        self.known.add(name)
        self.answer(body)


@pytest.fixture
def port():
    with serving(Service) as server:
        yield server.server_port


def test_a_repeat_that_the_service_knows_by_its_name_is_right_and_another_name_each_time_is_not(suite, port, python):
    cwd = suite(client_DOT_py=CLIENT)

    def judged(name):
        observe(cwd, "--inject", "lost-response(reset) x 1, then pass", "--out", name, command=[python, "client.py", port, name])
        return report(cwd / name)

    right, wrong = judged("same"), judged("new")
    assert right["findings"] == [] and right["clean"]
    assert [(f["verdict"], f["confidence"]) for f in wrong["findings"]] == [("duplicate-effect", "likely")]
    assert 'another "request_id"' in wrong["findings"][0]["message"]


class Natural(Answering):
    """Knows an order by its name, and says nothing of it; its list does."""
    orders = []

    def do_POST(self):
        order = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["sku"]
        if order not in self.orders or self.path == "/any/orders":
            self.orders.append(order)
        self.answer(b"{}")

    def do_GET(self):
        self.answer(json.dumps({"orders": [{"sku": sku} for sku in self.orders]}).encode())


ORDER = """
import http.client, json, sys, time, uuid
body = json.dumps({"sku": str(uuid.uuid4())})
for wait in (0.1, 0.3, 0):
    try:
        c = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=5)
        c.request("POST", sys.argv[2], body)
        c.getresponse().read()
        break
    except OSError:
        time.sleep(wait)
sys.exit(7)
"""


def test_a_look_at_the_service_afterwards_shows_what_a_repeat_did(suite, python):
    cwd = suite(order_DOT_py=ORDER)
    with serving(Natural) as server:

        def judged(path):
            look = f"http://127.0.0.1:{server.server_port}{path}"
            done = observe(cwd, "--inject", "lost-response(reset) x 1, then pass", "--look", look, "--out", "out",
                           command=[python, "order.py", server.server_port, path])
            assert done.returncode == 7  # the command's own
            return report(cwd / "out")

        right, wrong = judged("/natural/orders"), judged("/any/orders")
    assert right["findings"] == [] and right["clean"]
    assert [(f["verdict"], f["confidence"]) for f in wrong["findings"]] == [("duplicate-effect", "likely")]


def test_a_look_is_not_refused_with_the_commands_connections(suite, python):
    cwd = suite(order_DOT_py=ORDER)
    with serving(Natural) as server:
        look = f"http://127.0.0.1:{server.server_port}/natural/orders"
        done = observe(cwd, "--inject", "refuse-connect", "--look", look, "--out", "out",
                       command=[python, "order.py", server.server_port, "/natural/orders"])
    assert "refuse-connect: the connection was refused" in done.stderr and "nobody answers" not in done.stderr, done


def test_a_look_that_is_no_url_is_told(suite, python):
    done = observe(suite(), "--look", "orders", command=[python, "-c", "0"])
    assert done.returncode == 2 and "expected a URL with a port, such as http://127.0.0.1:8080/orders" in done.stderr
