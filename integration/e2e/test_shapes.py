"""A service that no profile knows: injected errors look as its own do, or as its description says."""
import json
import sys

import pytest

from conftest import Answering, retrial, serving
from test_judge import report

# Reads an error as the service gives it, and retries by it. `title` takes whatever was wrong for a missing document.
CLIENT = """
import http.client, json, sys, time
class DocError(Exception): pass
def get(port, doc):
    for wait in (1, 2, 4):
        c = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        c.request("GET", f"/docs/{doc}")
        answer = c.getresponse()
        body = json.loads(answer.read())
        if answer.status < 400: return body
        error = body["errors"][0]
        failed = DocError(error["reason"], error["status"])
        if error["status"] < 500: break
        time.sleep(wait)
    raise failed
def title(port, doc):
    try: return get(port, doc)["title"]
    except DocError: raise LookupError(f"no document {doc}") from None
if __name__ == "__main__": print(get(int(sys.argv[1]), 1))
"""
TEST = """
import docs, unittest
class Docs(unittest.TestCase):
    def test_a_doc(self):
        self.assertEqual(docs.get({port}, 1)["text"], "one")
    def test_a_title(self):
        self.assertEqual(docs.title({port}, 1), "One")
    def test_no_doc(self):
        self.assertRaises(docs.DocError, docs.get, {port}, "x")
"""


@pytest.fixture
def port():
    class Docs(Answering):
        def do_GET(self):
            found = self.path == "/docs/1"
            body = {"text": "one", "title": "One"} if found else {"errors": [{"reason": "not_found", "status": 404, "on": self.path}]}
            self.answer(json.dumps(body).encode(), 200 if found else 404, [("Content-Type", "application/json")])

    with serving(Docs) as server:
        yield server.server_port


def test_injected_errors_have_the_shape_of_those_that_the_suite_meets(suite, port):
    project = suite(docs_DOT_py=CLIENT, test_docs_DOT_py=TEST.format(port=port))
    done = retrial("run", "--policies", "p3", "--out", "o", "--", sys.executable, "-m", "unittest", cwd=project)
    said = report(project / "o")
    assert [(f["verdict"], f["test"]) for f in said["findings"]] == [("unrelated-exception", "test_docs.Docs.test_a_title")], done
    assert [c["test"] for c in said["clean"]] == ["test_docs.Docs.test_a_doc"] and "KeyError" not in json.dumps(said)
    told = f"rrors are injected in the shape of the service's own: 127.0.0.1:{port} (404)"
    assert "e" + told in said["campaign"]["remarks"] and "E" + told in " ".join(done.stdout.split()), done

    again = retrial("replay", said["findings"][0]["id"], "--from", "o", cwd=project)
    assert again.returncode == 1 and "no document 1" in again.stdout, again


DESCRIPTION = """
openapi: 3.1.0
paths:
  /docs/{doc}:
    get:
      responses:
        5XX:
          content:
            application/json: {schema: {$ref: "#/components/schemas/Failure"}}
components:
  schemas:
    Failure:
      properties:
        errors: {type: array, items: {required: [reason, status], properties: {reason: {enum: [BUSY]}, status: {type: integer}, more: {}}}}
"""


def test_injected_errors_have_the_shape_that_a_description_says(suite, port):
    project = suite(docs_DOT_py=CLIENT, openapi_DOT_yaml=DESCRIPTION,
                    retrial_DOT_toml=f'[service.docs]\naddress = "127.0.0.1:{port}"\nopenapi = "openapi.yaml"\n')

    def observe(*options):
        return retrial("observe", "--inject", "error(503)", "--repeat", 1, "--no-reference", "--out", "o", *options, "--", sys.executable, "docs.py",
                       port, cwd=project)

    assert "DocError: ('BUSY', 503)" in observe().stderr
    assert "KeyError: 'errors'" in observe("--profile", "generic").stderr
    (project / "openapi.yaml").write_text(DESCRIPTION.replace("schemas/Failure", "schemas/Failed"))
    wrong = observe()
    assert wrong.returncode == 2 and wrong.stderr.splitlines() == [
        'retrial: retrial.toml:3: [service.docs] openapi: expected an OpenAPI description (openapi.yaml: GET /docs/{doc}: '
        '$ref "#/components/schemas/Failed" leads nowhere), found "openapi.yaml"']
