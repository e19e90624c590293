"""The path of someone who uses Retrial for the first time: what is said is right, blames nobody who has not done it, and says what
to do next."""
import json

import pytest

from conftest import retrial
from test_bad_input import CLIENT, SERVED, TWICE

TESTS = "from app import fetch\ndef test_fetch(port):\n    assert fetch(port) == 200\ndef test_again(port):\n    assert fetch(port) == 200\n"
FAILING = "from app import fetch\ndef test_fetch(port):\n    assert fetch(port) == 201, 'the shop is shut'\n"
WHOLE = """
import http.server, threading
from app import fetch
class H(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.send_header("Content-Length", "0"); self.end_headers()
    def log_message(self, *a): pass
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H)
threading.Thread(target=s.serve_forever, daemon=True).start()
assert fetch(s.server_address[1]) == 200
"""


def told(done):
    """All that was said, as one line."""
    return " ".join((done.stdout + done.stderr).split())


def report(cwd):
    return json.loads((cwd / ".retrial/latest/findings.json").read_text())


@pytest.fixture
def project(suite):
    return suite(app_DOT_py=CLIENT, conftest_DOT_py=SERVED.replace("from app import fetch\n", ""), test_app_DOT_py=TESTS)


# A suite that fails by itself.

def test_a_suite_that_fails_by_itself_shows_its_last_words_and_blames_nobody(project, python):
    (project / "test_app.py").write_text(FAILING)
    done = retrial("run", "--", python, "-m", "pytest", "-q", cwd=project)
    assert done.returncode == 3, done
    assert "by itself, without any fault" in told(done) and "the shop is shut" in told(done), done.stderr
    log = done.stderr.split("all of it: ")[1].split()[0]
    assert "the shop is shut" in (project / log).read_text()


def test_a_suite_that_fails_in_part_is_told_of_in_the_summary_too(project, python):
    (project / "test_bad.py").write_text(FAILING)
    done = retrial("run", "--policies", "k1", "--", python, "-m", "pytest", "-q", cwd=project)
    assert done.returncode == 0, done
    summary = done.stdout[done.stdout.index("No retry bug was found"):]
    assert "test_bad.py::test_fetch: fails without any fault" in summary and "the shop is shut" in summary, summary
    assert "all of it: .retrial/" in " ".join(summary.split()), summary


def test_a_suite_that_breaks_before_any_request_shows_why(suite, python):
    cwd = suite(test_a_DOT_py="import no_such_module\ndef test_a(): pass\n")
    done = retrial("run", "--", python, "-m", "pytest", "-q", cwd=cwd)
    assert done.returncode == 3 and "no_such_module" in done.stderr and "by itself, without any fault" in told(done), done


# Commands that are no runner.

@pytest.fixture(params=["make", "script", "npm", "tox", "tox with its own pass_env"])
def wrapped(request, project, python):
    """Commands that start pytest."""
    pytest_ = f"{python} -m pytest -q -p no:cacheprovider"
    if request.param == "make":
        (project / "Makefile").write_text(f"test:\n\t{pytest_}\n")
        return project, ["make", "-s", "test"]
    if request.param == "script":
        (project / "check.sh").write_text(f"#!/bin/sh\nset -e\ncd .\n{pytest_}\n")
        (project / "check.sh").chmod(0o755)
        return project, ["./check.sh"]
    if request.param == "npm":
        (project / "package.json").write_text(json.dumps({"scripts": {"test": f"cd . && {pytest_}"}}))
        return project, ["npm", "test"]
    more = "pass_env = HOME\nset_env = PYTHONPATH = lib\n" if "own" in request.param else ""
    (project / "tox.ini").write_text(f"[tox]\nenv_list = a\nskipsdist = true\n[testenv]\nskip_install = true\nallowlist_externals = *\n"
                                     f"commands = {pytest_}\n[testenv:a]\n{more}")
    return project, [python, "-m", "tox", "-q"]


def test_a_command_that_starts_a_known_runner_has_its_tests_tried_one_by_one(wrapped):
    cwd, command = wrapped
    done = retrial("run", "--policies", "k1", "--", *command, cwd=cwd)
    assert done.returncode == 0, done
    assert "starts pytest" in told(done) and "the whole command" not in told(done) and "all of it is one test" not in told(done), done.stdout
    assert report(cwd)["clean"], done.stdout
    last = sorted((cwd / ".retrial/latest/logs").glob("*.log"))[-1].read_text()
    assert "1 deselected" in last, last


