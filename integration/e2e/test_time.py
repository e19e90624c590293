"""Time compression, through the user's command: what is asserted is the client's time and the verdicts."""
import json
import shutil
import sqlite3
import subprocess
import threading

import pytest

from conftest import Answering, retrial, serving

LADDER = [1, 2, 4, 8, 16, 32]


class Answers(Answering):
    def do_GET(self):
        self.answer(b"ok")


@pytest.fixture(scope="module")
def address():
    with serving(Answers) as server:
        yield f"http://127.0.0.1:{server.server_port}"


class Observed:
    def __init__(self, folder, done):
        self.done, self.folder = done, folder
        self.report = json.loads((folder / "findings.json").read_text())
        store = sqlite3.connect(folder / "campaign.db")
        self.jumped = store.execute("SELECT coalesce(sum(by), 0) / 1e9 FROM jump WHERE run = (SELECT max(id) FROM run)").fetchone()[0]
        run, self.compressed, self.real_time, self.stop = store.execute(
            "SELECT id, compressed, real_time, stop FROM run WHERE kind = 'with-fault'").fetchone()
        times = store.execute("SELECT begun / 1e9, told / 1e9 FROM exchange WHERE run = ? ORDER BY id", (run,)).fetchall()
        self.gaps = [begun - told for (_, told), (begun, _) in zip(times, times[1:])]

    def verdicts(self):
        return sorted((f["verdict"], f["confidence"]) for f in self.report["findings"])


@pytest.fixture
def observe(tmp_path):
    def go(*command, inject, options=(), name="o", cwd=tmp_path):
        folder = tmp_path / name
        done = retrial("observe", "--repeat", "1", "--inject", inject, "--out", folder, *options, "--", *command, cwd=cwd)
        assert (folder / "campaign.db").exists(), done
        return Observed(folder, done)

    return go


def is_ladder(gaps):
    return len(gaps) == 6 and all(want <= gap <= want + max(0.02 * want, 0.5) for want, gap in zip(LADDER, gaps))


def test_a_ladder_in_python_is_waited_out_in_the_clients_time(observe, python, address):
    code = f"""
import time, urllib.request, urllib.error
began, wall = time.monotonic(), time.time()
for i in range(7):
    try: urllib.request.urlopen("{address}/x")
    except urllib.error.HTTPError: pass
    if i < 6: time.sleep(2 ** i)
print(round(time.monotonic() - began), round(time.time() - wall))
"""
    seen = observe(python, "-c", code, inject="error(503)")
    assert seen.done.stdout == "63 63\n", seen.done
    assert is_ladder(seen.gaps), seen.gaps
    assert seen.jumped > 60 and seen.compressed and seen.real_time == ""


def test_asyncio_and_threads_of_python_wait_in_it_too(observe, python, address):
    code = f"""
import asyncio, threading, queue, time, subprocess, urllib.request, urllib.error
try: urllib.request.urlopen("{address}/x")
except urllib.error.HTTPError: pass
def waited(wait):
    began = time.monotonic()
    try: wait()
    except Exception as e: return type(e).__name__, int(time.monotonic() - began)
    return int(time.monotonic() - began)
print(waited(lambda: asyncio.run(asyncio.sleep(20))), waited(lambda: threading.Event().wait(20)),
      waited(lambda: queue.Queue().get(timeout=20)), waited(lambda: subprocess.run(["sleep", "20"])),
      waited(lambda: subprocess.run(["sleep", "100"], timeout=20)))
"""
    seen = observe(python, "-c", code, inject="error(503)")
    assert seen.done.stdout == "20 20 ('Empty', 20) 20 ('TimeoutExpired', 20)\n", seen.done


