"""A suite that speaks https to a service of its own, on loopback, with an authority of its own: opened, told by call site, put on
trial, and never shown a tag."""
import json
import sqlite3
import subprocess

import pytest

from conftest import ROOT, retrial

PYTHON_CLIENT = """
import requests, urllib3, urllib.request
from requests.adapters import HTTPAdapter
def fetch(url, verify):
    return requests.get(url + "/fetched", verify=verify, timeout=5).status_code  # fetch
def insist(url, verify):
    session = requests.Session()
    session.mount("https://", HTTPAdapter(max_retries=urllib3.Retry(3, status_forcelist=[503], backoff_factor=0.05)))
    return session.get(url + "/insisted", verify=verify, timeout=5).status_code  # insist
def pay(url, verify):
    for last in (False, True):
        try:
            return requests.post(url + "/payments", "amount=10", verify=verify, timeout=5).status_code  # pay
        except requests.ConnectionError:
            if last: raise
"""
PYTHON_TESTS = """
import http.server, os, ssl, threading
import pytest
import client
VERIFY = os.environ.get("VERIFY", True)
if VERIFY == "no": VERIFY = False
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with open(os.environ["SEEN"], "a") as seen: seen.write(self.path + " " + " ".join(self.headers.keys()).lower() + "\\n")
        self.send_response(200); self.send_header("Content-Length", "0"); self.end_headers()
    do_GET = do_POST = answer
    def log_message(self, *a): pass
@pytest.fixture(scope="module")
def url():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(os.environ["LEAF"] + ".pem", os.environ["LEAF"] + ".key")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield "https://localhost:%d" % server.server_port
    server.shutdown()
@pytest.mark.parametrize("call", [client.fetch, client.insist, client.pay])
def test_call(call, url):
    assert call(url, VERIFY) == 200
"""
NODE_CLIENT = """
import https from 'node:https';
export const fetched = async (url) => (await fetch(url + '/fetched')).status; // fetch
export const insist = async (url) => {
  for (let attempt = 1; ; attempt++) {
    const status = await new Promise((done, failed) => {
      https.get(url + '/insisted', (res) => res.resume().on('end', () => done(res.statusCode))).on('error', failed); // insist
    });
    if (status !== 503 || attempt === 3) return status;
    await new Promise((done) => setTimeout(done, 50 * attempt));
  }
};
"""
NODE_TESTS = """
import assert from 'node:assert'; import fs from 'node:fs'; import https from 'node:https'; import { after, before, test } from 'node:test';
import { fetched, insist } from './client.mjs';
const { LEAF, SEEN } = process.env;
const server = https.createServer({ cert: fs.readFileSync(LEAF + '.pem'), key: fs.readFileSync(LEAF + '.key') }, (req, res) => {
  fs.appendFileSync(SEEN, req.url + ' ' + Object.keys(req.headers).join(' ') + '\\n');
  req.resume().on('end', () => res.end());
});
let url;
before(() => new Promise((done) => server.listen(0, '127.0.0.1', () => { url = 'https://localhost:' + server.address().port; done(); })));
after(() => { server.closeAllConnections(); server.close(); });
test('fetched', async () => assert.strictEqual(await fetched(url), 200));
test('insists', async () => assert.strictEqual(await insist(url), 200));
"""


@pytest.fixture(scope="session")
def authority(tmp_path_factory):
    """A folder with an authority that this machine does not know, other.pem, and a service's leaf of it."""
    folder = tmp_path_factory.mktemp("authority")
    subprocess.run([ROOT / "tests/agents/certificates.sh", folder], check=True)
    return folder


class Project:
    """A suite, its command, and the variables by which its client trusts the service."""

    def __init__(self, folder, client, command, trust, authority):
        self.folder, self.client, self.command = folder, folder / client, command
        self.seen = folder / "seen"
        self.env = {"LEAF": str(authority / "other-leaf"), "SEEN": str(self.seen), **trust}

    def line(self, mark):
        lines = self.client.read_text().splitlines()
        return f"{self.client.name}:" + str([n for n, text in enumerate(lines, 1) if text.rstrip().endswith((f"# {mark}", f"// {mark}"))][0])

    def retrial(self, verb, *options):
        self.seen.unlink(missing_ok=True)
        return retrial(verb, "--out", self.folder / "out", *options, "--", *self.command, cwd=self.folder, env=self.env)

    def exchanges(self):
        """(path, line, client status, service status, fired) of each exchange, as they began."""
        rows = sqlite3.connect(self.folder / "out/campaign.db").execute(
            "SELECT target, site_file || ':' || site_line, client_status, service_status, fired FROM exchange ORDER BY begun")
        return list(rows)

    def tags_at_the_service(self):
        return [line for line in self.seen.read_text().splitlines() if "x-retrial" in line]


