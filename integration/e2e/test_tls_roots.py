"""Authorities that a program names in its own code: the agents put what Retrial signs with beside each, and nothing that the
program would have refused becomes good by that."""
import json
import os
import sqlite3
import subprocess

import pytest

from conftest import ROOT, retrial

SERVER = """
import http.server, os, ssl, threading
import pytest
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.send_response(200); self.send_header("Content-Length", "0"); self.end_headers()
    def log_message(self, *a): pass
def serve(leaf):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(leaf + ".pem", leaf + ".key")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
@pytest.fixture(scope="session")
def url():
    server = serve(os.environ["OTHER"] + "-leaf")
    yield "https://localhost:%d" % server.server_port
    server.shutdown()
@pytest.fixture(scope="session")
def strange():
    server = serve(os.environ["STRANGE"] + "-leaf")
    yield "https://localhost:%d" % server.server_port
    server.shutdown()
"""
PYTHON_CLIENT = """
import http.client, os, ssl, urllib.request
import aiohttp, asyncio, httpx, requests
CA = os.environ["OTHER"] + ".pem"
PEM = open(CA).read()
def session(url):
    s = requests.Session()
    s.verify = CA
    return s.get(url + "/session", timeout=5).status_code
def argument(url): return requests.get(url + "/argument", verify=CA, timeout=5).status_code
def unverified(url):
    s = requests.Session()
    s.verify = False
    return s.get(url + "/unverified", timeout=5).status_code
def folder(url):
    context = ssl.create_default_context(capath=os.environ["HASHED"])
    return urllib.request.urlopen(url + "/folder", context=context, timeout=5).status
def text(url): return urllib.request.urlopen(url + "/text", context=ssl.create_default_context(cadata=PEM), timeout=5).status
def der(url):
    context = ssl.create_default_context(cadata=ssl.PEM_cert_to_DER_cert(PEM))
    return urllib.request.urlopen(url + "/der", context=context, timeout=5).status
def by_httpx(url): return httpx.get(url + "/by_httpx", verify=ssl.create_default_context(cafile=CA), timeout=5).status_code
def by_aiohttp(url):
    async def get():
        async with aiohttp.ClientSession() as s, s.get(url + "/by_aiohttp", ssl=ssl.create_default_context(cafile=CA)) as answer:
            return answer.status
    return asyncio.run(get())
ALL = [session, argument, unverified, folder, text, der, by_httpx, by_aiohttp]
"""
PYTHON_TESTS = """
import os, ssl
import pytest, requests
import client
@pytest.mark.parametrize("call", client.ALL)
def test_call(call, url): assert call(url) == 200
def test_its_authority_does_not_make_another_service_good(strange):
    with pytest.raises(requests.exceptions.SSLError): client.session(strange)
def test_another_authority_does_not_make_its_service_good(url):
    with pytest.raises(requests.exceptions.SSLError): requests.get(url + "/wrong", verify=os.environ["STRANGE"] + ".pem", timeout=5)
def test_each_authority_has_its_service(url, strange):
    assert client.session(url) == 200
    assert requests.get(strange + "/strange", verify=os.environ["STRANGE"] + ".pem", timeout=5).status_code == 200
def test_without_one_it_is_refused(url):
    with pytest.raises(requests.exceptions.SSLError): requests.get(url + "/default", timeout=5)
def test_what_is_no_certificate_is_refused_as_ever(tmp_path):
    (tmp_path / "empty.pem").write_text("")
    with pytest.raises(ssl.SSLError): ssl.create_default_context(cafile=tmp_path / "empty.pem")
"""
NODE_CLIENT = """
import fs from 'node:fs'; import http2 from 'node:http2'; import https from 'node:https'; import tls, { connect } from 'node:tls';
const ca = fs.readFileSync(process.env.OTHER + '.pem');
const get = (url, options) => new Promise((done, failed) => {
  https.get(url, options, (res) => res.resume().on('end', () => done(res.statusCode))).on('error', failed);
});
const bare = (socket, path) => new Promise((done, failed) => {
  socket.on('error', failed).on('data', (data) => { done(Number(String(data).split(' ')[1])); socket.destroy(); });
  socket.write(`GET ${path} HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n`);
});
export const byAgent = (url) => get(url + '/byAgent', { agent: new https.Agent({ ca }) });
export const byOption = (url) => get(url + '/byOption', { ca: [ca.toString(), ...tls.rootCertificates] });
export const byTls = (url) => bare(connect({ host: 'localhost', port: new URL(url).port, servername: 'localhost', ca: [ca] }), '/byTls');
export const byContext = (url) =>
  bare(tls.connect({ host: 'localhost', port: new URL(url).port, servername: 'localhost', secureContext: tls.createSecureContext({ ca }) }), '/byContext');
"""
NODE_TESTS = """
import assert from 'node:assert'; import fs from 'node:fs'; import https from 'node:https'; import { after, before, test } from 'node:test';
import * as client from './client.mjs';
const { OTHER, STRANGE } = process.env;
const serve = (leaf) => https.createServer({ cert: fs.readFileSync(leaf + '-leaf.pem'), key: fs.readFileSync(leaf + '-leaf.key') },
  (req, res) => req.resume().on('end', () => res.end()));
const servers = [serve(OTHER), serve(STRANGE)];
const urls = [];
before(async () => {
  for (const server of servers) {
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    urls.push('https://localhost:' + server.address().port);
  }
});
after(() => servers.forEach((server) => { server.closeAllConnections(); server.close(); }));
for (const name of Object.keys(client)) test(name, async () => assert.strictEqual(await client[name](urls[0]), 200));
test('its authority does not make another service good', () => assert.rejects(client.byAgent(urls[1])));
"""


