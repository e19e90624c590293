"""What `retrial serve` tells others: metrics, traces, an access log, a log in JSON."""
import http.client
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest, ExportTraceServiceResponse

from conftest import Answering, retrial, serving
from test_admin import Handler, RULE, Serving, serve, service  # noqa: F401 (fixtures)


class Collector(Answering):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.server.broken:
            return self.answer(b"no", 503)
        assert self.headers["Content-Type"] == "application/x-protobuf"
        if self.path == "/v1/logs":
            for of in ExportLogsServiceRequest.FromString(body).resource_logs:
                self.server.resources.append(attributes(of.resource))
                for scope in of.scope_logs:
                    self.server.logs += scope.log_records
            return self.answer(b"")
        assert self.path == "/v1/traces"
        for of in ExportTraceServiceRequest.FromString(body).resource_spans:
            self.server.resources.append(attributes(of.resource))
            for scope in of.scope_spans:
                self.server.spans += scope.spans
        self.answer(ExportTraceServiceResponse(partial_success={"rejected_spans": 1, "error_message": "too old"}).SerializeToString() if self.server.picky else b"")


def attributes(of):
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in of.attributes}


@pytest.fixture
def collector():
    with serving(Collector) as server:
        server.spans, server.logs, server.resources, server.broken, server.picky = [], [], [], False, False
        yield server


def until(holds):
    """Asks again until it holds: a minute, after which it is taken for never."""
    end = time.monotonic() + 25
    while not holds():
        assert time.monotonic() < end, "it never came"


def recorded(file=""):
    return RULE + '[telemetry]\n' + file


def metrics(s):
    lines = s.ask("GET", "/metrics")[2].splitlines()
    return {line.rsplit(" ", 1)[0]: float(line.rsplit(" ", 1)[1]) for line in lines if not line.startswith("#")}


def test_metrics_count_what_clients_were_told_and_are_well_formed(serve):
    s = serve(file=RULE, armed=True)
    for path in ("/bad", "/a", "/a"):
        s.status(path)
    found = metrics(s)
    of = f'service="127.0.0.1:{s.service_port}"'
    assert found["retrial_exchanges_total{%s,told=\"2xx\"}" % of] == 2
    assert found["retrial_exchanges_total{%s,told=\"5xx\"}" % of] == 1
    assert found["retrial_faults_fired_total{%s}" % of] == 1
    assert found["retrial_service_latency_seconds_count{%s}" % of] == 2
    assert found['retrial_rule_faults_fired_total{rule="bad"}'] == 1
    assert found["retrial_armed"] == 1 and 0 < found["retrial_armed_remaining_seconds"] <= 900
    promtool = shutil.which("promtool", path=f"{os.environ['PATH']}:{pathlib.Path.home()}/.cache/retrial-staging/bin")
    if promtool:
        done = subprocess.run([promtool, "check", "metrics"], input=s.ask("GET", "/metrics")[2], text=True, capture_output=True)
        assert done.returncode == 0 and not done.stderr.strip(), done


def test_retries_and_gaps_are_counted_by_operation(serve):
    s = serve("--record", "trace", armed=True, file='[[rule]]\nmatch = { service = "s", path = "/pay" }\ninject = "error(503) x 2, then pass"\n'
              "[telemetry]\ncalls = true\n")
    client = http.client.HTTPConnection("127.0.0.1", s.port, timeout=20)
    statuses = []
    for _ in range(3):
        client.request("POST", "/pay", b"x", {"x-retrial-call": "c1", "x-retrial-site": "src/pay.py:7:pay"})
        answer = client.getresponse()
        answer.read()
        statuses.append(answer.status)
    assert statuses == [503, 503, 200]
    key = '{service="127.0.0.1:%d",operation="POST /pay"}' % s.service_port
    until(lambda: metrics(s).get("retrial_call_attempts_total" + key) == 3)
    found = metrics(s)
    assert (found["retrial_calls_total" + key], found["retrial_call_retries_total" + key]) == (1, 2)
    assert found["retrial_retry_gap_seconds_count" + key] == 2
    calls = s.ask("GET", "/v1/calls")[2]["calls"]
    assert calls[0]["call_site"] == "src/pay.py:7 pay" and calls[0]["retries"] == 2


def test_what_one_service_is_asked_after_another_failed_is_no_retry(serve, service):
    with serving(Handler) as other:
        service.answers = other.answers = 503
        address = f"127.0.0.1:{other.server_address[1]}"
        s = serve("--record", "trace", file=f'[service.other]\naddress = "{address}"\n[[listener]]\nmode = "reverse"\nlisten = "127.0.0.1:0"\n'
                  'service = "other"\n[telemetry]\ncalls = true\n')
        port = int(s.read_until(f"to http://{address}").split("listening on ")[1].split()[0].rsplit(":", 1)[1])
        assert s.status("/items") == 503
        until(lambda: metrics(s).get("retrial_watch_exchanges_total") == 1)
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        client.request("GET", "/items")
        assert client.getresponse().status == 503
        key = '{service="%s",operation="GET /items"}' % address
        until(lambda: metrics(s).get("retrial_call_attempts_total" + key) == 1)
        assert metrics(s)["retrial_calls_total" + key] == 1 and metrics(s)["retrial_call_retries_total" + key] == 0


def test_where_calls_are_read_all_the_time_the_first_question_shows_what_was_before(serve):
    s = serve("--record", "trace", file=recorded("calls = true\n"))
    s.status("/before")
    until(lambda: metrics(s).get("retrial_watch_exchanges_total") == 1)
    assert [e["target"] for e in s.ask("GET", "/v1/exchanges")[2]["exchanges"]] == ["/before"]


