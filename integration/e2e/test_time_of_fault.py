"""Processes that die at the wrong moment: learned from deaths that are borne, ended exactly there, and told where that was not borne."""
import json
import shutil
import sys

import pytest

from conftest import ROOT, Campaign, retrial

SAMPLES = ROOT / "integration/predict/tof"
PYTHON = [sys.executable, "-B"]
WRONG = {  # at which write, and what came of it
    "w_marker.py": (PYTHON, "PUT /done/report", "no report, though it is marked as done"),
    "w_pointer.mjs": (["node"], "PUT /current", "the test ended with Error"),
}
RIGHT = {"r_marker.py": PYTHON, "r_pointer.mjs": ["node"]}


def campaign(words, folder):
    here = folder / "tof"
    shutil.copytree(SAMPLES, here, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".retrial"))
    return Campaign(retrial("run", "--policies", "tof", "--out", folder / "campaign", "--", *words, cwd=here), folder / "campaign", here)


@pytest.mark.parametrize("sample", WRONG)
def test_a_death_that_is_not_borne_is_told_with_the_write_at_which_it_came(sample, tmp_path):
    runner, operation, came = WRONG[sample]
    told = campaign([*runner, sample], tmp_path)
    assert {f["verdict"] for f in told.findings()} == {"time-of-fault"}, told.explain()
    assert told.status == 1 and all(f["confirmed"] and f["policy"] == "TOF" for f in told.findings())
    assert any(f["operation"] == operation and came in f["message"] and "SIGKILL" in f["message"] for f in told.findings()), told.explain()


@pytest.mark.parametrize("sample", RIGHT)
def test_a_death_that_is_borne_is_nothing(sample, tmp_path):
    told = campaign([*RIGHT[sample], sample], tmp_path)
    assert told.status == 0 and told.findings() == [], told.explain()


def test_who_waits_for_a_write_and_at_which_ones_a_death_may_be_seen_is_shown_with_both_places(tmp_path):
    shutil.copytree(SAMPLES, tmp_path / "tof")
    done = retrial("predict", "--json", "--", *PYTHON, "w_marker.py", cwd=tmp_path / "tof")
    told = json.loads(done.stdout)
    assert done.returncode == 0, done.stderr
    assert {(d["kind"], d["resource"], d["fault"]) for d in told["deaths"]} == {
        ("recovery", "/done/report", "crash(before-request) x 1, then pass"),
        ("recovery", "/done/report", "crash(executed) x 1, then pass"),
    }
    assert all("w_marker.py:9 work" in d["write"]["call_site"] and "w_marker.py:7 work" in d["read"]["call_site"] for d in told["deaths"])


# Nothing here starts the worker again: retrial.toml does.
UNKEPT = """
import sys, time
import keeper, store
def work(port):
    if not store.value(port, "/done/report"):
        store.call(port, "PUT", FIRST, "yes")
        store.call(port, "PUT", SECOND, "yes")
    store.call(port, "PUT", "/over", "yes")
if called := keeper.called():
    work(*called)
else:
    port = store.serve()
    worker = keeper.start(port)
    until = time.monotonic() + 30
    while not store.value(port, "/over") and time.monotonic() < until:
        time.sleep(0.2)
    assert store.value(port, "/report"), "there is no report"
"""


@pytest.mark.parametrize("wrong", [True, False])
def test_retrial_starts_a_process_again_that_the_workload_does_not(wrong, tmp_path):
    here = tmp_path / "tof"
    shutil.copytree(SAMPLES, here)
    first, second = ("/done/report", "/report") if wrong else ("/report", "/done/report")
    (here / "unkept.py").write_text(UNKEPT.replace("FIRST", repr(first)).replace("SECOND", repr(second)))
    (here / "retrial.toml").write_text('[process.worker]\nmatch = "unkept.py "\nrestart = "exec {}"\n')
    told = campaign([*PYTHON, "unkept.py"], tmp_path)
    assert [f["operation"] for f in told.findings() if f["verdict"] == "time-of-fault"] == (["PUT /done/report"] if wrong else []), told.explain()
    assert told.status == (1 if wrong else 0), told.explain()
