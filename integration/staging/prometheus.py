"""`/metrics` as Prometheus reads it: `promtool check metrics` has nothing to say, a real Prometheus scrapes it with the token, and no counter falls while rules are
switched and changed."""
import http.client
import http.server
import json
import pathlib
import re
import shutil
import subprocess
import threading
import time
import urllib.parse

from otel import Service, accepting, until

RULES = '[[rule]]\nname = "bad"\nmatch = { service = "s", path = "/bad" }\ninject = "error(503) x 1, then pass"\n'
CONFIG = """
global: {{scrape_interval: 1s}}
scrape_configs:
- job_name: retrial
  authorization: {{credentials_file: {token}}}
  static_configs: [{{targets: ["127.0.0.1:{admin}"]}}]
"""


def run(place):
    folder = pathlib.Path(place.work) / "prometheus"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=service.serve_forever, daemon=True).start()
    (folder / "retrial.toml").write_text(
        f'[serve]\nrecord = "trace"\njudge = true\n[service.s]\naddress = "127.0.0.1:{service.server_address[1]}"\n[[listener]]\nmode = "reverse"\n'
        f'listen = "127.0.0.1:0"\nservice = "s"\n{RULES}[admin]\nlisten = "127.0.0.1:0"\n[telemetry]\ncalls = true\naccess_log = "access.log"\n'
        'traces = "http://127.0.0.1:9"\n')
    log = folder / "serve.log"
    started = []
    try:
        with open(log, "w") as out:
            started.append(subprocess.Popen([place.retrial, "serve", "--ca", folder / "ca", "--log-to", "http://127.0.0.1:9"], cwd=folder, stderr=out))
        until(lambda: "listening on" in log.read_text(), log.read_text)
        at, admin = (int(re.search(what + r" on 127.0.0.1:(\d+)", log.read_text())[1]) for what in ("listening", "admin"))
        token = folder / ".retrial/admin.token"
        ctl = lambda *words: subprocess.run([place.retrial, "ctl", "--admin", f"127.0.0.1:{admin}", "--token", token, *words], check=True, capture_output=True, text=True).stdout
        ctl("resume")
        requests(at, range(20))
        (folder / "prometheus.yaml").write_text(CONFIG.format(token=token, admin=admin))
        with open(folder / "prometheus.log", "w") as out:
            started.append(subprocess.Popen([place.cache / "bin/prometheus", f"--config.file={folder}/prometheus.yaml", f"--storage.tsdb.path={folder}/data",
                                             "--web.listen-address=127.0.0.1:9491"], stdout=out, stderr=out))
        accepting(9491, started[-1])
        fired = 'retrial_rule_faults_fired_total{rule="bad"}'
        until(lambda: asked(fired) > 0, lambda: (folder / "prometheus.log").read_text()[-2000:])
        before = asked(fired)
        for words in (("disable", "bad"), ("enable", "bad")):
            ctl("rules", *words)
            time.sleep(2.5)  # scraped in between
        requests(at, range(20, 30))
        until(lambda: asked(fired) > before, lambda: f"{fired} stays at {before}")
        assert asked(f"resets({fired}[1m])") == 0 and asked('up{job="retrial"}') == 1
        checked = subprocess.run([place.cache / "bin/promtool", "check", "metrics"], input=ctl("metrics"), capture_output=True, text=True)
        assert checked.returncode == 0 and not checked.stderr.strip() and not checked.stdout.strip(), checked
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait(30)


def requests(port, numbers):
    for i in numbers:  # each a call of its own
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        connection.request("GET", f"/bad?{i}" if i % 2 else "/good")
        connection.getresponse().read()
        connection.close()


def asked(query):
    """The one value that Prometheus knows for it; 0: none yet."""
    connection = http.client.HTTPConnection("127.0.0.1", 9491, timeout=20)
    connection.request("GET", "/api/v1/query?" + urllib.parse.urlencode({"query": query}))
    found = json.load(connection.getresponse())["data"]["result"]
    connection.close()
    return float(found[0]["value"][1]) if found else 0
