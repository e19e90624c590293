"""`retrial compose init` on a file that knows nothing of Retrial, and what it wrote on the engine: faults arrive, and nobody was changed."""
import shutil
import subprocess

FILE = """
services:
  store:
    image: busybox:1.36
    command: ["sh", "-c", "mkdir -p /tmp/www && echo stored > /tmp/www/item && exec httpd -f -p 9000 -h /tmp/www"]
    init: true
    expose: ["9000"]
  api:
    image: busybox:1.36
    init: true
    environment: {STORE_URL: "http://store:9000/item"}
    command: ["httpd", "-f", "-p", "8080", "-h", "/www"]
    volumes: ["./www:/www"]
    depends_on: [store]
  database:
    image: busybox:1.36
    command: ["sleep", "60"]
    init: true
  app:
    image: busybox:1.36
    environment: ["API_HOST=api", "API_PORT=8080", "DATABASE_URL=postgres://u:p@database/x"]
    command: ["sh", "-c", "sleep 1; for i in 1 2 3; do wget -q -O - http://$$API_HOST:$$API_PORT/cgi-bin/get && exit 0; echo attempt $$i failed; done; exit 1"]
    depends_on: {api: {condition: service_started}, database: {condition: service_started}}
"""
SCRIPT = """#!/bin/sh
printf 'Content-Type: text/plain\\r\\n\\r\\n'
for i in 1 2 3; do wget -q -O - $STORE_URL && exit; done
echo lost
"""


def run(place):
    folder = place.work / "compose-init"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "compose.yaml").write_text(FILE)
    script = folder / "www/cgi-bin/get"
    script.parent.mkdir(parents=True)
    script.write_text(SCRIPT)
    script.chmod(0o755)
    said = subprocess.run([place.retrial, "compose", "init", "compose.yaml"], cwd=folder, capture_output=True, text=True)
    assert said.returncode == 0, said
    for line in ("api calls store at store:9000", "app calls api at api:8080"):
        assert line in said.stdout, said
    assert "app -> database: postgres is no HTTP" in said.stderr, said
    engine = place.engine()
    files = ("compose.yaml", "compose.retrial.yaml")
    try:
        run = lambda *words: engine.compose(folder, *words, files=files, env={"RETRIAL_INJECT": "error(503) x 2, then pass"}).stdout
        run("up", "-d", "api", "retrial-api", "retrial-store")
        for proxy in ("retrial-api", "retrial-store"):
            assert run("exec", "-T", proxy, "/retrial", "ctl", "state").startswith("observing, 1 rule")
            assert run("exec", "-T", proxy, "/retrial", "ctl", "resume").startswith("armed")
        said = run("run", "--rm", "-T", "app")
        assert said.count("failed") == 2 and "stored" in said, said
        judged = engine.compose(folder, "run", "--rm", "--no-deps", "retrial-store", "judge", "/var/lib/retrial/store/trace", "--out", "/var/lib/retrial/store/report", files=files, check=False)
        assert "GET /item" in judged.stdout, judged
    finally:
        engine.compose(folder, "down", "-v", "-t", "1", files=files, check=False)
