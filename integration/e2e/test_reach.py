"""Where faults go, and where not, as README.md promises it: loopback and private addresses only, and the rest is passed on and named."""
import shutil
import subprocess

import pytest

from conftest import RETRIAL

# 203.0.113.0/24 is nobody's (RFC 5737), 10.9.8.7 is private: in a network of its own both are this machine's.
NEAR, PRIVATE, FAR = "127.0.0.1", "10.9.8.7", "203.0.113.7"
ALONE = ["unshare", "-rn", "sh", "-c", f'ip link set lo up && ip addr add {PRIVATE} dev lo && ip addr add {FAR} dev lo && exec "$@"', "sh"]
CLIENT = """
import http.client, http.server, threading

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"ok")
    def log_message(self, *args): pass

def get(host):
    client = http.client.HTTPConnection(host, server.server_port, timeout=10)
    try:
        client.request("GET", "/" + host)
        return client.getresponse().status
    except OSError as error:
        return type(error).__name__
    finally:
        client.close()

server = http.server.ThreadingHTTPServer(("0.0.0.0", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
"""
TALK = CLIENT + f'print(*(get(host) for host in ("{NEAR}", "{PRIVATE}", "{FAR}")))\n'
TEST = f"""
from client import get

def test_it():
    assert [get(host) for host in ("{PRIVATE}", "{FAR}")] == [200, 200]
"""


@pytest.fixture
def alone(tmp_path):
    if not shutil.which("ip") or subprocess.run([*ALONE, "true"], capture_output=True).returncode != 0:
        pytest.skip("no network of its own can be made here")

    def go(*command):
        return subprocess.run([*ALONE, RETRIAL, *command], cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)

    return go


@pytest.mark.parametrize("fault, told", [("error(503)", "503 503 200"), ("refuse-connect", "ConnectionRefusedError ConnectionRefusedError 200")])
def test_a_fault_reaches_loopback_and_private_addresses_only(alone, python, fault, told):
    done = alone("observe", "--inject", fault, "--", python, "-c", TALK)
    assert done.stdout.splitlines() == [told], done
    assert f"connection left as it is: {FAR}:" in " ".join(done.stderr.split()), done


def test_without_a_fault_it_is_named_too(alone, python):
    done = alone("observe", "--", python, "-c", TALK)
    assert done.stdout.splitlines() == ["200 200 200"], done
    assert f"retrial: connection left as it is: {FAR}:" in done.stderr, done


def test_a_campaign_tries_nothing_elsewhere_and_names_it(alone, python, tmp_path):
    (tmp_path / "client.py").write_text(CLIENT)
    (tmp_path / "test_it.py").write_text(TEST)
    done = alone("run", "--policies", "p3", "--out", "out", "--", python, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    said = " ".join(done.stdout.split())
    assert f"connection left as it is: {FAR}:" in said and f"to 1 service: {PRIVATE}:" in said, done


@pytest.mark.parametrize("allow, told", [((), 200), (("--allow", FAR), 503), (("--allow", "203.0.113.0/24"), 503)])
def test_serve_reaches_no_further_unless_it_is_allowed(alone, python, tmp_path, allow, told):
    (tmp_path / "talk.py").write_text(CLIENT + f"""
import subprocess, sys, http.client
retrial = subprocess.Popen([{RETRIAL!r}, "serve", "--ca", "ca", "--record", "none", "--inject", "error(503)", *sys.argv[1:],
                            "--reverse", f"127.0.0.1:0=http://{FAR}:{{server.server_port}}"], stderr=subprocess.PIPE, text=True)
line = next(line for line in retrial.stderr if "listening on " in line)
client = http.client.HTTPConnection("127.0.0.1", int(line.split("listening on ")[1].split()[0].rsplit(":", 1)[1]), timeout=10)
client.request("GET", "/")
print(client.getresponse().status)
retrial.terminate()
""")
    done = subprocess.run([*ALONE, python, "talk.py", *allow], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines() == [str(told)], done
