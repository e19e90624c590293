"""A service that keeps what a run leaves there, so that the next sends less."""
import sys

from conftest import Answering, Campaign, retrial, serving

CLIENT = """
import os, urllib.error, urllib.request
URL = os.environ["STORE"]
def ask(method, path):
    with urllib.request.urlopen(urllib.request.Request(URL + path, method=method, data=b"x" if method == "PUT" else None), timeout=5) as answer:
        return answer.read()
def upload(name):
    try:
        ask("GET", "/blobs/" + name)
    except urllib.error.HTTPError:
        ask("PUT", "/blobs/" + name)
"""
TESTS = """
import client
def test_upload(): client.upload("report")
def test_read(): client.upload("report")
"""


class Store(Answering):
    def do_GET(self):
        self.answer(b"x", 200 if self.path in self.server.kept else 404)

    def do_PUT(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.kept.add(self.path)
        self.answer(b"", 201)


def test_calls_of_the_first_run_alone_are_named_with_what_would_bring_them_back(suite, tmp_path):
    folder, out = suite(client_DOT_py=CLIENT, test_store_DOT_py=TESTS), tmp_path / "out"
    with serving(Store) as store:
        store.kept = set()
        done = retrial("run", "--out", out, "--policies", "k1", "--", sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
                       cwd=folder, env={"STORE": f"http://127.0.0.1:{store.server_port}"})
    campaign = Campaign(done, out, folder)
    [left] = [line for line in campaign.report["campaign"]["left_alone"] if "PUT /blobs/report" in line]
    assert "in the first run alone" in left and "reset" in left, campaign.explain()
    opening = " ".join(campaign.out.split()).partition("Judged, nothing found")[0]
    assert "in the first run alone" in opening, campaign.explain()
