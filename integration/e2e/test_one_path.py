"""Services of which every request goes to one path: GraphQL and JSON-RPC. What each request calls stands in its body."""
import json
import re
import sys

import pytest

from conftest import Answering, retrial, serving
from test_judge import report
from test_serve import serve  # noqa: F401

CLIENT = """
import http.client, json, time
def post(port, path, asked, tries):
    for left in reversed(range(tries)):
        c = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            c.request("POST", path, json.dumps(asked), {"Content-Type": "application/json"})
            answer = c.getresponse()
            body = answer.read().decode()
            if answer.status < 500: return json.loads(body)
            failed = RuntimeError(f"{answer.status} {body}")
        except OSError as error:
            failed = error
        if left: time.sleep(2 ** (tries - left))
    raise failed
def stock(port):  # right: it reads
    return post(port, "/graphql", {"query": "query Stock { stock }"}, 3)["data"]["stock"]
def buy(port):  # wrong: it may have been done
    return post(port, "/graphql", {"query": "mutation Buy($n: Int!) { buy(n: $n) }", "variables": {"n": 1}}, 3)["data"]["buy"]
def sell(port):  # right: once
    return post(port, "/graphql", {"query": "mutation Sell { sell }"}, 1)["data"]["sell"]
def level(port):
    return post(port, "/rpc", {"jsonrpc": "2.0", "method": "stock.get", "id": 1}, 3)["result"]
def book(port):
    return post(port, "/rpc", {"jsonrpc": "2.0", "method": "stock.book", "params": [1], "id": 1}, 3)["result"]
"""
TEST = """
import shop, unittest
class Shop(unittest.TestCase):
    def test_stock(self): self.assertGreaterEqual(shop.stock({port}), 0)
    def test_buy(self): self.assertTrue(shop.buy({port}))
    def test_sell(self): self.assertTrue(shop.sell({port}))
    def test_level(self): self.assertGreaterEqual(shop.level({port}), 0)
    def test_book(self): self.assertTrue(shop.book({port}))
"""


@pytest.fixture
def port():
    bought = []

    class Shop(Answering):
        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if "query" in asked:
                word = re.split(r"\W+", asked["query"].split("{")[1].strip())[0]
                body = {"data": {word: len(bought) if word == "stock" else bool(bought.append(word) or True)}}
            else:
                body = {"jsonrpc": "2.0", "id": asked["id"], "result": len(bought) if asked["method"] == "stock.get" else bool(bought.append(1) or True)}
            self.answer(json.dumps(body).encode(), headers=[("Content-Type", "application/json")])

    with serving(Shop) as server:
        yield server.server_port


def test_a_query_is_repeated_and_a_mutation_not(suite, port):
    project = suite(shop_DOT_py=CLIENT, test_shop_DOT_py=TEST.format(port=port))
    done = retrial("run", "--policies", "p1,p2", "--out", "o", "--", sys.executable, "-m", "unittest", cwd=project)
    said = report(project / "o")
    told = {f["operation"] for f in said["findings"] if f["verdict"] in ("duplicate-effect", "retries-non-idempotent") and f["confidence"] != "possible"}
    assert told == {"POST /graphql mutation=Buy", "POST /rpc method=stock.book"}, done.stdout
    assert {c["operation"] for c in said["clean"]} == {"POST /graphql query=Stock", "POST /graphql mutation=Sell"}, done.stdout


def test_injected_errors_are_in_the_protocol_s_own_shape(suite, port):
    project = suite(shop_DOT_py=CLIENT)

    def observe(call):
        return retrial("observe", "--inject", "error(503)", "--repeat", 1, "--no-reference", "--out", "o", "--", sys.executable, "-c",
                       f"import shop; shop.{call}({port})", cwd=project).stderr

    rpc, graphql = observe("level"), observe("stock")
    assert '"error":{"code":-32603' in rpc and '"id":1}' in rpc, rpc
    assert '"extensions":{"code":"INTERNAL_SERVER_ERROR"}' in graphql, graphql


def test_a_rule_of_serve_may_name_what_the_body_calls(serve, suite, port):
    file = suite(retrial_DOT_toml=f"""
[service.shop]
address = "127.0.0.1:{port}"
[[listener]]
mode = "reverse"
listen = "127.0.0.1:0"
service = "shop"
[[rule]]
match = {{ operation = "POST /graphql mutation=*" }}
inject = "error(503)"
""") / "retrial.toml"
    client = serve("-c", str(file)).client()

    def ask(query):
        client.request("POST", "/graphql", json.dumps({"query": query}), {"Content-Type": "application/json"})
        answer = client.getresponse()
        answer.read()
        return answer.status

    assert [ask("query Q { stock }"), ask("mutation M { sell }"), ask("{ stock }")] == [200, 503, 200]
