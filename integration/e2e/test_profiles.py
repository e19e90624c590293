"""A service family that Retrial does not know, told in retrial.toml."""
import json
import sys

import pytest

from conftest import Answering, retrial, serving

PROFILE = """
[profile.paper]
file = "profiles/paper.toml"
"""
PAPER = """
created = ["/sheet"]
id_headers = ["Paper-Call"]

[[recognise]]
request = { Paper-Version = true }

[[operation]]
method = "POST"
path = "/papers/{name}/print"
repeat = "effect"

[error]
body = '{"jam":{"kind":"{code}","note":"{marker}"}}'
5xx = { code = "torn" }
"""
CLIENT = """
import http.client, json, sys
for last in (False, True):
    try:
        c = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=5)
        c.request("POST", "/papers/thesis/print", "{}", {"Paper-Version": "2", "Paper-Call": "c-17"})
        answer = json.loads(c.getresponse().read())
        print(json.dumps(answer))
        if "sheet" in answer or answer["jam"]["kind"] != "torn": break
    except OSError:
        if last: raise
"""


class Printer(Answering):
    printed = 0

    def do_POST(self):
        Printer.printed += 1
        body = json.dumps({"sheet": f"s-{Printer.printed}"}).encode()
        self.answer(body)


@pytest.fixture
def port():
    with serving(Printer) as server:
        yield server.server_port


def observe(cwd, port, faults, *options):
    done = retrial("observe", "--inject", faults, "--out", cwd / "out", "--repeat", 1, "--no-reference", *options, "--", sys.executable, "client.py",
                   port, cwd=cwd)
    report = cwd / "out/findings.json"
    return done, json.loads(report.read_text())["findings"] if report.exists() else []


def test_an_own_profile_tells_what_may_be_repeated_and_how_errors_look(suite, port):
    cwd = suite(retrial_DOT_toml=PROFILE, profiles__paper_DOT_toml=PAPER, client_DOT_py=CLIENT)
    done, findings = observe(cwd, port, "lost-response(reset) x 1, then pass")
    assert [(f["verdict"], f["confidence"], f["operation"]) for f in findings] == [
        ("duplicate-effect", "certain", "POST /papers/{name}/print")], done.stderr
    assert "(profile paper)" in json.dumps(findings) and "(s-1 and s-2)" in json.dumps(findings)

    done, _ = observe(cwd, port, "error(503) x 1, then pass")
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert told[0]["jam"]["kind"] == "torn" and told[0]["jam"]["note"].startswith("retrial-"), done.stdout
    assert told[1]["sheet"] == "s-3"

    # What is not known is the generic one's: an error that is an object.
    (cwd / "retrial.toml").unlink()
    done, _ = observe(cwd, port, "error(404) x 1, then pass", "--profile", "generic")
    assert "KeyError: 'jam'" in done.stderr, done.stderr


def test_a_profile_that_is_wrong_gets_one_line(suite, port):
    cwd = suite(retrial_DOT_toml=PROFILE, profiles__paper_DOT_toml=PAPER.replace("5xx", "5x"), client_DOT_py=CLIENT)
    done, _ = observe(cwd, port, "error(503)")
    assert done.returncode == 2
    assert done.stderr.splitlines() == ['retrial: profiles/paper.toml:15: [profile.paper] error 5x: expected headers, body, or a status '
                                        'from 400 to 599, "4xx" or "5xx", found a table']
    done, _ = observe(suite(profiles__paper_DOT_toml=PAPER), port, "error(503)", "--profile", "papr")
    assert done.returncode == 2 and "did you mean paper?" in done.stderr
