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
    """What was told (none: it could not be tried), each with its confidence; the first in words; and seconds."""
    began = time.monotonic()
    done = subprocess.run([RETRIAL, "stress", "--out", str(out), "--", *RUNNERS[program.suffix], program.name], cwd=program.parent,
                          capture_output=True, text=True, stdin=subprocess.DEVNULL)
    took = time.monotonic() - began
    try:
        report = json.loads((out / "findings.json").read_text())
    except (OSError, ValueError):
        return None, " | ".join(done.stderr.strip().splitlines()[-2:]), took
    told = {f["verdict"]: f["confidence"] for f in reversed(report["findings"])}
    words = report["findings"][0]["message"] if told else "; ".join(f"not judged: {j['why']}" for j in report["not_judged"])[:100] or "clean"
    return told, words, took


def main():
    parser = argparse.ArgumentParser(prog="./dev stress-bench", description=__doc__)
    parser.add_argument("program", nargs="*", help="only these (default: all)")
    asked = parser.parse_args()
    seen = {}
    with tempfile.TemporaryDirectory(prefix="stress-") as scratch:
        programs = Path(scratch) / "programs"
        shutil.copytree(HERE, programs, ignore=shutil.ignore_patterns(".retrial"))
        print("| program | told | seconds | |\n|---|---|---|---|")
        for program in sorted(programs.glob("*/[rw]_*.*")):
            if program.suffix not in RUNNERS or (asked.program and program.stem not in asked.program):
                continue
            told, words, took = trial(program, Path(scratch) / program.stem)
            seen[program.parent.name, program.stem] = told
            print(f"| {program.stem} | {', '.join(f'{v} ({c})' for v, c in (told or {}).items()) or '-'} | {took:.0f} | {words} |", flush=True)
    counts = {}
    for (folder, stem), told in seen.items():
        kind, name = stem.split("_", 1)
        if kind == "r":  # whatever is told surely, and what its wrong twin is told for
            others = [t for (f, s), t in seen.items() if f == folder and s.startswith("w_") and name.startswith(s[2:])]
            fine = told is not None and "likely" not in told.values() and not any(v in told for t in others for v in own(t))
        else:
            fine = bool(own(told))
        right, all_of_them = counts.get((folder, kind), (0, 0))
        counts[folder, kind] = right + fine, all_of_them + 1
    for (folder, kind), (right, all_of_them) in sorted(counts.items()):
        print(f"{folder}: of {all_of_them} {'wrong' if kind == 'w' else 'right'} ones {right} {'found' if kind == 'w' else 'told as right'}")


def own(told):
    """What a wrong one is told for."""
    return [*told] if told else []


if __name__ == "__main__":
    main()
