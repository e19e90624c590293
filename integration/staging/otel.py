"""Traces and logs of `serve`, sent to an OpenTelemetry Collector and to rotel: both take all of them, and print what was meant."""
import http.client
import http.server
import pathlib
import re
import signal
import subprocess
import threading
import time

REQUESTS, TRACE = 300, "0af7651916cd43dd8448eb211c80319c"
COLLECTOR = """receivers: {otlp: {protocols: {http: {endpoint: "127.0.0.1:4318"}}}}
exporters: {debug: {verbosity: detailed}}
service:
  telemetry: {metrics: {level: none}}
  pipelines: {traces: {receivers: [otlp], exporters: [debug]}, logs: {receivers: [otlp], exporters: [debug]}}
"""


class Service(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")

    def log_message(self, *_):
        pass


def accepting(port, process):
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        try:
            http.client.HTTPConnection("127.0.0.1", port, timeout=2).connect()
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError(f"nothing listens on {port}: {process.args}")


def told(place, folder, port, service_port):
    """What `serve` says it has sent, after so many requests, one of them as a child of an application's span, one in ten with a fault."""
    folder.mkdir(exist_ok=True)
    (folder / "retrial.toml").write_text(
        f'[serve]\nrecord = "trace-{port}"\njudge = true\n[service.s]\naddress = "127.0.0.1:{service_port}"\n[[listener]]\nmode = "reverse"\n'
        f'listen = "127.0.0.1:0"\nservice = "s"\n[[rule]]\nmatch = {{ service = "s", path = "/bad" }}\ninject = "error(503)"\n[admin]\nlisten = "127.0.0.1:0"\n'
        f'[telemetry]\ntraces = "http://127.0.0.1:{port}"\n')
    log = folder / f"serve-{port}.log"
    with open(log, "w") as out:
        process = subprocess.Popen([place.retrial, "serve", "--ca", folder / "ca", "--log-to", f"http://127.0.0.1:{port}"], cwd=folder, stderr=out)
    end = time.monotonic() + 60
    while "listening on" not in log.read_text() and time.monotonic() < end:
        time.sleep(0.1)
    at = int(re.search(r"listening on 127.0.0.1:(\d+)", log.read_text())[1])
    admin = int(re.search(r"admin on 127.0.0.1:(\d+)", log.read_text())[1])
    subprocess.run([place.retrial, "ctl", "--admin", f"127.0.0.1:{admin}", "--token", folder / ".retrial/admin.token", "resume"], check=True, capture_output=True)
    for n in range(REQUESTS):
        connection = http.client.HTTPConnection("127.0.0.1", at, timeout=20)
        headers = {"traceparent": f"00-{TRACE}-b7ad6b7169203331-01"} if n == 0 else {}
        connection.request("GET", "/bad" if n % 10 == 9 else "/good", headers=headers)
        connection.getresponse().read()
        connection.close()

    def counts():
        connection = http.client.HTTPConnection("127.0.0.1", admin, timeout=20)
        connection.request("GET", "/metrics", headers={"Authorization": "Bearer " + (folder / ".retrial/admin.token").read_text().strip()})
        text = connection.getresponse().read().decode()
        return {key: int(value) for key, value in re.findall(r"^retrial_((?:traces|logs)_\w+)_total (\d+)$", text, re.M)}

    end = time.monotonic() + 60
    while counts()["traces_sent"] < REQUESTS and time.monotonic() < end:
        time.sleep(0.2)
    found = counts()
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0, log.read_text()
    assert found["traces_sent"] == REQUESTS and found["traces_dropped"] == 0 and found["logs_dropped"] == 0, (found, log.read_text())
    assert found["logs_sent"] >= 2, found


def until(holds, what):
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end, what()
        time.sleep(0.2)


def collector(place, folder, service_port):
    (folder / "collector.yaml").write_text(COLLECTOR)
    log = folder / "collector.log"
    with open(log, "w") as out:
        process = subprocess.Popen([place.cache / "bin/otelcol", "--config", folder / "collector.yaml"], stdout=out, stderr=subprocess.STDOUT)
    try:
        accepting(4318, process)
        told(place, folder, 4318, service_port)
        text = lambda: log.read_text()
        until(lambda: "Body: Str(ended)" in text(), lambda: text()[-3000:])
        spans = re.findall(r"^    Name           : (.*)$", text(), re.M)
        assert len(spans) == REQUESTS, (len(spans), text()[-3000:])
        assert f"Trace ID       : {TRACE}" in text() and "Parent ID      : b7ad6b7169203331" in text()
        assert text().count("Name: retrial.fault\n") == REQUESTS // 10 and text().count("Status code    : Error") == REQUESTS // 10
        assert "-> http.response.status_code: Int(503)" in text() and "-> service.name: Str(retrial)" in text()
        assert "SeverityText: INFO" in text() and re.search(r"Body: Str\(listening on ", text())
    finally:
        process.terminate()
        process.wait(30)


def rotel(place, folder, service_port):
    agent, = (place.cache / "python/lib").glob("python3*/site-packages/rotel/rotel-agent")
    log = folder / "rotel.log"
    with open(log, "w") as out:
        process = subprocess.Popen([agent, "start", "--otlp-http-endpoint", "127.0.0.1:4328", "--otlp-grpc-endpoint", "127.0.0.1:4327",
                                    "--exporter", "blackhole", "--debug-log", "traces", "--debug-log", "logs", "--debug-log-verbosity", "detailed"],
                                   stdout=out, stderr=subprocess.STDOUT)
    try:
        accepting(4328, process)
        told(place, folder, 4328, service_port)
        text = lambda: log.read_text()
        until(lambda: TRACE in text() and "listening on" in text(), lambda: text()[-3000:])
    finally:
        process.terminate()
        process.wait(30)


def run(place):
    folder = pathlib.Path(place.work) / "otel"
    folder.mkdir(parents=True, exist_ok=True)
    service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=service.serve_forever, daemon=True).start()
    collector(place, folder, service.server_address[1])
    rotel(place, folder, service.server_address[1])
