"""What the options of `retrial scan` say of its verdicts: accepted, known, fatal, changed."""
import json
import subprocess

import pytest

from conftest import retrial

LOOP = """
    while True:
        try:
            return requests.post(url)
        except Exception:
            pass
"""
SHOP = "import requests\n\n\ndef submit(url):\n" + LOOP


@pytest.fixture
def repository(suite):
    folder = suite(shop__orders_DOT_py=SHOP)
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "one")
    return folder


def git(folder, *words):
    subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


def verdicts(*paths, cwd):
    said = json.loads(retrial("scan", "--json", *paths, cwd=cwd).stdout)
    return {v["id"]: v for at in said["locations"] for v in at["verdicts"]}


def test_an_id_of_scan_in_accept_dismisses_that_verdict_alone(repository):
    first, *others = verdicts(cwd=repository)
    (repository / "retrial.toml").write_text(f'[[accept]]\nfinding = "{first}"\nwhy = "by design"\n')
    after = verdicts(cwd=repository)
    assert others and after[first]["dismissed"] and not any(after[one]["dismissed"] for one in others)


def test_ids_do_not_depend_on_how_the_path_was_typed_nor_on_where_scan_was_started(repository):
    ids = verdicts(cwd=repository).keys()
    assert ids == verdicts(repository, cwd=repository).keys() == verdicts(repository.name, cwd=repository.parent).keys()
    assert ids == verdicts(cwd=repository / "shop").keys()


def test_what_an_earlier_scan_knew_fails_nothing_and_what_is_new_does(repository):
    (repository / "before.json").write_text(retrial("scan", "--json", cwd=repository).stdout)
    again = ("scan", "--since", "before.json", "--fail-on", "any")
    assert retrial("scan", "--fail-on", "any", cwd=repository).returncode == 1
    assert retrial(*again, cwd=repository).returncode == 0
    (repository / "shop/orders.py").write_text(SHOP + LOOP.replace("post", "put"))
    assert retrial(*again, cwd=repository).returncode == 1


def test_fail_on_asks_for_the_verdicts_that_it_names_and_knows_no_others(repository):
    assert retrial("scan", "--fail-on", "swallowed-error", cwd=repository).returncode == 0
    assert retrial("scan", "--fail-on", "swallowed-error,missing-cap", cwd=repository).returncode == 1
    wrong = retrial("scan", "--fail-on", "missing-cup", cwd=repository)
    assert wrong.returncode == 2 and "did you mean missing-cap" in wrong.stderr


def test_changed_since_reads_what_has_changed_alone(repository):
    since = ("scan", "--changed-since", "HEAD", "--json")
    assert json.loads(retrial(*since, cwd=repository).stdout)["files"] == 0
    (repository / "new.py").write_text(SHOP)
    assert [at["file"] for at in json.loads(retrial(*since, cwd=repository).stdout)["locations"]] == ["new.py"]
    assert retrial("scan", "--changed-since", "nowhere", cwd=repository).returncode == 2


@pytest.mark.parametrize("text", ["", "[5]", "{", '{"version": 1}', '{"version": 1, "locations": 5}', '{"version": 1, "locations": [5]}',
                                  '{"version": 1, "locations": [{"verdicts": 7}]}', '{"version": 1, "locations": [{"verdicts": [7]}]}',
                                  '{"version": 1, "locations": [{"verdicts": [{"id": 7}]}]}', '{"version": 2, "locations": []}'])
def test_another_file_than_an_earlier_scan_is_one_clear_line(repository, text):
    (repository / "before.json").write_text(text)
    said = retrial("scan", "--since", "before.json", cwd=repository)
    assert said.returncode == 2 and said.stderr.count("\n") == 1 and "before.json: expected what" in said.stderr
