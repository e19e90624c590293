"""./dev witness: small right and wrong applications under faults: which right ones are told as buggy, and which wrong ones are missed."""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import programs

sys.path.append(str(programs.ROOT / "integration/zoo/driver"))
from processes import NO_AGENTS, environment, run

ALONE = str(programs.ROOT / "integration/alone.sh")
WITH_SERVICES = [sys.executable, "-B", str(Path(__file__).with_name("with_services.py"))]


def arguments():
    parser = argparse.ArgumentParser(prog="./dev witness", description=__doc__)
    parser.add_argument("folder", nargs="?", default=os.environ.get("RETRIAL_WITNESS", programs.ROOT.parent / "shared/witness"),
                        help="of r_* and w_*, itself or one folder down (default: $RETRIAL_WITNESS, else ../shared/witness)")
    parser.add_argument("--program", action="append", default=[], metavar="NAME", help="only this one")
    parser.add_argument("--fault", action="append", default=[], help="in place of those that its comment names, or the usual ones")
    parser.add_argument("--service", action="append", default=[], metavar="'PROGRAM PORT'",
                        help="a service beside the programs (default: the folder's 'svc.* 18801' and 'broker.* 18802')")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many are tried at once (default: one a core)")
    parser.add_argument("--keep", metavar="DIR", help="what was recorded stays: DIR/<program>/<number of the fault>")
    parser.add_argument("--without-agents", action="store_true", help="as in a language that Retrial has no agent for")
    parser.add_argument("--limit", type=float, default=180, metavar="S", help="a trial that takes longer failed (default: 180)")
    return parser.parse_args()


def trial(program, fault, out, services, asked):
    """What was told, in words, and whether it is a finding; None: it could not be tried."""
    observe = [os.environ["RETRIAL"], "observe", "--inject", fault, "--out", str(out), "--", *(NO_AGENTS if asked.without_agents else []),
               *program.command]
    status, _, err = run([ALONE, *WITH_SERVICES, *services, "--", "env", "-C", str(program.home), *observe], asked.limit, environment())
    try:
        judged = json.loads((out / "findings.json").read_text())
    except (OSError, ValueError):
        why = f"no end within {asked.limit:.0f} s" if status is None else " | ".join(err.strip().splitlines()[-3:])
        return f"not tried: {why[:200]}", None
    told = [f"{f['verdict']} {f['confidence']}" for f in judged["findings"]]
    if not told:
        told = ["nothing found" if judged["clean"] else "not judged: " + "; ".join(n["why"] for n in judged["not_judged"][:1])[:120]]
    return ", ".join(sorted(set(told))), any(f["confidence"] in ("certain", "likely") for f in judged["findings"])


def word_of(program, found, anywhere):
    if found is None:
        return "not tried"
    if program.right:
        return "FALSE" if found else "right"
    return "found" if found else "not here" if anywhere else "MISSED"


def main():
    asked = arguments()
    asked.folder = Path(asked.folder).resolve()
    chosen = programs.load(asked.folder)
    if asked.program:
        chosen = [p for p in chosen if p.name in asked.program] or sys.exit(f"witness: there are: {', '.join(p.name for p in chosen)}")
    services = programs.services(asked.folder, asked.service)
    if subprocess.run([ALONE, "true"]).returncode:
        return 2
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="witness-") as scratch, ThreadPoolExecutor(asked.jobs) as pool:
        kept = Path(asked.keep or scratch).resolve()
        trials = {p.name: [(fault, pool.submit(trial, p, fault, kept / p.name / str(n), services, asked))
                           for n, fault in enumerate(asked.fault or p.faults or programs.FAULTS, 1)] for p in chosen}
        false = missed = failed = 0
        print("| program | fault | expected | told | |\n|---|---|---|---|---|")
        for program in chosen:
            told = [(fault, *done.result()) for fault, done in trials[program.name]]
            anywhere = any(found for *_, found in told)
            for fault, words, found in told:
                print(f"| {program.name} | {fault} | {'right' if program.right else 'wrong'} | {words} | {word_of(program, found, anywhere)} |", flush=True)
            false += program.right and anywhere
            missed += not program.right and not anywhere
            failed += sum(found is None for *_, found in told)
    right = sum(p.right for p in chosen)
    print(f"\nfalse: {false} of {right} right programs; missed: {missed} of {len(chosen) - right} wrong ones; "
          f"{sum(map(len, trials.values()))} trials, {failed} not made; {(time.monotonic() - began) / 60:.1f} minutes")
    return 1 if false or missed or failed else 0


if __name__ == "__main__":
    sys.exit(main())
