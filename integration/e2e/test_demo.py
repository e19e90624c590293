"""The first minute: `retrial demo`, as a new user runs it, and what it leaves behind."""
import json
import os
import subprocess

from conftest import RETRIAL

FINDS = {"duplicate-effect": "place_order", "silent-wrong-result": "next_parcel", "unrelated-exception": "discount", "missing-timeout": "menu",
         "missing-cap": "stock", "retries-permanent-error": "stock"}
AT_REST = {("missing-delay", "price"), ("no-backoff", "hours")}  # short waits: a loaded machine may hide them, and then nothing is told


def demo(tmp_path, *words, **more):
    (tmp_path / "home").mkdir()
    environment = os.environ | {"HOME": str(tmp_path / "home"), "BROWSER": "true"} | more
    return subprocess.run([RETRIAL, "demo", *words], env=environment, cwd=tmp_path / "home", capture_output=True, text=True, stdin=subprocess.DEVNULL)


def test_the_demo_shows_a_finding_of_each_kind_and_writes_into_its_folder_alone(tmp_path):
    shop = tmp_path / "shop"
    done = demo(tmp_path, "--into", str(shop), "--open")
    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads((shop / ".retrial/latest/findings.json").read_text())
    found = {(f["verdict"], f["call_site"]["function"]) for f in report["findings"] if f["confirmed"]}
    assert set(FINDS.items()) <= found <= set(FINDS.items()) | AT_REST | {("retries-non-idempotent", "place_order")}, done.stdout
    assert (shop / ".retrial/latest/report.html").exists()
    assert f"{shop}/shop/client.py" in done.stdout
    assert not list((tmp_path / "home").iterdir())


def test_a_machine_without_python_is_told_so_before_anything_is_made(tmp_path):
    done = demo(tmp_path, "--into", str(tmp_path / "shop"), PATH="/nowhere")
    assert done.returncode == 2
    assert "retrial: python3: was not found" in done.stderr and "3.8 or later" in done.stderr
    assert not (tmp_path / "shop").exists()


def test_a_folder_that_holds_files_is_left_alone(tmp_path):
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/mine").write_text("mine")
    done = demo(tmp_path, "--into", str(tmp_path / "shop"))
    assert done.returncode == 2 and "new or empty" in done.stderr
    assert [path.name for path in (tmp_path / "shop").iterdir()] == ["mine"]