def test_timers_and_limits_of_node(observe, node, address):
    code = f"""
const began = performance.now(), wall = Date.now()
const seconds = () => [Math.floor((performance.now() - began) / 1000), Math.floor((Date.now() - wall) / 1000)]
await new Promise((done) => setTimeout(done, 1))
const error = await fetch("{address}/x", {{ signal: AbortSignal.timeout(30000) }}).catch((e) => e.name)
console.log(error, ...seconds())
await new Promise((done) => setTimeout(done, 20000))
console.log(...seconds())
"""
    seen = observe(node, "--input-type=module", "-e", code, inject="stall")
    assert seen.done.stdout == "TimeoutError 30 30\n50 50\n", seen.done


@pytest.mark.skipif(not shutil.which("go"), reason="there is no go here")
def test_what_go_builds_within_the_run_waits_in_it_too(observe, suite, address):
    folder = suite(go_DOT_mod="module sample\n\ngo 1.24\n", sample_test_DOT_go=f"""package sample

import (
	"net/http"
	"testing"
	"time"
)

func TestLadder(t *testing.T) {{
	began := time.Now()
	for i := 0; i < 7; i++ {{
		answer, err := http.Get("{address}/x")
		if err != nil {{
			t.Fatal(err)
		}}
		answer.Body.Close()
		if i < 6 {{
			time.Sleep(time.Second << i)
		}}
	}}
	if took := time.Since(began); took < 63*time.Second || took > 66*time.Second {{
		t.Fatal(took)
	}}
}}
""")
    seen = observe("go", "test", "./...", inject="error(503)", cwd=folder)
    assert seen.done.returncode == 0, seen.done.stdout
    assert is_ladder(seen.gaps), seen.gaps
    assert seen.jumped > 60 and seen.real_time == "", seen.real_time


@pytest.mark.skipif(not shutil.which("go"), reason="there is no go here")
def test_go_links_a_test_binary_once_a_campaign(observe, suite, address):
    folder = suite(go_DOT_mod="module sample\n\ngo 1.24\n", sample_test_DOT_go=f"""package sample

import (
	"net/http"
	"testing"
)

func TestOne(t *testing.T) {{
	if answer, err := http.Get("{address}/x"); err != nil || answer.StatusCode != 503 {{
		t.Fatal(err)
	}}
}}
""")
    seen = observe("sh", "-c", "go test -ldflags=-v . && go test -ldflags=-v .", inject="error(503)", cwd=folder)
    said = seen.done.stdout + seen.done.stderr
    linked = said + (seen.folder / "logs/0001.log").read_text()
    assert seen.done.returncode == 0 and said.count("ok ") == 2 and linked.count("HEADER = ") == 1, linked
    assert (seen.folder / "agents/go/toolexec.sh").exists() and not (seen.folder / "agents/go/cache").exists()


def test_a_verdict_is_the_same_in_real_time(observe, python, address):
    code = f"""
import urllib.request, urllib.error, time
for i in range(4):
    try: urllib.request.urlopen("{address}/x")
    except urllib.error.HTTPError: pass
    time.sleep(0.4)
"""
    moved = observe(python, "-c", code, inject="error(503)", name="moved")
    real = observe(python, "-c", code, inject="error(503)", name="real", options=["--real-time"])
    assert moved.jumped > 1 and real.jumped == 0 and not real.compressed
    assert moved.verdicts() == real.verdicts()


def test_a_program_that_cannot_be_moved_is_named_and_waits_its_time(observe, python, address, tmp_path):
    source = tmp_path / "naps.c"
    source.write_text("#include <unistd.h>\nint main(void) { return usleep(300000); }\n")
    subprocess.run(["cc", "-static", "-o", tmp_path / "naps", source], check=True)
    code = f"""
import subprocess, urllib.request, urllib.error
try: urllib.request.urlopen("{address}/x")
except urllib.error.HTTPError: pass
print(subprocess.run(["{tmp_path}/naps"], timeout=1000).returncode)
"""
    seen = observe(python, "-c", code, inject="error(503)")
    assert seen.done.stdout == "0\n", seen.done
    assert seen.real_time.startswith("naps[") and "(static)" in seen.real_time


