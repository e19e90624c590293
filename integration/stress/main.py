"""./dev stress-bench: small programs of which r_* are right and w_* wrong: which wrong ones `retrial stress` finds, and which right ones are told
falsely. Those in blind/ were written before anything judged them. Folders are counted apart."""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
RUNNERS = {".py": [sys.executable, "-B"], ".mjs": ["node"]}
RETRIAL = os.environ.get("RETRIAL", str(HERE.parents[1] / "build/release/retrial"))


def trial(program, out):
    """What was told, of the findings and else; and seconds."""
    began = time.monotonic()
    done = subprocess.run([RETRIAL, "stress", "--out", str(out), "--", *RUNNERS[program.suffix], program.name], cwd=program.parent,
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)
    took = time.monotonic() - began
    try:
        report = json.loads((out / "findings.json").read_text())
    except (OSError, ValueError):
        return None, " | ".join(done.stderr.strip().splitlines()[-2:]), took
    told = sorted({f"{f['verdict']} ({f['confidence']})" for f in report["findings"]})
    if told:
        return told, report["findings"][0]["message"], took
    return told, "; ".join(f"not judged: {j['why']}" for j in report["not_judged"])[:100] or "clean", took


def main():
    parser = argparse.ArgumentParser(prog="./dev stress-bench", description=__doc__)
    parser.add_argument("program", nargs="*", help="only these (default: all)")
    asked = parser.parse_args()
    counts = {}
    with tempfile.TemporaryDirectory(prefix="stress-") as scratch:
        programs = Path(scratch) / "programs"
        shutil.copytree(HERE, programs, ignore=shutil.ignore_patterns(".retrial"))
        print("| program | told | seconds | |\n|---|---|---|---|")
        for program in sorted(programs.glob("*/[rw]_*.*")):
            if program.suffix not in RUNNERS or (asked.program and program.stem not in asked.program):
                continue
            told, words, took = trial(program, Path(scratch) / program.stem)
            wrong = program.stem.startswith("w_")
            right, all_of_them = counts.get((program.parent.name, wrong), (0, 0))
            counts[program.parent.name, wrong] = right + (told is not None and bool(told) == wrong), all_of_them + 1
            print(f"| {program.stem} | {', '.join(told or []) or '-'} | {took:.0f} | {words} |", flush=True)
    for (folder, wrong), (right, all_of_them) in sorted(counts.items()):
        print(f"{folder}: of {all_of_them} {'wrong' if wrong else 'right'} ones {right} {'found' if wrong else 'told as right'}")


if __name__ == "__main__":
    main()
