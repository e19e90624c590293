"""One helper, two functions that call it: findings name the chain, and who sends again."""
import itertools
import json
import shutil
import subprocess

import pytest

from conftest import APPS, Answering, Campaign, retrial, serving


class Parcels(Answering):
    """POST /parcels makes one, and says which; GET answers."""

    made = itertools.count(1)

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.answer(b"{\"id\": %d}" % next(self.made), 201, [("Content-Type", "application/json")])

    def do_GET(self):
        self.answer(b"{}")


@pytest.fixture
def parcels():
    with serving(Parcels) as server:
        yield server.server_address[1]


PYTHON = {
    "src__base.py": """import urllib.request

def ask(port, method, path):
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", b"{}" if method == "POST" else None, method=method)
    return urllib.request.urlopen(request, timeout=5).read()
""",
    "src__track.py": """from src.base import ask

def send(port):
    return ask(port, "POST", "/parcels")

def track(port):
    while True:
        try:
            return send(port)
        except OSError:
            pass

def label(port):
    return ask(port, "POST", "/parcels")
""",
    "src__price.py": """import urllib3

pool = urllib3.PoolManager(retries=urllib3.Retry(6, status_forcelist=[503], backoff_factor=0))

def price(port):
    return pool.request("GET", f"http://127.0.0.1:{port}/prices").data
""",
    "test_parcels.py": """import os
from src.price import price
from src.track import label, track

def test_track(): assert track(os.environ["PORT"])

def test_label(): assert label(os.environ["PORT"])

def test_price(): assert price(os.environ["PORT"])
""",
}


def chain(site):
    return " <- ".join(f"{f['file']}:{f['line']} {f['function']}" for f in [site, *site["callers"]])


def tried(folder, port, command, *options):
    out = folder / "out"
    return Campaign(retrial("run", "--out", out, *options, "--", *command, cwd=folder, env={"PORT": str(port)}), out, folder)


def said_of(campaign, verdict):
    return {(chain(f["call_site"]), f["retried_by"]) for f in campaign.findings(verdict)}


def judged(campaign, tracked, retry, labelled):
    """One call is wrong, which no other has to answer for."""
    for verdict in ("missing-cap", "missing-delay"):
        assert said_of(campaign, verdict) == {(tracked, retry)}, campaign.explain()
    assert said_of(campaign, "duplicate-effect") | said_of(campaign, "retries-non-idempotent") == {(tracked, retry)}, campaign.explain()
    assert labelled in {chain(j["call_site"]) for j in campaign.report["clean"]}, campaign.explain()


def test_pythons_findings_name_the_chain_and_who_sends_again(suite, python, parcels):
    version = subprocess.run([python, "-c", "import urllib3; print(urllib3.__version__)"], capture_output=True, text=True).stdout.strip()
    campaign = tried(suite(**PYTHON), parcels, [python, "-m", "pytest", "-q", "-p", "no:cacheprovider"], "--policies", "p3,p1")
    tracked = "src/base.py:5 ask <- src/track.py:4 send <- src/track.py:9 track"
    labelled = "src/base.py:5 ask <- src/track.py:14 label"
    by_hand, by_library = (tracked, "src/track.py:9 track"), ("src/price.py:6 price", f"urllib3 {version}")
    assert said_of(campaign, "missing-cap") == {by_hand}, campaign.explain()
    assert said_of(campaign, "missing-delay") == {by_hand, by_library}, campaign.explain()
    assert said_of(campaign, "duplicate-effect") | said_of(campaign, "retries-non-idempotent") == {by_hand}, campaign.explain()
    assert {chain(j["call_site"]) for j in campaign.report["clean"]} >= {labelled}, "what it does is no fault of its neighbour's"
    told = " ".join(campaign.out.split())
    assert tracked in told and "retry src/track.py:9 track" in told and f"retry urllib3 {version}" in told, campaign.out
    html = (campaign.folder / "report.html").read_text()
    assert "&larr; src/track.py:9 track" in html and f"<code>urllib3 {version}</code>" in html
    assert f"call site: {tracked}\nretry: src/track.py:9 track\n".replace("<", "&lt;") in (campaign.folder / "junit.xml").read_text()
    sarif = json.loads((campaign.folder / "findings.sarif").read_text())
    caps = [r for r in sarif["runs"][0]["results"] if r["ruleId"] == "missing-cap"]
    for result in caps:
        frames = [f["location"]["physicalLocation"] for f in result["stacks"][0]["frames"]]
        assert [f["artifactLocation"]["uri"] for f in frames] == ["src/base.py", "src/track.py", "src/track.py"]
        related = {r["message"]["text"]: r["physicalLocation"]["region"]["startLine"] for r in result["relatedLocations"]}
        assert related == {"called by send": 4, "track sends again": 9}
    assert caps

