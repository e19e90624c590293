"""Answers that grow, call by call: what costs its client more than that is told, and its right twin is not."""
import json
import shutil
import sys

import pytest

from conftest import ROOT, retrial

PYTHON = [sys.executable, "-B"]


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    here = tmp_path_factory.mktemp("stress") / "pairs"
    shutil.copytree(ROOT / "integration/stress/pairs", here, ignore=shutil.ignore_patterns(".retrial", "__pycache__"))
    return here


def stressed(programs, out, program):
    done = retrial("stress", "--out", out, "--", *PYTHON, program, cwd=programs)
    return done, json.loads((out / "findings.json").read_text())


@pytest.mark.parametrize("right", ["r_pages.py", "r_again.py"])
def test_a_client_that_knows_its_end_is_found_right(programs, tmp_path, right):
    done, report = stressed(programs, tmp_path / "out", right)
    assert done.returncode == 0, done.stdout + done.stderr
    assert report["findings"] == [] and len(report["clean"]) >= 2


def test_pages_without_an_end_are_told_drawn_and_shown_again(programs, tmp_path):
    done, report = stressed(programs, tmp_path / "out", "w_pages.py")
    assert done.returncode == 1, done.stdout + done.stderr
    (finding,) = [f for f in report["findings"] if f["verdict"] == "unbounded-paging"]
    assert finding["fault"] == "another-page(next_cursor)" and finding["confirmed"]
    assert "role=\"img\" aria-label=\"growth\"" in (tmp_path / "out/report.html").read_text()
    again = retrial("replay", finding["id"], "--from", tmp_path / "out", "--out", tmp_path / "again", cwd=programs)
    assert again.returncode == 1 and f"{finding['id']} is shown again" in again.stdout, again.stdout + again.stderr


def test_a_batch_that_begins_anew_is_a_storm(programs, tmp_path):
    done, report = stressed(programs, tmp_path / "out", "w_again.py")
    storms = [f for f in report["findings"] if f["verdict"] == "retry-storm"]
    said = {f["operation"]: f["message"] for f in storms}
    assert set(said) == {"POST /orders", "PUT /stock/{id}"}, done.stdout  # the first, and the last of several
    assert "7 without one: each error brought 6.7 more" in said["POST /orders"]

