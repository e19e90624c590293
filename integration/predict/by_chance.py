"""Crashes and delays at requests drawn by chance, with nothing predicted: what FCatch and Waffle are held against. Each is a case of a plan
file, judged by every oracle there is, and confirmed as every case is."""
import json
import random
import subprocess
import tomllib
from pathlib import Path

OCCURRENCES = (1, 2, 3), (6, 2, 1)  # a call of a test is met at its first, second or third time; many are made once
FAULTS = (
    *(("TOF", f"crash({moment}) x 1, then pass") for moment in ("before-request", "executed")),
    *(("order", f"delay({ms}ms) x 1, then pass") for ms in (5, 10, 20, 50, 100)),
)


def calls_of(retrial, argv, folder, scratch):
    """The calls of a program that can be put on trial: call_site, service, operation and test of each."""
    plan = Path(scratch) / "all.toml"
    subprocess.run([retrial, "plan", "--policies", "p1", "-o", plan, "--out", f"{scratch}/plan", "--", *argv], cwd=folder, capture_output=True,
                   stdin=subprocess.DEVNULL)
    cases = tomllib.loads(plan.read_text())["case"] if plan.exists() else []
    calls = {json.dumps([c.get(k) for k in ("call_site", "service", "operation", "test")]): c for c in cases}
    return [{k: c[k] for k in ("call_site", "service", "operation", "test") if k in c} for c in calls.values()]


def draw(chance, calls):
    policy, fault = chance.choices(FAULTS, weights=(5, 5, 2, 2, 2, 2, 2))[0]
    return {**chance.choice(calls), "policy": policy, "fault": fault, "occurrence": chance.choices(*OCCURRENCES)[0]}


def written(cases):
    lines = ["version = 1"]
    for case in cases:
        lines += ["", "[[case]]", *(f"{key} = {json.dumps(value)}" for key, value in case.items())]
    return "\n".join(lines) + "\n"


def measure(retrial, programs, argv_of, times, seed, scratch):
    chance = random.Random(seed)
    drawn = {}
    for _ in range(times):
        program = chance.choice(programs)
        drawn[program] = drawn.get(program, 0) + 1
    found = {"w": 0, "r": 0}
    tried = {"w": 0, "r": 0}
    print("| program | faults by chance | told |\n|---|---|---|")
    for program, many in sorted(drawn.items()):
        here = Path(scratch) / f"{program.parent.name}-{program.stem}"
        here.mkdir()
        calls = calls_of(retrial, argv_of(program), program.parent, here)
        told = set()
        if calls:
            (here / "plan.toml").write_text(written([draw(chance, calls) for _ in range(many)]))
            subprocess.run([retrial, "run", "--alone", "--plan", here / "plan.toml", "--out", here / "out", "--", *argv_of(program)], cwd=program.parent,
                           capture_output=True, stdin=subprocess.DEVNULL)
            report = here / "out/findings.json"
            told = {f"{f['verdict']} {f['confidence']}" for f in json.loads(report.read_text())["findings"] if f["confidence"] != "possible"} if report.exists() else {"not tried"}
        kind = program.stem[0]
        tried[kind] += 1
        found[kind] += bool(told - {"not tried"})
        print(f"| {program.parent.name}/{program.stem} | {many} | {', '.join(sorted(told)) or 'clean'} |", flush=True)
    print(f"\n{times} crashes and delays by chance (seed {seed}): {found['w']} of {tried['w']} wrong ones found, {found['r']} of {tried['r']} right ones told")
    return 0