NODE = {
    "package.json": '{"name": "parcels", "type": "module"}',
    "src__base.js": """export async function ask(port, method, path) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, signal: AbortSignal.timeout(5000) });
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  return answer.json();
}
""",
    "src__track.js": """import { ask } from './base.js';

const send = (port) => ask(port, 'POST', '/parcels');

export async function track(port) {
  for (;;) {
    try {
      return await send(port);
    } catch {}
  }
}

export async function label(port) {
  return ask(port, 'POST', '/parcels');
}
""",
    "parcels.test.js": """import test from 'node:test';
import { label, track } from './src/track.js';

test('track', () => track(process.env.PORT));
test('label', () => label(process.env.PORT));
""",
}


def test_nodes_findings_name_the_chain_and_the_function_that_goes_on(suite, node, parcels):
    campaign = tried(suite(**NODE), parcels, [node, "--test", "parcels.test.js"], "--policies", "p3,p1")
    judged(campaign, "src/base.js:2 ask <- src/track.js:3 send <- src/track.js:8 track", "src/track.js:8 track",
           "src/base.js:2 ask <- src/track.js:14 label")


GO = {
    "go.mod": "module example.com/parcels\n\ngo 1.24\n",
    "base__base.go": """package base

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

var client = &http.Client{Timeout: 5 * time.Second}

func Ask(method, path string) (string, error) {
	request, err := http.NewRequest(method, "http://127.0.0.1:"+os.Getenv("PORT")+path, nil)
	if err != nil {
		return "", err
	}
	answer, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	if answer.StatusCode >= 400 {
		return "", fmt.Errorf("HTTP %d", answer.StatusCode)
	}
	body, err := io.ReadAll(answer.Body)
	return string(body), err
}
""",
    "track__track.go": """package track

import "example.com/parcels/base"

func send() (string, error) { return base.Ask("POST", "/parcels") }

func Track() string {
	for {
		if id, err := send(); err == nil {
			return id
		}
	}
}

func Label() (string, error) {
	labelled := make(chan error)
	var id string
	go func() {
		var err error
		id, err = base.Ask("POST", "/parcels")
		labelled <- err
	}()
	return id, <-labelled
}
""",
    "track__track_test.go": """package track

import "testing"

func TestTrack(t *testing.T) { Track() }

func TestLabel(t *testing.T) {
	if _, err := Label(); err != nil {
		t.Fatal(err)
	}
}
""",
}


@pytest.mark.skipif(not shutil.which("go"), reason="there is no go here")
def test_gos_findings_name_the_chain_and_the_outermost_function(suite, parcels):
    campaign = tried(suite(**GO), parcels, ["go", "test", "./..."], "--policies", "p3,p1")
    judged(campaign, "base/base.go:18 Ask <- track/track.go:5 send <- track/track.go:9 Track", "track/track.go:9 Track",
           "base/base.go:18 Ask <- track/track.go:20 Label.func1 <- track/track.go:18 Label")


JAVA = {
    "pom.xml": (APPS / "parcel-desk/pom.xml").read_text(),
    "src__main__java__parcels__Base.java": """package parcels;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

final class Base {
  private static final HttpClient client = HttpClient.newHttpClient();

  static String ask(String method, String path) throws IOException, InterruptedException {
    var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + System.getenv("PORT") + path))
                      .timeout(Duration.ofSeconds(5))
                      .method(method, HttpRequest.BodyPublishers.noBody())
                      .build();
    var answer = client.send(request, BodyHandlers.ofString());
    if (answer.statusCode() >= 400) throw new IOException("HTTP " + answer.statusCode());
    return answer.body();
  }
}
""",
    "src__main__java__parcels__Track.java": """package parcels;

import java.io.IOException;
import java.util.concurrent.Executors;

final class Track {
  private static String send() throws IOException, InterruptedException { return Base.ask("POST", "/parcels"); }

  static String track() throws InterruptedException {
    for (;;) {
      try {
        return send();
      } catch (IOException error) {
        // once more
      }
    }
  }

  static String deliver() throws InterruptedException { return track(); }

  static String label() throws Exception {
    var pool = Executors.newSingleThreadExecutor();
    try {
      return pool.submit(() -> Base.ask("POST", "/parcels")).get();
    } finally {
      pool.shutdown();
    }
  }
}
""",
    "src__test__java__parcels__TrackTest.java": """package parcels;

import org.junit.jupiter.api.Test;

class TrackTest {
  @Test
  void delivers() throws Exception { Track.deliver(); }

  @Test
  void labels() throws Exception { Track.label(); }
}
""",
}


@pytest.mark.skipif(not (shutil.which("mvn") and shutil.which("javac")), reason="no JDK or no Maven")
def test_javas_findings_name_the_chain_and_the_function_that_calls_from_within_a_loop(suite, parcels):
    campaign = tried(suite(**JAVA), parcels, ["mvn", "-q", "test"], "--policies", "p3,p1")
    ask, track = "src/main/java/parcels/Base.java:18 Base.ask", "src/main/java/parcels/Track.java:12 Track.track"
    judged(campaign, f"{ask} <- src/main/java/parcels/Track.java:7 Track.send <- {track} <- src/main/java/parcels/Track.java:19 Track.deliver", track,
           f"{ask} <- src/main/java/parcels/Track.java:24 Track.label")