def test_last_exchanges_are_shown_with_attempts_and_times(serve):
    s = serve("--record", "trace", file=RULE, armed=True)
    s.status("/bad")
    s.status("/good")
    until(lambda: len(s.ask("GET", "/v1/exchanges")[2]["exchanges"]) == 2)
    newest, before = s.ask("GET", "/v1/exchanges?last=2")[2]["exchanges"]
    assert newest["target"] == "/good" and newest["status"] == "200" and newest["at_ms"]["told"] >= newest["at_ms"]["answered"]
    assert before["fault"] == "error(503)" and before["fired"] == "yes" and before["failed"] is True
    assert s.ask("GET", "/v1/exchanges?last=0")[0] == 400


def test_where_nothing_is_recorded_it_says_so(serve, tmp_path):
    s = serve(file=RULE)
    assert s.ask("GET", "/v1/exchanges")[0] == 409 and s.ask("GET", "/v1/calls")[0] == 409
    s.end()
    (tmp_path / "retrial.toml").write_text('[serve]\nrecord = "none"\n[telemetry]\ncalls = true\n')
    done = retrial("serve", "--ca", "ca", "--reverse", "127.0.0.1:0=http://127.0.0.1:9", cwd=tmp_path, timeout=20)
    assert done.returncode == 2 and "[telemetry]: expected a recording" in done.stderr, done


def test_an_access_log_has_a_line_for_each_exchange_and_is_opened_again_on_a_signal(serve, tmp_path):
    s = serve("--record", "trace", file=recorded('access_log = "access.log"\n'), armed=True)
    s.status("/bad")
    s.status("/good")
    log = tmp_path / "access.log"
    until(lambda: log.read_text().count("\n") == 2)
    bad, good = (json.loads(line) for line in log.read_text().splitlines())
    assert (bad["target"], bad["status"], bad["fired"]) == ("/bad", "503", "yes")
    assert (good["target"], good["status"], good["own_status"]) == ("/good", "200", "200")
    log.rename(tmp_path / "old.log")
    s.process.send_signal(signal.SIGUSR1)
    until(log.exists)
    s.status("/again")
    until(lambda: "/again" in log.read_text())
    assert s.end() == 0


def test_an_access_log_by_a_format(serve, tmp_path):
    s = serve("--record", "trace", file=recorded('access_log = "access.log"\naccess_format = "{method} {target} {status} {fault}"\n'))
    s.status("/a?token=secret")
    assert s.end() == 0
    assert (tmp_path / "access.log").read_text() == "GET /a?token=*** 200 -\n"


def test_spans_are_children_of_the_application_s_and_a_fault_is_an_event(serve, collector):
    s = serve("--record", "trace", file=recorded(f'traces = "http://127.0.0.1:{collector.server_address[1]}"\n'), armed=True)
    s.status("/bad", traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
    s.status("/unsampled", traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00")
    s.status("/own")
    until(lambda: len(collector.spans) == 2)
    bad = next(span for span in collector.spans if span.parent_span_id)
    assert (bad.trace_id.hex(), bad.parent_span_id.hex()) == ("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331")
    assert bad.events[0].name == "retrial.fault" and bad.status.code == bad.status.STATUS_CODE_ERROR
    assert attributes(bad)["http.response.status_code"] == 503 and attributes(bad)["url.path"] == "/bad"
    assert attributes(bad.events[0])["retrial.fault"] == "error(503)" and bad.end_time_unix_nano >= bad.start_time_unix_nano
    assert collector.resources[0]["service.name"] == "retrial"
    until(lambda: metrics(s)["retrial_traces_sent_total"] == 2)
    assert metrics(s)["retrial_traces_dropped_total"] == 0


def test_a_receiver_that_is_down_costs_spans_and_no_request(serve, collector):
    collector.broken = True
    s = serve("--record", "trace", file=recorded(f'traces = "http://127.0.0.1:{collector.server_address[1]}"\n'))
    assert [s.status() for _ in range(5)] == [200] * 5
    until(lambda: metrics(s)["retrial_traces_dropped_total"] == 5)
    s.read_until("traces were not taken")
    assert s.status() == 200 and s.end() == 0


def test_spans_that_a_receiver_rejects_are_counted_and_said(serve, collector):
    collector.picky = True
    s = serve("--record", "trace", file=recorded(f'traces = "http://127.0.0.1:{collector.server_address[1]}/v1/traces"\n'))
    assert s.status() == 200
    until(lambda: metrics(s)["retrial_traces_dropped_total"] == 1)
    assert metrics(s)["retrial_traces_sent_total"] == 0
    s.read_until("traces were not taken by 127.0.0.1:%d: 1 of 1: too old" % collector.server_address[1])
    s.end()


def test_its_own_log_goes_to_a_receiver_too(serve, collector):
    s = serve("--log-to", f"http://127.0.0.1:{collector.server_address[1]}", file=RULE)
    until(lambda: any(record.body.string_value.startswith("listening on") for record in collector.logs))
    until(lambda: metrics(s)["retrial_logs_sent_total"] >= 1)
    assert s.end() == 0
    first, last = collector.logs[0], collector.logs[-1]
    assert (last.body.string_value, last.severity_text, last.severity_number) == ("ended", "INFO", 9)
    assert first.time_unix_nano <= last.time_unix_nano and collector.resources[0]["service.name"] == "retrial"


def test_its_own_log_can_be_json(serve):
    s = serve("--log", "json", file=RULE)
    s.end()
    lines = [json.loads(line) for line in s.log]
    assert all(set(line) == {"time", "level", "message"} for line in lines)
    assert lines[-1]["message"] == "ended"
