"""The four examples of integration/compose, as their pages say."""
import calendar
import json
import shutil
import time

FAULTS = {"RETRIAL_INJECT": "error(503) x 2, then pass"}
PYTHON = {"PYTHON_IMAGE": "staging-python"}


def run(place):
    examples = place.root / "integration/compose"
    engine = place.engine()
    for name in ("alias", "sidecar"):
        try:
            began = time.monotonic()
            done = engine.compose(examples / name, "up", "--exit-code-from", "app", "-t", "1", env=FAULTS)
            logs = engine.compose(examples / name, "logs", "--no-color", "app", "retrial").stdout
            assert logs.count("failed") == 2 and "one" in logs, logs + done.stdout
            place.figures[f"compose {name}, up to the end of app"] = f"{time.monotonic() - began:.1f} s"
            first_fault(place, engine, examples / name, name)
        finally:
            engine.compose(examples / name, "down", "-v", "-t", "1", check=False)
    try:
        engine.compose(examples / "tests", "build", env=PYTHON)
        doctor = engine.compose(examples / "tests", "run", "--rm", "tests", "retrial", "doctor", env=PYTHON).stdout
        print("   " + "\n   ".join(line for line in doctor.splitlines() if "seccomp" in line))
        done = engine.compose(examples / "tests", "run", "--rm", "tests", env=PYTHON, check=False)
        assert done.returncode == 1 and "duplicate-effect" in done.stdout and "orders.py:12" in done.stdout, (done.returncode, done.stdout, done.stderr)
    finally:
        engine.compose(examples / "tests", "down", "-v", "-t", "1", env=PYTHON, check=False)
    out = place.work / "out"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    env = {**PYTHON, "OUT": str(out)}
    try:
        engine.compose(examples / "ci", "build", env=env)
        done = engine.compose(examples / "ci", "run", "--rm", "tests", env=env, check=False)
        assert done.returncode == 1, (done.returncode, done.stdout, done.stderr)
        found = json.loads((out / "report/findings.json").read_text())["findings"]
        assert any(f["verdict"] == "duplicate-effect" for f in found), found
        assert (out / "report/report.html").exists()
    finally:
        engine.compose(examples / "ci", "down", "-v", "-t", "1", env=env, check=False)


def first_fault(place, engine, folder, name):
    """From `up` with everything at hand to the first fault, by the record's own log: the app's first failed attempt."""
    engine.compose(folder, "down", "-v", "-t", "1")
    began = time.time()
    engine.compose(folder, "up", "-d", env=FAULTS)
    for _ in range(100):
        lines = engine.compose(folder, "logs", "-t", "--no-color", "app").stdout
        if "attempt 1 failed" in lines:
            break
        time.sleep(0.1)
    stamp = next(word for line in lines.splitlines() if "attempt 1 failed" in line for word in line.split() if word.count(":") == 2 and "T" in word)
    seconds, fraction = stamp.rstrip("Z").split(".")
    at = calendar.timegm(time.strptime(seconds, "%Y-%m-%dT%H:%M:%S")) + float("0." + fraction)
    place.figures[f"compose {name}, up to the first fault"] = f"{at - began:.2f} s (to reach: below 5)"
