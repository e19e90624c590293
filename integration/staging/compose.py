"""The four examples of integration/compose, as their pages say."""
import json
import shutil
import time

FAULTS = "error(503) x 2, then pass"
# What the operator does before the application is run, as the READMEs say: what is started, the rule, and resume.
MOST = 4  # times the engine's own, where the machine is too busy for 5 s
HANDS = {"alias": ("retrial", {"RETRIAL_INJECT": FAULTS}, []),
         "sidecar": ("redirect", {}, [("ctl", "rules", "put", "api", "--match", "host=api", "--inject", FAULTS)])}
PYTHON = {"PYTHON_IMAGE": "staging-python"}


def run(place):
    examples = place.root / "integration/compose"
    engine = place.engine()
    for name in HANDS:
        try:
            by_hand(place, engine, examples / name, name)
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


def by_hand(place, engine, folder, name):
    """It observes; a hand turns faults on, and they are met; a restart observes again. From `up` to the end of the app with two faults in it, beside
    what the same steps take without Retrial."""
    first, env, rules = HANDS[name]
    run = lambda *words: engine.compose(folder, *words, env=env)
    hand = lambda *words: run("exec", "-T", "retrial", "/retrial", *words).stdout
    plain = time.monotonic()
    run("up", "-d", "api")
    run("exec", "-T", "api", "true")
    run("run", "--rm", "--no-deps", "-T", "api", "true")
    plain = time.monotonic() - plain
    run("down", "-v", "-t", "1")

    began = time.monotonic()
    run("up", "-d", first)
    for words in rules:
        hand(*words)
    armed = hand("ctl", "resume")
    assert armed.startswith("armed, for 1"), armed  # 15 min, or what is left of them
    said = run("up", "--no-color", "app").stdout
    took = time.monotonic() - began
    assert said.count(" failed") == 2 and "one" in said, said
    place.figures[f"compose {name}, up to the second fault"] = f"{took:.1f} s (to reach: below 5), {took / plain:.2f} times the engine's own {plain:.1f} s"
    assert took < 5 or took < MOST * plain, f"{took:.1f} s, the engine alone {plain:.1f} s"
    metrics = hand("ctl", "metrics")
    assert "retrial_armed 1\n" in metrics and 'retrial_rule_faults_fired_total{rule="%s"} 2\n' % ("inject" if env else "api") in metrics, metrics
    run("restart", "-t", "1", "retrial")
    state = hand("ctl", "state")
    assert state.startswith("observing"), state
