"""What a suite shows of its services, learned, and held against the same suite with a service that fails silently, and under faults."""
import json
import os
import shutil
import subprocess
import sys

import pytest

from conftest import ROOT, Campaign, retrial
from test_serve import Serving

SUITE = [sys.executable, "-B", "-m", "unittest", "-q"]


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    here = tmp_path_factory.mktemp("checkers") / "checkers"
    shutil.copytree(ROOT / "integration/checkers", here, ignore=shutil.ignore_patterns(".retrial", "__pycache__"))
    for folder, suite in (("", "test_stock"), ("front", "test_front")):
        done = retrial("learn", "--", *SUITE, suite, cwd=here / folder)
        assert done.returncode == 0, done.stdout + done.stderr
    return here


def test_what_is_learned_is_a_file_for_people_and_is_not_written_over(programs):
    text = (programs / "checkers.toml").read_text()
    assert "# after PUT /docs/{id}, GET /docs/{id} answers `text`, `title` as it was sent\n[[checker]]\n" in text
    assert 'test    = "test_stock.Documents.' in text
    done = retrial("learn", "--", *SUITE, "test_stock", cwd=programs)
    assert done.returncode == 2 and "--replace writes it anew" in done.stderr
    assert (programs / "checkers.toml").read_text() == text


@pytest.mark.parametrize("wrong, told", [("stale-read", "was sent as"), ("gives-lock-twice", "granted again"), ("", "")])
def test_a_recording_of_a_service_that_fails_silently_is_told_and_one_of_the_right_one_is_not(programs, tmp_path, wrong, told):
    seen = retrial("observe", "--out", tmp_path / "seen", "--", *SUITE, "test_stock", cwd=programs, env={"WRONG": wrong})
    assert seen.returncode == 0, seen.stderr
    judged = retrial("judge", "--checkers", "checkers.toml", "--out", tmp_path / "judged", tmp_path / "seen", cwd=programs)
    report = json.loads((tmp_path / "judged/findings.json").read_text())
    assert [f["verdict"] for f in report["findings"]] == (["semantic-violation"] if wrong else []), judged.stdout
    assert all(told in f["message"] and f["fault"] == "no fault" for f in report["findings"])
    assert " ".join(judged.stdout.split()).count("had something to look at: ") == 1, judged.stdout


@pytest.mark.parametrize("behaviour", ["right", "swallows", "cached"])
def test_a_campaign_tells_what_the_test_does_not_look_at_and_blames_no_fault_on_the_application(programs, tmp_path, behaviour):
    cwd = programs / "front"
    done = retrial("run", "--policies", "p3", "--out", tmp_path / "campaign", "--checkers", "checkers.toml", "--", *SUITE, "test_front", cwd=cwd,
                   env={"BEHAVIOUR": behaviour})
    campaign = Campaign(done, tmp_path / "campaign", cwd)
    found, lost = campaign.findings("semantic-violation"), campaign.findings("lost-effect")
    if behaviour == "right":
        assert found == lost == [], campaign.explain()
        return
    if behaviour == "swallows":  # what the store shows afterwards tells it, too
        assert "PUT /values/{id}" in {f["operation"] for f in found + lost if f["confirmed"]}, campaign.explain()
        return
    assert found and all(f["operation"] == "PUT /values/{id}" and f["confirmed"] for f in found), campaign.explain()
    assert all("/notes/" in f["message"] and "(checker " in f["message"] for f in found)


def test_a_file_that_is_nonsense_is_told_in_one_line_before_anything_is_run(programs, tmp_path):
    for text, line in (('[[checker]]\nname = "a"\nrule = "read-back"\nservice = "*"\n', 'broken.toml:3: [[checker]] 1 rule: expected "reads-back"'),
                       ("[[checker]\n", "broken.toml:1: "), ("# none\n", "broken.toml: holds no [[checker]]"),
                       ('[[checker]]\nname = "a"\nrule = "gone"\nservice = "*"\nafter = "DELETE /a"\nthen = "GET /a"\ncolour = 1\n', "broken.toml:7: [[checker]] 1 colour: ")):
        (tmp_path / "broken.toml").write_text(text)
        (tmp_path / "retrial.toml").write_text('[checks]\nfile = "broken.toml"\n')
        for words in (("run", "--checkers", "broken.toml", "--", "true"), ("judge", "--checkers", "broken.toml", "nowhere"), ("run", "--", "true")):
            done = retrial(*words, cwd=tmp_path)
            assert done.returncode == 2 and line in done.stderr and done.stderr.count("\n") == 1, done.stderr
        os.remove(tmp_path / "retrial.toml")


@pytest.mark.parametrize("body, why", [
    ("def test_reads():\n    call(port, 'GET', '/lists/a/items')\n", "nothing was learned"),
    ("def test_fails():\n    call(port, 'PUT', '/values/a', {'value': 1})\n    assert False\n", "no test is left to try"),
    ("def test_once():\n    call(port, 'PUT', '/values/a', {'value': 1})\n    call(port, 'GET', '/values/a')\n", "held but were seen too seldom"),
    ("def test_random():\n    import random\n    call(port, 'POST', '/lists/a/items', {'item': random.random()})\n", "nothing was learned"),
])
def test_a_suite_that_shows_nothing_is_told_and_no_file_is_written(programs, tmp_path, body, why):
    for name in ("stock.py", "http_service.py"):
        shutil.copy(programs / name, tmp_path)
    lines = "".join(f"    {line}\n" for line in body.replace("():", "(self):").splitlines())
    (tmp_path / "test_it.py").write_text("import unittest\nfrom http_service import call\nfrom stock import Stock\nport = Stock().serve().server_port\n"
                                         f"class It(unittest.TestCase):\n{lines}")
    done = retrial("learn", "--", *SUITE, "test_it", cwd=tmp_path)
    assert done.returncode == 3 and why in done.stderr, done.stdout + done.stderr
    assert not (tmp_path / "checkers.toml").exists()


@pytest.mark.parametrize("wrong", ["", "loses-write"])
def test_serve_tells_what_passes_and_is_not_as_checkers_say(programs, tmp_path, wrong):
    """All of it is told at its end at the latest."""
    service = subprocess.Popen([sys.executable, "-B", "-c", "import stock, time; print(stock.Stock().serve().server_port, flush=True); time.sleep(600)"],
                               cwd=programs, env={**os.environ, "WRONG": wrong}, stdout=subprocess.PIPE, text=True)
    try:
        port = int(service.stdout.readline())
        # Whatever the port is, the service is named otherwise than in the tests.
        checkers = (programs / "checkers.toml").read_text().replace('"127.0.0.1:*"', '"*"')
        (tmp_path / "checkers.toml").write_text(checkers)
        server = Serving(tmp_path, "--reverse", f"127.0.0.1:0=http://127.0.0.1:{port}", "--checkers", "checkers.toml")
        client = server.client()
        for text in ("One thing", "Another thing"):
            for method, body in (("PUT", json.dumps({"value": text})), ("GET", None)):
                client.request(method, "/values/a1b2c3", body)
                client.getresponse().read()
        client.close()
        server.end()
    finally:
        service.kill()
        service.wait()
    told = [line for line in server.log if "semantic-violation: " in line]
    assert len(told) == bool(wrong) and all("was sent as" in line and "reads-back-get-values-id" in line for line in told), server.log