def test_an_unknown_runner_is_named_beside_those_that_are_known(suite, python):
    cwd = suite(app_DOT_py=CLIENT, go_DOT_py=WHOLE, check_DOT_sh=f"{python} go.py\n")
    done = retrial("run", "--policies", "k1", "--", "sh", "check.sh", cwd=cwd)
    assert "`sh check.sh` is no test runner that we know (pytest, unittest, node:test, " in told(done), done.stdout
    assert "): all of it is one test" in told(done), done.stdout


def test_an_environment_that_is_taken_away_is_said_with_what_to_pass_on(suite, python):
    cwd = suite(app_DOT_py=CLIENT, go_DOT_py=WHOLE, check_DOT_sh=f"env -i {python} go.py\n")
    done = retrial("run", "--policies", "k1", "--", "sh", "check.sh", cwd=cwd)
    assert "No agent was heard from" in told(done) and "RETRIAL_*, PYTHONPATH" in told(done) and "pass_env" in told(done), done.stdout


# Commands of Retrial.

def test_help_is_a_command_too(tmp_path):
    for args, said in ((["help"], "explain"), (["help", "run"], "--budget"), ([], "explain"), (["help", "ca", "make"], "--dir")):
        done = retrial(*args, cwd=tmp_path)
        assert done.returncode == 0 and said in done.stdout, (args, done)


@pytest.mark.parametrize("args, said", [
    (["rnu", "--", "pytest"], "did you mean run"),
    (["help", "replya"], "did you mean replay"),
    (["pytest", "-q"], "retrial run -- pytest"),
    (["explain", "mising-cap"], "did you mean missing-cap"),
    (["explain", "P9"], "no verdict or policy has this name"),
    (["report", "nowhere"], "nowhere: there is no such folder"),
    (["judge", "nowhere"], "nowhere: there is no such folder"),
    (["report"], "run `retrial run` first"),
    (["replay", "00000000"], "run `retrial run` first"),
    (["run", "--", "./nothing.sh"], "./nothing.sh: there is no such file"),
    (["plan", "--", "no-such-runner"], "no-such-runner: no such command is on PATH"),
])
def test_what_is_misspelt_or_not_there_is_one_line_that_says_what_to_do(args, said, tmp_path):
    done = retrial(*args, cwd=tmp_path)
    assert done.returncode == 2 and said in done.stderr and len(done.stderr.splitlines()) == 1, done
    assert not list(tmp_path.iterdir()), list(tmp_path.iterdir())


def test_a_folder_that_holds_no_campaign_or_an_older_one_is_said_to_be_so(tmp_path):
    (tmp_path / "notes").mkdir()
    done = retrial("report", "notes", cwd=tmp_path)
    assert done.returncode == 2 and "holds no campaign" in done.stderr, done
    import sqlite3
    db = sqlite3.connect(tmp_path / "notes/campaign.db")
    db.execute("create table t (x)")
    db.commit()
    done = retrial("report", "notes", cwd=tmp_path)
    assert done.returncode == 2 and "none that Retrial wrote" in done.stderr, done


def test_every_verdict_is_explained_from_the_binary_alone(tmp_path):
    verdicts, others = retrial("explain", cwd=tmp_path).stdout.split("\n\n")
    names = [line.split()[0] for line in verdicts.splitlines()]
    assert others.startswith("Policies: P3, P1, ") and "retrial explain faults" in others, others
    assert {"missing-cap", "duplicate-effect", "no-agent"} <= set(names) and len(names) == len(set(names)), names
    for name in names:
        done = retrial("explain", name, cwd=tmp_path)
        assert done.returncode == 0 and done.stdout.startswith(f"### {name}\n") and len(done.stdout) > 40, done
    policy = retrial("explain", "p1", cwd=tmp_path).stdout
    assert policy.startswith("### P1\nThe service executes") and "- `lost-response(stall) x 1, then pass`\n" in policy, policy


# What is said of a campaign.

@pytest.fixture
def buggy(suite):
    """A project with a bug."""
    return suite(app_DOT_py=TWICE, conftest_DOT_py=SERVED.replace("from app import fetch\n", ""),
                 test_app_DOT_py="from app import pay\ndef test_pay(port):\n    assert pay(port) == 201\n")


