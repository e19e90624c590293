"""What other tools start (integration/ci, .pre-commit-hooks.yaml), as they start it."""
import json
import os
import re
import shlex
import shutil
import subprocess
import zipfile

import pytest
import yaml

from conftest import RETRIAL, ROOT, retrial
from test_bad_input import CLIENT, SERVED, TWICE

CI = ROOT / "integration/ci"
TESTS = "from app import fetch, pay\ndef test_fetch(port): assert fetch(port) == 200\ndef test_pay(port): assert pay(port) == 201\n"
PAY = "app.py:13 pay"


@pytest.fixture
def project(suite):
    return suite(app_DOT_py=CLIENT + TWICE, conftest_DOT_py=SERVED.replace("from app import fetch\n", ""), test_app_DOT_py=TESTS)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """One whose command is the binary that is tried here."""
    file = tmp_path_factory.mktemp("wheel") / "retrial-0-py3-none-any.whl"
    parts = {"retrial-0.data/scripts/retrial": f"#!/bin/sh\nexec '{RETRIAL}' \"$@\"\n",
             "retrial-0.dist-info/METADATA": "Metadata-Version: 2.1\nName: retrial\nVersion: 0\n",
             "retrial-0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: e2e\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    parts["retrial-0.dist-info/RECORD"] = "".join(f"{name},,\n" for name in [*parts, "retrial-0.dist-info/RECORD"])
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in parts.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = 0o100755 << 16
            archive.writestr(entry, text)
    return file


def git(project, *words):
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.invalid", *words], cwd=project, check=True, capture_output=True)


def committed(project):
    git(project, "init", "-q")
    git(project, "add", "app.py", "conftest.py", "test_app.py")
    git(project, "commit", "-qm", "a")


def action(project, wheel, command, options="--policies p1", **more):
    environment = os.environ | {"WHEEL": str(wheel), "COMMAND": command, "OPTIONS": options, "RUNNER_TEMP": str(project / ".tmp"), "PIP_NO_INDEX": "1",
                                "GITHUB_STEP_SUMMARY": str(project / "summary"), "GITHUB_ACTION_PATH": str(CI / "github")} | more
    (step,) = [step["run"] for step in yaml.safe_load((CI / "github/action.yml").read_text())["runs"]["steps"] if "run.sh" in step.get("run", "")]
    return subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step], cwd=project, env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)


def test_githubs_action_shows_what_is_new_and_knows_what_the_base_branch_has(project, wheel, python):
    command = f"{python} -m pytest -q -p 'no:cacheprovider'"
    done = action(project, wheel, command)
    assert done.returncode == 1, done
    report = json.loads((project / ".retrial/latest/findings.json").read_text())
    assert report["campaign"]["runner"] == "pytest", "a plain command is not hidden behind a shell"
    summary = (project / "summary").read_text()
    assert summary.startswith("### Retrial: 1 new finding\n") and summary.count(f"| duplicate-effect | likely | {PAY} |") == 1, summary

    assert (project / ".retrial/latest/new.md").read_text() == summary, "what a comment says"

    (project / ".retrial-base").mkdir()
    shutil.copy(project / ".retrial/latest/findings.json", project / ".retrial-base")
    (project / "summary").unlink()
    done = action(project, wheel, command, GITHUB_BASE_REF="main")
    assert done.returncode == 0, done
    assert (project / "summary").read_text() == "### Retrial: no new finding\n" and not (project / ".retrial/latest/new.md").exists()
    assert action(project, wheel, f"cd . && {command}").returncode == 1, "a line for the shell; on the base branch all findings count"

    committed(project)
    (project / "summary").unlink()
    assert (done := action(project, wheel, command, options="--policies p1 --changed-since HEAD")).returncode == 0, done
    assert (project / "summary").read_text() == "### Retrial: no call site was touched\n"


def test_gitlabs_script_does_the_same(project, wheel, python):
    template = yaml.safe_load((CI / "gitlab.yml").read_text())[".retrial"]
    environment = os.environ | {"RETRIAL_WHEEL": str(wheel), "RETRIAL_COMMAND": f"{python} -m pytest -q -p no:cacheprovider", "RETRIAL_OPTIONS": "--policies p1",
                                "PIP_NO_INDEX": "1", "CI_MERGE_REQUEST_IID": "", "CI_COMMIT_BRANCH": "main", "CI_DEFAULT_BRANCH": "main"}

    def job(**more):
        return subprocess.run(["sh", "-ec", "\n".join(template["script"])], cwd=project, env=environment | more, stdin=subprocess.DEVNULL, capture_output=True, text=True)

    assert (done := job()).returncode == 1, done
    report = json.loads((project / "retrial-report/findings.json").read_text())
    assert {f["verdict"] for f in report["findings"]} == {"duplicate-effect"} and report["campaign"]["runner"] == "pytest"
    subprocess.run(["sh", "-ec", "\n".join(template["after_script"])], cwd=project, env=environment, check=True)
    assert (done := job(CI_MERGE_REQUEST_IID="7")).returncode == 0, done


def test_vs_codes_problem_matcher_finds_each_finding_at_its_place(project, python):
    task = json.loads((CI / "vscode/tasks.json").read_text())["tasks"][0]
    assert task["command"].startswith("retrial run ")
    done = retrial("run", "--policies", "p1", "--", python, "-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=project)
    pattern = task["problemMatcher"]["pattern"]
    found = [m for line in done.stdout.splitlines() if (m := re.match(pattern["regexp"], line))]
    assert [(m[pattern["code"]], m[pattern["file"]], m[pattern["line"]]) for m in found] == [("duplicate-effect", "app.py", "13")], done.stdout
    again = retrial("report", "--json", cwd=project)
    assert again.stdout == (project / ".retrial/latest/findings.json").read_text() and again.returncode == 0, again


def hook(name, project, *words, **more):
    """As pre-commit starts an entry: its words, then `args`, then files."""
    (entry,) = [hook["entry"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text()) if hook["id"] == name]
    programs = project / ".programs"
    programs.mkdir(exist_ok=True)
    if not (programs / "retrial").exists():
        (programs / "retrial").symlink_to(RETRIAL)
    environment = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}"} | more
    return subprocess.run([*shlex.split(entry), *words], cwd=project, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True)


def test_pre_commits_hooks_check_configurations_and_try_what_a_push_changes(project, python):
    (project / "retrial.toml").write_text('[run]\nfail_on = "likely"\n')
    (project / "b").mkdir()
    (project / "b/retrial.toml").write_text('[run]\nfail_no = "likely"\n')
    assert hook("retrial-check", project, "retrial.toml").returncode == 0
    done = hook("retrial-check", project, "b/retrial.toml", "retrial.toml")
    assert done.returncode == 2 and "did you mean" in done.stderr and "retrial.toml: fine" in done.stdout, done

    committed(project)
    words = ("--policies", "p1", "--", python, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    done = hook("retrial-run", project, *words)
    assert done.returncode == 0, ("nothing is changed, so that there is nothing to try", done)
    (project / "app.py").write_text((project / "app.py").read_text() + "\n")
    assert (done := hook("retrial-run", project, *words)).returncode == 1, done
    git(project, "commit", "-qam", "b")
    assert (done := hook("retrial-run", project, *words, PRE_COMMIT_FROM_REF="HEAD~1")).returncode == 1, done
