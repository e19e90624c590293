"""Orders that nothing but time keeps: predicted in runs without faults, turned around, and told where that was not borne. How fast the
machine is decides whether an order turns around in one campaign, never what is said of a right worker."""
import json
import shutil
import sys

import pytest

from conftest import ROOT, Campaign, retrial

SAMPLES = ROOT / "integration/predict"
WRONG = {  # the places of both in its finding, and what came of it
    "blind/w_use_before_create": ("w_use_before_create.py:24 <module>", "w_use_before_create.py:17 work", "404 Not Found"),
    "later/w_close_before_flush": ("w_close_before_flush.py:15 flush", "w_close_before_flush.py:24 <module>", "never carried out"),
}
RIGHT = ["blind/r_use_before_create", "later/r_retry_heals"]
CAMPAIGNS = 5  # of which one has to turn it around


def command(sample, tmp_path):
    folder, name = sample.split("/")
    here = tmp_path / "predict"
    shutil.copytree(SAMPLES, here, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".retrial"))
    return here / folder, [sys.executable, "-B", f"{name}.py"]


def order_campaign(sample, folder):
    cwd, words = command(sample, folder.parent)
    return Campaign(retrial("run", "--policies", "order", "--out", folder, "--", *words, cwd=cwd), folder, cwd)


@pytest.mark.parametrize("sample", WRONG)
def test_an_order_that_nothing_keeps_is_turned_around_and_told_with_both_places(sample, tmp_path):
    for n in range(CAMPAIGNS):
        campaign = order_campaign(sample, tmp_path / str(n))
        assert {f["verdict"] for f in campaign.findings()} <= {"order-violation"}, campaign.explain()
        if campaign.findings():
            break
    (finding,) = campaign.findings()
    assert campaign.status == 1 and finding["confirmed"] and finding["confidence"] in ("certain", "likely")
    assert finding["policy"] == "order" and finding["fault"].startswith("delay(")
    assert all(part in finding["message"] for part in WRONG[sample]), finding["message"]


@pytest.mark.parametrize("sample", RIGHT)
def test_who_waits_and_who_looks_again_is_right(sample, tmp_path):
    campaign = order_campaign(sample, tmp_path / "campaign")
    assert campaign.status in (0, 3) and campaign.findings() == [], campaign.explain()


def test_what_might_come_in_another_order_is_shown_with_both_places_and_why_nothing_orders_it(tmp_path):
    cwd, words = command("blind/w_use_before_create", tmp_path)
    done = retrial("predict", "--json", "--", *words, cwd=cwd)
    told = json.loads(done.stdout)
    assert done.returncode == 0 and told["version"] == 1
    for miss in told["candidates"]:  # none where the machine was so busy that they were further apart
        assert (miss["resource"], miss["first"]["kind"], miss["second"]["kind"]) == ("/blobs/settings", "create", "read")
        assert "strands" in miss["why"] and miss["gap_ms"] <= 100
        assert miss["first"]["call_site"].endswith("w_use_before_create.py:24 <module>")
        assert "w_use_before_create.py:17 work" in miss["second"]["call_site"]


def test_a_fixture_before_a_thread_and_requests_of_one_thread_are_no_candidates(tmp_path):
    (tmp_path / "worker.py").write_text(
        f"import sys, threading\nsys.path.append({str(SAMPLES)!r})\nimport store\nport = store.serve()\n"
        "store.call(port, 'PUT', '/blobs/a', 'x')\nstore.call(port, 'GET', '/blobs/a')\n"
        "worker = threading.Thread(target=store.call, args=(port, 'GET', '/blobs/a'))\nworker.start()\nworker.join()\n"
    )
    done = retrial("predict", "--", sys.executable, "-B", "worker.py", cwd=tmp_path)
    assert done.returncode == 0 and done.stdout == "no two operations that are known to be unordered came close together (tasks of one thread that no agent tells apart are, while both wait)\n", done.stdout + done.stderr


GO = """package main

import (
	"net/http"
	"os"
	"strings"
)

func send(method, path string) {
	request, _ := http.NewRequest(method, os.Args[1]+path, strings.NewReader("x"))
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	answer.Body.Close()
}

func main() {
	send("PUT", "/blobs/before")
	done := make(chan bool)
	go func() {
		send("PUT", "/blobs/a")
		send("GET", "/blobs/a")
		send("GET", "/blobs/before")
		done <- true
	}()
	<-done
	send("DELETE", "/blobs/a")
}
"""


@pytest.mark.skipif(not shutil.which("go"), reason="there is no go here")
def test_goroutines_are_strands_whatever_connection_they_share(tmp_path):
    (tmp_path / "go.mod").write_text("module example.com/worker\n\ngo 1.24\n")
    (tmp_path / "main.go").write_text(GO)
    (tmp_path / "run.py").write_text(
        f"import subprocess, sys\nsys.path.append({str(SAMPLES)!r})\nimport store\nport = store.serve()\n"
        "subprocess.run(['go', 'build', '-o', 'worker', '.'], check=True)\n"
        "subprocess.run(['./worker', f'http://127.0.0.1:{port}'], check=True)\n"
    )
    done = retrial("predict", "--json", "--", sys.executable, "-B", "run.py", cwd=tmp_path)
    told = json.loads(done.stdout)
    pairs = {(miss["first"]["target"], miss["second"]["operation"].split()[0]) for miss in told["candidates"]}
    assert done.returncode == 0 and pairs <= {("/blobs/a", "DELETE")}, told
    assert all("strands" in miss["why"] for miss in told["candidates"])
