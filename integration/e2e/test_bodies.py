"""Bodies of attempts are compared by what they hold: a file that was not rewound, envelopes that are packed."""
import json

import pytest

from conftest import Answering, serving
from test_judge import observe, report

FILE = """
import http.client, io, sys, time
file = io.BytesIO(b"a,b\\n" * 100)
for wait in (0.1, 0.2, 0):
    if sys.argv[2] == "right": file.seek(0)
    c = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=5)
    body = file.read()
    c.request("PUT", "/report", body, {"Content-Length": str(len(body))})
    if c.getresponse().status < 400: break
    time.sleep(wait)
"""

# What was lost is not sent again, but told of.
ENVELOPES = """
import gzip, http.client, json, sys, time
def send(*items):
    c = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=5)
    body = gzip.compress("\\n".join(map(json.dumps, [{"sent_at": time.ctime()}, *items])).encode())
    try:
        c.request("POST", "/envelope", body, {"Content-Encoding": "gzip"})
        return c.getresponse().status < 400
    except OSError:
        return False
if not send({"type": "event"}, {"message": "out of beans"}):
    time.sleep(1)
    send({"type": "client_report"}, {"discarded_events": 1})
"""


class Service(Answering):
    made = 0

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        Service.made += 1
        self.answer(json.dumps({"id": Service.made}).encode())

    do_PUT = do_POST


@pytest.fixture
def port():
    with serving(Service) as server:
        yield server.server_port


def found(cwd, port, python, fault, *arguments):
    observe(cwd, "--inject", f"{fault} x 1, then pass", "--out", "o", command=[python, "client.py", port, *arguments])
    said = report(cwd / "o")
    assert said["clean"] or said["findings"], said
    return [(f["verdict"], f["confidence"]) for f in said["findings"]]


def test_a_file_that_is_not_rewound_is_told_and_one_that_is_is_right(suite, port, python):
    cwd = suite(client_DOT_py=FILE)
    assert found(cwd, port, python, "error(503)", "wrong") == [("changed-on-retry", "likely")]
    assert found(cwd, port, python, "error(503)", "right") == []


def test_two_packed_envelopes_are_two_and_no_retry(suite, port, python):
    assert found(suite(client_DOT_py=ENVELOPES), port, python, "lost-response(reset)") == []