@pytest.fixture
def found(buggy, python):
    """The same, after a campaign."""
    command = ["--policies", "p1,p2,p3,p4", "--", python, "-m", "pytest", "-q"]
    return buggy, command, retrial("run", *command, cwd=buggy)


def test_links_lead_somewhere_from_the_users_project(found):
    cwd, _, done = found
    verdicts = {f["verdict"] for f in report(cwd)["findings"]}
    assert done.returncode == 1 and verdicts, done
    page = (cwd / ".retrial/latest/report.html").read_text()
    rules = json.loads((cwd / ".retrial/latest/findings.sarif").read_text())["runs"][0]["tool"]["driver"]["rules"]
    for verdict in verdicts:
        assert f"retrial explain {verdict}" in told(done) and f"### {verdict}" in page, verdict
        assert f'href="#v-{verdict}"' in page and f'id="v-{verdict}"' in page
        assert any(r["id"] == verdict and "*Rule.*" in r["help"]["markdown"] for r in rules), rules
    for text in (told(done), page, (cwd / ".retrial/latest/junit.xml").read_text()):
        assert "docs/verdicts.md#" not in text


def test_one_accept_covers_a_cause_with_its_variants(buggy, python):
    command = ["--alone", "--policies", "p1", "--", python, "-m", "pytest", "-q"]  # alone: looks at each variant
    retrial("run", *command, cwd=buggy)
    first = report(buggy)["findings"]
    assert len({f["id"] for f in first}) > len({(f["verdict"], f["operation"]) for f in first}), first
    ids = {(f["verdict"], f["operation"]): f["id"] for f in first}
    (buggy / "retrial.toml").write_text("".join(f'[[accept]]\nfinding = "{id}"\n' for id in ids.values()))
    done = retrial("run", *command, cwd=buggy)
    assert done.returncode == 0 and all(f["accepted"] for f in report(buggy)["findings"]), done


def test_a_first_run_says_how_to_bound_it_and_about_how_long_it_takes(project, python):
    done = retrial("run", "--", python, "-m", "pytest", "-q", cwd=project)
    assert "--budget" in told(done), done.stdout
    done = retrial("run", "--budget", "10m", "--policies", "k1", "--", python, "-m", "pytest", "-q", cwd=project)
    assert "the budget is 10 min" in told(done) and "--budget" not in told(done), done.stdout


def test_a_plan_clears_nothing_also_when_it_is_reported(project, python):
    done = retrial("plan", "--policies", "k1", "--out", "plan", "--", python, "-m", "pytest", "-q", cwd=project)
    assert done.returncode == 0 and "No retry bug" not in told(done) and "K1" in done.stdout, done
    again = retrial("report", "plan", cwd=project)
    assert again.returncode == 3 and "A plan: nothing was injected" in told(again), again


def test_where_nothing_could_be_judged_every_command_says_so(tmp_path):
    done = retrial("observe", "--inject", "error(503)", "--out", "seen", "--", "true", cwd=tmp_path)
    assert done.returncode == 0 and "Nothing could be judged" in told(done), done
    for verb in ("judge", "report"):
        done = retrial(verb, "seen", cwd=tmp_path)
        assert done.returncode == 3 and "Nothing could be judged" in told(done) and "No retry bug" not in told(done), done
    done = retrial("observe", "--out", "bare", "--", "true", cwd=tmp_path)
    assert done.returncode == 0 and "nothing was judged" in told(done), done
    for verb in ("judge", "report"):
        done = retrial(verb, "bare", cwd=tmp_path)
        assert done.returncode in (3, 4) and "No retry bug" not in told(done), done


def test_a_finding_that_cannot_be_tried_again_is_not_cleared(found):
    cwd, _, _ = found
    finding = report(cwd)["findings"][0]
    (cwd / "app.py").write_text("def pay(port): return 201\n")
    done = retrial("replay", finding["id"], cwd=cwd)
    assert done.returncode in (3, 4) and "could not be judged this time" in told(done) and "No retry bug" not in told(done), done
    (cwd / "app.py").write_text("def pay(port): raise ValueError('out of order')\n")
    done = retrial("replay", finding["id"], cwd=cwd)
    assert done.returncode == 3 and "No retry bug" not in told(done) and "out of order" in told(done), done
