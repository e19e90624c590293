"""Findings while `retrial serve` runs, beside what `retrial judge` says of the same recording afterwards."""
import http.client
import json

from conftest import retrial
from test_admin import Serving, serve, service  # noqa: F401 (fixtures)
from test_telemetry import metrics, until

RULES = ('[[rule]]\nname = "pay"\nmatch = { service = "s", path = "/pay" }\ninject = "lost-response(reset) x 1, then pass"\n'
         '[[rule]]\nname = "stock"\nmatch = { service = "s", path = "/stock" }\ninject = "error(503)"\n')


def call(s, method, path, site, attempts):
    """So many attempts without a pause, as a client that knows no better makes them."""
    for _ in range(attempts):
        client = http.client.HTTPConnection("127.0.0.1", s.port, timeout=20)
        try:
            client.request(method, path, b"{}" if method == "POST" else None, {"x-retrial-site": site, "x-retrial-call": f"{site}-{method}"})
            if client.getresponse().status < 500:
                return
        except (http.client.HTTPException, OSError):
            pass
        finally:
            client.close()


def test_findings_are_told_as_they_are_seen_and_are_those_of_retrial_judge(serve, tmp_path):
    s = serve("--record", "trace", rules=RULES, armed=True)
    assert s.ask("GET", "/v1/findings")[0] == 409
    s.end()
    s = serve("--record", "trace2", serve='judge = true\n', rules=RULES, armed=True)
    call(s, "POST", "/pay", "src/shop.py:41:pay", 3)
    call(s, "GET", "/stock", "src/stock.py:12:look", 60)
    until(lambda: "duplicate-effect" in {f["verdict"] for f in s.ask("GET", "/v1/findings")[2]["findings"]})
    assert sum(n for key, n in metrics(s).items() if key.startswith("retrial_findings{")) >= 1
    assert s.end() == 0
    done = retrial("judge", "trace2", cwd=tmp_path)
    judged = json.loads((tmp_path / "trace2" / "findings.json").read_text())["findings"]
    assert judged, done
    for finding in judged:
        said = [line for line in s.log if f"finding {finding['id']}: {finding['verdict']} ({finding['confidence']})" in line]
        assert said, (finding, s.log)
        assert ", ".join(str(n) for n in finding["evidence"]) in said[-1]
    told = {line.split("finding ")[1].split(":")[0] for line in s.log if " finding " in line}
    assert told == {finding["id"] for finding in judged}