SERVES = """
#include <arpa/inet.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>
int main(void) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof at;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, (void*)&at, size) || listen(listener, 9) || getsockname(listener, (void*)&at, &size)) return 1;
  printf("%d\\n", ntohs(at.sin_port));
  fflush(stdout);
  struct pollfd looked = {listener, POLLIN, 0};
  for (char asked[4096];;) {
    if (poll(&looked, 1, 200) <= 0) continue;
    int client = accept(listener, 0, 0);
    if (read(client, asked, sizeof asked) > 0) dprintf(client, "HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\nConnection: close\\r\\n\\r\\n");
    close(client);
  }
}
"""


def test_a_service_in_the_tree_keeps_its_own_time_and_holds_up_nothing(observe, python, tmp_path):
    (tmp_path / "serves.c").write_text(SERVES)
    subprocess.run(["cc", "-static", "-o", tmp_path / "serves", tmp_path / "serves.c"], check=True)
    code = f"""
import subprocess, time, urllib.request, urllib.error
service = subprocess.Popen(["{tmp_path}/serves"], stdout=subprocess.PIPE)
port = int(service.stdout.readline())
for n in range(7):
    try: urllib.request.urlopen(f"http://127.0.0.1:{{port}}/x")
    except urllib.error.HTTPError: pass
    if n < 6: time.sleep(1 << n)
service.kill()
"""
    seen = observe(python, "-c", code, inject="error(503)")
    assert seen.done.returncode == 0, seen.done
    assert is_ladder(seen.gaps) and seen.jumped > 60 and seen.real_time == "", (seen.gaps, seen.real_time)


def test_doctor_tries_it_for_each_program_that_is_here(tmp_path):
    lines = retrial("doctor", cwd=tmp_path).stdout.splitlines()
    assert "time compression, sleep: works" in lines, lines
    assert "time compression, python3: works" in lines, lines


class Watched(Answering):
    """/watch says nothing, without an end, until somebody writes."""
    written = threading.Event()

    def do_GET(self):
        self.written.clear()
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"1\r\n.\r\n")
        self.wfile.flush()
        self.written.wait(60)
        self.wfile.write(b"1\r\n!\r\n0\r\n\r\n")

    def do_POST(self):
        self.written.set()
        self.answer(b"ok")


def test_what_wakes_up_for_its_own_timers_and_waits_again_hangs_before_two_days_are_over(observe, python, address):
    code = f"""
import threading, time, urllib.request
def tick():
    while True:
        time.sleep(5)
        sum(range(60000))  # takes CPU, the more the faster the clock is moved on
threading.Thread(target=tick, daemon=True).start()
try:
    urllib.request.urlopen("{address}/x")
except OSError:
    threading.Event().wait()
"""
    seen = observe(python, "-c", code, inject="error(503)")
    assert seen.stop == "hung", seen.done
    assert 2 * 3600 < seen.jumped < 40 * 3600, seen.jumped


def test_a_watch_that_says_nothing_does_not_hold_the_clock(observe, python):
    with serving(Watched) as server:
        code = f"""
import http.client, time
def write():
    c = http.client.HTTPConnection("127.0.0.1", {server.server_port})
    c.request("POST", "/x", "1")
    return c.getresponse().status
for attempt in range(2):
    watch = http.client.HTTPConnection("127.0.0.1", {server.server_port})
    watch.request("GET", "/watch")
    answer = watch.getresponse()
    if answer.status == 200: break
answer.read(1)
began = time.monotonic()
if write() == 503:
    time.sleep(6)
    assert write() == 200
assert answer.read() == b"!"
print(round(time.monotonic() - began))
"""
        seen = observe(python, "-c", code, inject="error(503), then pass")
    assert seen.done.stdout == "6\n", seen.done
    assert 2 < seen.jumped < 5, seen.jumped  # what a watch says by itself has its time to come
