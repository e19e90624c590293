"""Java: JUnit 5 by Maven; two planted bugs and two right calls (integration/apps/parcel-desk). Needs a JDK and Maven."""
import json
import os
import pathlib
import shutil
import subprocess

import pytest

from conftest import APPS, RETRIAL, site

pytestmark = pytest.mark.skipif(not (shutil.which("mvn") and shutil.which("javac")), reason="no JDK or no Maven")
full = pytest.mark.skipif(not os.environ.get("RETRIAL_E2E_FULL"), reason="RETRIAL_E2E_FULL is not set")
DESK = APPS / "parcel-desk"


def line(file, text):
    """Where that stands, as a call site says it."""
    (found,) = [n for n, said in enumerate((DESK / "src/main/java/desk" / file).read_text().splitlines(), 1) if text in said]
    return f"src/main/java/desk/{file}:{found}"


BUGS = {line("Labels.java", "client.send("): {"duplicate-effect"}, line("Rates.java", "getResponseCode()"): {"missing-delay", "missing-cap"}}
RIGHT = [line("Tracking.java", "client.send("), line("Pickups.java", "getResponseCode()")]


def events(file):
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_what_surefire_ran_runs_again_without_maven(tmp_path):
    jar = pathlib.Path(RETRIAL).parent / "retrial-agent.jar"
    environment = {**os.environ, "JAVA_TOOL_OPTIONS": f'-javaagent:"{jar}"', "RETRIAL_EVENTS": str(tmp_path / "suite"), "RETRIAL_JAVA": str(tmp_path / "java"),
                   "RETRIAL_FROM": str(APPS)}
    suite = subprocess.run(["mvn", "-o", "-q", "test"], cwd=DESK, env=environment, capture_output=True, text=True)
    assert suite.returncode == 0, suite.stdout + suite.stderr
    ran = {e["id"]: e["outcome"] for e in events(tmp_path / "suite") if e["ev"] == "result"}
    assert ran == dict.fromkeys(["desk.DeskTest#a_label_is_printed", "desk.DeskTest#a_parcel_has_its_rate(int)[1]", "desk.DeskTest#a_parcel_has_its_rate(int)[2]",
                                 "desk.DeskTest$OnItsWay#a_parcel_is_found", "desk.DeskTest#a_pickup_is_booked"], "passed")
    (script,) = (tmp_path / "java").glob("*.sh")
    assert set(script.with_suffix(".classes").read_text().split()) == {"desk.DeskTest#", "desk.DeskTest$OnItsWay#"}
    only = tmp_path / "only"
    only.write_text("desk.DeskTest$OnItsWay#a_parcel_is_found\n")
    again = subprocess.run([script], env={**environment, "RETRIAL_EVENTS": str(tmp_path / "again"), "RETRIAL_ONLY": str(only)}, capture_output=True, text=True)
    assert again.returncode == 0, again.stderr
    assert [e["id"] for e in events(tmp_path / "again") if e["ev"] == "result"] == ["desk.DeskTest$OnItsWay#a_parcel_is_found"]


@pytest.fixture(scope="module")
def tried(run):
    return run("parcel-desk", "--policies", "p1,p3", command=["mvn", "-q", "test"])


@full
@pytest.mark.parametrize("place", BUGS)
def test_a_bug_is_found_where_the_request_is_made(tried, place):
    assert set(tried.at(place)) == BUGS[place], tried.explain()


@full
@pytest.mark.parametrize("place", RIGHT)
def test_a_right_call_is_clean(tried, place):
    assert tried.at(place) == {}, tried.explain()
    assert place in {site(c) for c in tried.report["clean"]}, tried.explain()


@full
def test_every_fault_met_its_call(tried):
    assert not [c for c in tried.report.get("not_judged", []) if "never fired" in c["why"]], tried.explain()