LANGUAGES = ["python", "python without verification", "node", "node without verification"]


@pytest.fixture(params=LANGUAGES)
def project(request, suite, python, node, authority):
    language, _, unverified = request.param.partition(" ")
    own = str(authority / "other.pem")
    if language == "python":
        folder = suite(client_DOT_py=PYTHON_CLIENT, test_client_DOT_py=PYTHON_TESTS)
        trust = {"VERIFY": "no"} if unverified else {"REQUESTS_CA_BUNDLE": own}
        return Project(folder, "client.py", [python, "-m", "pytest", "-q", "-p", "no:cacheprovider"], trust, authority)
    folder = suite(client_DOT_mjs=NODE_CLIENT, client_DOT_test_DOT_mjs=NODE_TESTS)
    trust = {"NODE_TLS_REJECT_UNAUTHORIZED": "0"} if unverified else {"NODE_EXTRA_CA_CERTS": own}
    return Project(folder, "client.mjs", [node, "--test"], trust, authority)


def test_exchanges_inside_tls_are_recorded_with_their_call_sites(project):
    done = project.retrial("observe")
    assert done.returncode == 0, done.stdout + done.stderr
    seen = {(path, line, status) for path, line, status, _, _ in project.exchanges()}
    assert {("/fetched", project.line("fetch"), 200), ("/insisted", project.line("insist"), 200)} <= seen
    assert project.tags_at_the_service() == [] and "/fetched" in project.seen.read_text()


def test_a_fault_is_played_inside_tls(project):
    done = project.retrial("observe", "--no-reference", "--inject", "error(503) x 1, then pass")
    assert done.returncode == 1, done.stdout + done.stderr  # what does not retry fails
    insisted = [e for e in project.exchanges() if e[0] == "/insisted"]
    assert [(status, fired) for _, _, status, _, fired in insisted] == [(503, 1), (200, 0)], insisted
    assert project.seen.read_text().count("/insisted") == 1


@pytest.mark.parametrize("project", LANGUAGES[:2], indirect=True)
def test_a_lost_response_inside_tls_shows_a_payment_made_twice(project):
    done = project.retrial("run", "--policies", "p1")
    report = json.loads((project.folder / "out/findings.json").read_text())
    found = {f["verdict"]: f for f in report["findings"] if f["operation"] == "POST /payments"}
    assert {"duplicate-effect", "retries-non-idempotent"} & set(found), done.stdout + done.stderr
    for finding in found.values():
        assert f"client.py:{finding['call_site']['line']}" == project.line("pay"), finding


def test_a_service_that_the_client_does_not_trust_is_refused_as_without_us(suite, python, authority):
    folder = suite(client_DOT_py=PYTHON_CLIENT, test_client_DOT_py=PYTHON_TESTS)
    project = Project(folder, "client.py", [python, "-m", "pytest", "-q", "-p", "no:cacheprovider"], {}, authority)
    done = project.retrial("observe")
    assert done.returncode == 1 and "SSLError" in done.stdout and "3 failed" in done.stdout, done.stdout + done.stderr
    assert not project.seen.exists()


# As a library with a TLS of its own, which no agent reaches.
OUT_OF_REACH = "import ssl\nssl.SSLContext.load_verify_locations = ssl.SSLContext.load_verify_locations.__wrapped__\n" + PYTHON_CLIENT


def test_a_client_with_an_authority_of_its_own_is_passed_unopened_and_named(suite, python, authority):
    folder = suite(client_DOT_py=OUT_OF_REACH, test_client_DOT_py=PYTHON_TESTS)
    project = Project(folder, "client.py", [python, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
                      {"VERIFY": str(authority / "other.pem")}, authority)
    done = project.retrial("run")
    told = done.stdout + done.stderr
    assert done.returncode == 3, told  # nothing can be seen of it
    assert "127.0.0.1:*, name localhost (its client does not trust our certificate" in told and "SSL_CERT_FILE" in told
    logs = sorted((project.folder / "out/logs").glob("0*.log"))
    assert "3 failed" in logs[0].read_text() and "3 passed" in logs[-1].read_text()


def test_a_command_that_is_observed_with_an_authority_of_its_own_is_run_again_unopened(suite, python, authority):
    folder = suite(client_DOT_py=OUT_OF_REACH, test_client_DOT_py=PYTHON_TESTS)
    project = Project(folder, "client.py", [python, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
                      {"VERIFY": str(authority / "other.pem")}, authority)
    done = project.retrial("observe")
    assert done.returncode == 0 and "3 failed" in done.stdout and "3 passed" in done.stdout, done.stdout + done.stderr
    assert "name localhost (its client does not trust our certificate" in done.stderr
    assert "the command is run again" in done.stderr
    assert "/fetched" in project.seen.read_text()
