"""Clients of Toxiproxy, pointed at `retrial serve`: a real one, and what its calls mean here."""
import http.client
import json

import pytest

from test_admin import Serving, serve, service  # noqa: F401 (fixtures)

ADMIN = '[admin]\nlisten = "unix:admin.sock"\ntoxiproxy = "127.0.0.1:0"\n'


class Toxics:
    def __init__(self, s):
        self.at = s.read_until("clients of Toxiproxy on ").split(" on ")[1].rsplit(":", 1)

    def ask(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection(*self.at, timeout=20)
        connection.request(method, path, json.dumps(body) if body is not None else None, {k.replace("_", "-"): v for k, v in headers.items()})
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text else None


def told(proxy):
    """What a client of the proxy is told, or the name of the error that it meets."""
    client = http.client.HTTPConnection(*proxy["listen"].rsplit(":", 1), timeout=20)
    try:
        client.request("GET", "/")
        return client.getresponse().status
    except (http.client.HTTPException, OSError) as error:
        return type(error).__name__


@pytest.fixture
def toxics(serve, service):
    s = serve(file=ADMIN, admin=None, armed=True)
    api = Toxics(s)
    api.upstream, api.serving = f"127.0.0.1:{service.server_address[1]}", s
    return api


def test_a_proxy_is_a_listener_and_a_toxic_a_rule(toxics):
    status, proxy = toxics.ask("POST", "/proxies", {"name": "queue", "listen": "127.0.0.1:0", "upstream": toxics.upstream})
    assert status == 201 and told(proxy) == 200
    status, toxic = toxics.ask("POST", "/proxies/queue/toxics", {"type": "reset_peer", "attributes": {"timeout": 0}})
    assert status == 200 and toxic["name"] == "reset_peer_downstream" and told(proxy) == "ConnectionResetError"
    rules = toxics.serving.ask("GET", "/v1/rules")[2]["rules"]
    assert [(rule["name"], rule["inject"]) for rule in rules] == [("toxiproxy.queue.reset_peer_downstream", "reset(after-request)")]
    assert toxics.ask("DELETE", "/proxies/queue/toxics/reset_peer_downstream")[0] == 204 and told(proxy) == 200
    assert toxics.ask("POST", "/proxies/queue", {"enabled": False})[1]["enabled"] is False and told(proxy) == "ConnectionRefusedError"
    assert toxics.ask("POST", "/reset")[0] == 204 and told(proxy) == 200
    assert toxics.ask("GET", "/proxies")[1]["queue"]["toxics"] == []
    assert toxics.ask("DELETE", "/proxies/queue")[0] == 204 and toxics.ask("GET", "/proxies/queue")[0] == 404


def test_halting_turns_toxics_off_too(toxics):
    proxy = toxics.ask("POST", "/proxies", {"name": "queue", "upstream": toxics.upstream})[1]
    toxics.ask("POST", "/proxies/queue/toxics", {"type": "reset_peer", "attributes": {"timeout": 0}})
    toxics.serving.ask("POST", "/v1/halt")
    assert told(proxy) == 200


@pytest.mark.parametrize("toxic, status, said", [
    ({"type": "slow_close", "attributes": {"delay": 1}}, 400, "slow_close means nothing here"),
    ({"type": "timeout", "attributes": {"timeout": 100}}, 400, "expected 0"),
    ({"type": "bandwidth", "stream": "upstream", "attributes": {"rate": 1}}, 400, "downstream"),
    ({"type": "latency", "attributes": {"latencies": 1}}, 400, "attributes.latencies"),
    ({"type": "latency", "toxicity": 2}, 400, "toxicity"),
    ({"type": "nothing"}, 400, "invalid toxic type"),
])
def test_what_means_nothing_here_is_refused(toxics, toxic, status, said):
    toxics.ask("POST", "/proxies", {"name": "queue", "upstream": toxics.upstream})
    answer = toxics.ask("POST", "/proxies/queue/toxics", toxic)
    assert answer[0] == status and said in answer[1]["error"], answer
    assert toxics.ask("GET", "/proxies/queue/toxics")[1] == []


@pytest.mark.parametrize("toxic, inject", [
    ({"type": "latency", "attributes": {"latency": 20}}, "delay(20ms)"),
    ({"type": "latency", "attributes": {"latency": 20, "jitter": 5}, "toxicity": 0.5}, "50% of delay(uniform, 15ms, 25ms)"),
    ({"type": "bandwidth", "attributes": {"rate": 10}}, "bandwidth(10000, 1000)"),
    ({"type": "timeout", "attributes": {"timeout": 0}}, "stall"),
    ({"type": "slicer", "attributes": {"average_size": 64, "delay": 2000}}, "drip(64, 2ms)"),
    ({"type": "limit_data", "attributes": {"bytes": 100}}, "close(in-body, 100)"),
])
def test_what_toxics_mean(toxics, toxic, inject):
    toxics.ask("POST", "/proxies", {"name": "queue", "upstream": toxics.upstream})
    assert toxics.ask("POST", "/proxies/queue/toxics", toxic)[0] == 200
    assert [rule["inject"] for rule in toxics.serving.ask("GET", "/v1/rules")[2]["rules"]] == [inject]


def test_there_is_one_fault_an_exchange_and_browsers_are_refused(toxics):
    toxics.ask("POST", "/proxies", {"name": "queue", "upstream": toxics.upstream})
    toxics.ask("POST", "/proxies/queue/toxics", {"type": "latency", "attributes": {"latency": 1}})
    assert toxics.ask("POST", "/proxies/queue/toxics", {"type": "bandwidth", "attributes": {"rate": 1}})[0] == 409
    assert toxics.ask("GET", "/proxies", User_Agent="Mozilla/5.0")[0] == 403
    assert toxics.ask("GET", "/proxies", Origin="http://127.0.0.1:%s" % toxics.at[1])[0] == 403
    assert toxics.ask("GET", "/proxies", Host="attacker.example")[0] == 421


def test_a_real_client(toxics):
    toxiproxy = pytest.importorskip("toxiproxy")
    client = toxiproxy.Toxiproxy()
    client.update_api_consumer(toxics.at[0], int(toxics.at[1]))
    assert client.running()
    proxy = client.create(upstream=toxics.upstream, name="queue", listen="127.0.0.1:0")
    assert told({"listen": proxy.listen}) == 200
    proxy.add_toxic(type="reset_peer", attributes={"timeout": 0})
    assert told({"listen": proxy.listen}) == "ConnectionResetError"
    client.reset()
    assert told({"listen": proxy.listen}) == 200
    proxy.destroy()
    assert client.get_proxy("queue") is None
