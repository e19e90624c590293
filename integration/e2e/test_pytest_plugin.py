"""`pytest --retrial`, as the wheel brings it: found by its entry point."""
import json
import os
import subprocess

import pytest

from conftest import RETRIAL, ROOT
from test_bad_input import CLIENT, SERVED, TWICE

TESTS = "from app import fetch, pay\ndef test_fetch(port): assert fetch(port) == 200\ndef test_pay(port): assert pay(port) == 201\n"


@pytest.fixture
def project(suite, tmp_path):
    info = tmp_path / "site/retrial-0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: retrial\nVersion: 0\n")
    (info / "entry_points.txt").write_text("[pytest11]\nretrial = pytest_retrial\n")
    (tmp_path / "site/pytest_retrial.py").symlink_to(ROOT / "integration/pytest/pytest_retrial.py")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/retrial").symlink_to(RETRIAL)
    suite(project__app_DOT_py=CLIENT + TWICE, project__conftest_DOT_py=SERVED.replace("from app import fetch\n", ""), project__test_app_DOT_py=TESTS)
    return tmp_path / "project"


def pytested(project, python, *words, path=None):
    environment = os.environ | {"PYTHONPATH": str(project.parent / "site"), "PATH": path or f"{project.parent / 'bin'}:{os.environ['PATH']}"}
    return subprocess.run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words], cwd=project, env=environment, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL)


def test_without_its_option_nothing_is_other_than_before(project, python):
    done = pytested(project, python)
    assert done.returncode == 0 and "2 passed" in done.stdout and not (project / ".retrial").exists(), done


def test_the_same_tests_are_put_on_trial_with_the_options_of_the_project(project, python):
    (project / "pyproject.toml").write_text('[tool.retrial]\noptions = ["--policies", "p1"]\n')
    done = pytested(project, python, "--retrial", "-k", "pay")
    assert done.returncode == 1, done
    report = json.loads((project / ".retrial/latest/findings.json").read_text())
    assert {(f["verdict"], f["policy"]) for f in report["findings"]} == {("duplicate-effect", "P1")}, report["findings"]
    assert report["campaign"]["command"][1:] == ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "pay"], report["campaign"]
    assert report["campaign"]["runner"] == "pytest"


def test_an_option_that_stands_in_addopts_does_not_begin_it_again_and_again(project, python):
    (project / "pyproject.toml").write_text('[tool.pytest.ini_options]\naddopts = "--retrial"\n[tool.retrial]\noptions = ["--policies", "k1"]\n')
    done = pytested(project, python)
    assert done.returncode == 0 and "No retry bug was found" in done.stdout, done


def test_what_is_wrong_gets_one_line(project, python):
    (project / "pyproject.toml").write_text("[tool.retrial]\noptions = 7\n")
    done = pytested(project, python, "--retrial")
    assert done.returncode == 4 and '[tool.retrial] options: expected a list of words, such as ["--budget", "10m"]' in done.stderr, done
    (project / "pyproject.toml").unlink()
    done = pytested(project, python, "--retrial", path="/usr/bin:/bin")
    assert done.returncode == 4 and "--retrial: the program retrial is not on PATH" in done.stderr, done
