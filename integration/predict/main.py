"""./dev predict-bench: small workers of which r_* are right and w_* wrong: which wrong ones `retrial run --policies order` finds, those in tof/
`--policies tof`, and which right ones are told falsely. Those in blind/ and tof/ were written before anything judged them. Folders are counted
apart."""
import argparse
import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import by_chance
import costs

HERE = Path(__file__).parent
RUNNERS = {".py": [sys.executable, "-B"], ".mjs": ["node"]}
RETRIAL = os.environ.get("RETRIAL", str(HERE.parents[1] / "build/release/retrial"))


def argv_of(program):
    return [*RUNNERS[program.suffix], program.name]


def campaign(program, out):
    policy = "tof" if program.parent.name == "tof" else "order"
    return subprocess.run([RETRIAL, "run", "--policies", policy, "--out", str(out), "--", *argv_of(program)], cwd=program.parent,
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)


def trial(program, scratch):
    """The confidences of what its folder is about, None where it was not tried; runs with a fault; seconds; and what was told."""
    verdict = "time-of-fault" if program.parent.name == "tof" else "order-violation"
    out = Path(scratch) / program.stem
    began = time.monotonic()
    done = campaign(program, out)
    took = time.monotonic() - began
    try:
        report = json.loads((out / "findings.json").read_text())
    except (OSError, ValueError):
        return None, 0, took, " | ".join(done.stderr.strip().splitlines()[-2:])
    told = {f"{f['verdict']} {f['confidence']}" for f in report["findings"] if f["confidence"] != "possible"}
    here = [f["confidence"] for f in report["findings"] if f["verdict"] == verdict and f["confidence"] != "possible"]
    why = "; ".join(j["why"] for j in report["not_judged"])[:100]
    with contextlib.closing(sqlite3.connect(out / "campaign.db")) as store:
        (held,) = store.execute("SELECT count(*) FROM run WHERE kind = 'with-fault'").fetchone()
    if program.stem.startswith("r_"):
        here = told  # whatever it is
    return here, held, took, ", ".join(sorted(told)) or why or "clean"


def main():
    parser = argparse.ArgumentParser(prog="./dev predict-bench", description=__doc__)
    parser.add_argument("program", nargs="*", help="only these (default: all)")
    parser.add_argument("--times", type=int, default=1, help="how often each is tried (default: 1)")
    parser.add_argument("--costs", action="store_true", help="what a run takes under Retrial, of what it takes by itself, in place of what is found")
    parser.add_argument("--by-chance", type=int, metavar="N", help="what N crashes and delays at requests drawn by chance find, in place of it (400: an hour)")
    parser.add_argument("--seed", type=int, default=1, help="of --by-chance")
    asked = parser.parse_args()
    counts = {}
    with tempfile.TemporaryDirectory(prefix="predict-") as scratch:
        folder = Path(scratch) / "programs"
        shutil.copytree(HERE, folder, ignore=shutil.ignore_patterns(".retrial"))
        programs = [p for p in sorted(folder.glob("*/[rw]_*.*")) if p.suffix in RUNNERS and (not asked.program or p.stem in asked.program)]
        if asked.costs:
            return costs.measure(programs, argv_of, campaign, scratch)
        if asked.by_chance:
            return by_chance.measure(RETRIAL, programs, argv_of, asked.by_chance, asked.seed, scratch)
        print("| program | told | runs with a fault | seconds | |\n|---|---|---|---|---|")
        for program in programs:
            for again in range(asked.times):
                here, held, took, words = trial(program, f"{scratch}/{again}")
                wrong = program.stem.startswith("w_")
                word = "not tried" if here is None else ("found" if here else "MISSED") if wrong else ("FALSE" if here else "right")
                count = counts.setdefault(program.parent.name, {})
                count[word] = count.get(word, 0) + 1
                print(f"| {program.parent.name}/{program.stem} | {words} | {held} | {took:.1f} | {word} |", flush=True)
    bad = 0
    for folder, count in counts.items():
        print(f"\n{folder}: " + ", ".join(f"{n} {word}" for word, n in sorted(count.items())))
        bad += sum(n for word, n in count.items() if word not in ("found", "right"))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