@pytest.fixture(scope="session")
def env(tmp_path_factory):
    """The variables by which the clients know two authorities that this machine does not, and services of both."""
    names = {}
    for name in ("OTHER", "STRANGE"):
        folder = tmp_path_factory.mktemp(name.lower())
        subprocess.run([ROOT / "tests/agents/certificates.sh", folder], check=True)
        names[name] = str(folder / "other")
    hashed = tmp_path_factory.mktemp("hashed")
    digest = subprocess.run(["openssl", "x509", "-noout", "-subject_hash", "-in", names["OTHER"] + ".pem"], check=True,
                            capture_output=True, text=True).stdout.strip()
    (hashed / f"{digest}.0").write_bytes(open(names["OTHER"] + ".pem", "rb").read())
    return {**names, "HASHED": str(hashed)}


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch):
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"):
        monkeypatch.delenv(name, raising=False)


def answered(folder):
    rows = sqlite3.connect(folder / "out/campaign.db").execute("SELECT target FROM exchange WHERE client_status = 200")
    return {target.strip("/") for target, in rows}


@pytest.mark.parametrize("verb", ["observe", "run"])
def test_a_program_in_python_is_seen_into_and_refuses_what_it_would_refuse(verb, suite, python, env):
    folder = suite(client_DOT_py=PYTHON_CLIENT, conftest_DOT_py=SERVER, test_client_DOT_py=PYTHON_TESTS)
    options = ["--policies", "k1"] if verb == "run" else []
    done = retrial(verb, "--out", folder / "out", *options, "--", python, "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=folder, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    calls = {"session", "argument", "unverified", "folder", "text", "der", "by_httpx", "by_aiohttp", "strange"}
    assert calls <= answered(folder), calls - answered(folder)
    report = json.loads((folder / "out/findings.json").read_text())
    assert not any("does not trust" in line for line in report["campaign"]["left_alone"]), report["campaign"]["left_alone"]


def test_a_program_in_node_is_seen_into_and_refuses_what_it_would_refuse(suite, node, env):
    folder = suite(client_DOT_mjs=NODE_CLIENT, client_DOT_test_DOT_mjs=NODE_TESTS)
    done = retrial("observe", "--out", folder / "out", "--", node, "--test", cwd=folder, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    assert {"byAgent", "byOption", "byTls", "byContext"} <= answered(folder), done.stdout + done.stderr
