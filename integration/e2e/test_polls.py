"""A poll that meets a fault: its next look may be a retry. A campaign, observe and judge leave it open in the same words."""
import sys

import pytest

from conftest import Answering, retrial, serving
from test_judge import observe, report

WAIT = """
import http.client, sys, time
def wait(port):
    for _ in range(8):
        c = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        c.request("GET", "/job")
        answer = c.getresponse()
        if answer.status == 200 and answer.read() == b"done": return True
        time.sleep(0.2)
    return False
if __name__ == "__main__": sys.exit(0 if wait(int(sys.argv[1])) else 3)
"""
TEST = """
import wait
def test_that_the_job_is_done():
    assert wait.wait({port})
"""
OPEN = ("this request is sent again after a success, as a poll does: what follows the fault may be a retry or the next look")


@pytest.fixture
def port():
    """A service whose job is done at every third look."""
    class Service(Answering):
        looks = 0

        def do_GET(self):
            Service.looks += 1
            self.answer(b"pending" if Service.looks % 3 else b"done")

    with serving(Service) as server:
        yield server.server_port


def left_open(folder):
    said = report(folder)
    assert said["clean"] == said["findings"] == [] and not any(n["operation"] == "GET /job" for n in said["notes"]), said
    return [(j["operation"], j["why"]) for j in said["not_judged"]]


def test_a_campaign_leaves_it_open(suite, port, python):
    project = suite(wait_DOT_py=WAIT, test_wait_DOT_py=TEST.format(port=port))
    done = retrial("run", "--policies", "k1", "--out", "o", "--", python, "-m", "pytest", "-q", cwd=project)
    assert left_open(project / "o") == [("GET /job", OPEN)], done


def test_observe_leaves_it_open_and_so_does_judge_beside_a_reference(suite, port):
    project = suite(wait_DOT_py=WAIT)
    command = [sys.executable, "wait.py", port]
    done = observe(project, "--inject", "error(503) x 1, then pass", "--repeat", 1, "--out", "o", command=command)
    assert left_open(project / "o") == [("GET /job", OPEN)], done
    done = observe(project, "--out", "usual", command=command)
    assert done.returncode == 0, done
    retrial("judge", "o", "usual", "--out", "judged", cwd=project)
    assert left_open(project / "judged") == [("GET /job", OPEN)]
