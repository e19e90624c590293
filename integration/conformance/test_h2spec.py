"""h2spec against `retrial serve --reverse`: clear text and TLS, before services of HTTP/1.1 and HTTP/2."""
import xml.etree.ElementTree

import pytest

import services
from conftest import BUILT, output_of

CASES = 145
# The port takes HTTP/1.1 as well, which answers 400 to what is no preface: h2spec wants a closed connection and no byte before it.
IN_CLEAR_TEXT = {"http2/3.5/2 Sends invalid connection preface"}


def not_passed(report):
    """The names of the cases in this JUnit report that did not pass, and the number of all."""
    names, found = set(), 0
    for section in xml.etree.ElementTree.parse(report).iter("testsuite"):
        for number, case in enumerate(section.iter("testcase"), 1):
            found += 1
            if len(case):  # failure, error or skipped
                names.add(f"{section.get('package')}/{number} {case.get('classname')}")
    return names, found


@pytest.mark.parametrize("client, scheme, speech", [
    ("clear text", "http", "HTTP/1.1"), ("clear text", "http", "HTTP/2"),
    ("TLS", "http", "HTTP/1.1"), ("TLS", "http", "HTTP/2"), ("TLS", "https", "HTTP/2"),
])
def test_every_case_passes_but_the_named_one(client, scheme, speech, serve, authority, tmp_path):
    tls = services.tls(authority / "other-leaf.pem", authority / "other-leaf.key") if scheme == "https" else None
    with services.Service(services.Http1 if speech == "HTTP/1.1" else services.Http2, tls) as behind:
        serving = serve(f"{scheme}://127.0.0.1:{behind.port}")
        h2spec = [BUILT / "bin/h2spec", "-h", "localhost", "-p", serving.port, *(["--tls", "--insecure"] if client == "TLS" else [])]
        _, told = output_of([*h2spec, "-j", tmp_path / "report.xml"])
        names, found = not_passed(tmp_path / "report.xml")
        assert names == (IN_CLEAR_TEXT if client == "clear text" else set()), told[told.find("Failures:"):]
        assert found == CASES
        again, told = output_of([*h2spec, "generic/1"])
        assert again == 0, told
        serving.ended_well()
    assert behind.faults == [] and behind.answered > 0
