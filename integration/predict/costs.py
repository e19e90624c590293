"""What a run of the program takes under Retrial, of what it takes by itself: those that predict (references), and those that try (with a delay
or a death). Each against one plain run, in real time: not the whole command, which makes several."""
import contextlib
import sqlite3
import statistics
import subprocess
import time

LEFT = "SELECT (ended - began - coalesce((SELECT sum(by) FROM jump WHERE jump.run = run.id), 0)) / 1e9 FROM run WHERE kind = ?"
PLAIN = 5  # runs by itself, of which the median counts
PREDICTS, DETECTS = 1.3, 2.5  # at most, as Waffle has it


def plain(argv, folder):
    took = []
    for _ in range(PLAIN):
        began = time.monotonic()
        subprocess.run(argv, cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, timeout=120)
        took.append(time.monotonic() - began)
    return statistics.median(took)


def median_of(store, kind):
    with contextlib.closing(sqlite3.connect(store)) as db:
        took = [seconds for (seconds,) in db.execute(LEFT, (kind,))]
    return statistics.median(took) if took else None


def measure(programs, argv_of, campaign, scratch):
    """`campaign(program, out)` tries one. Prints a row each, and the median ratios of all."""
    print("| program | plain | a reference | a run with a fault |\n|---|---|---|---|")
    ratios = {"reference": [], "with-fault": []}
    for program in programs:
        alone = plain(argv_of(program), program.parent)
        out = f"{scratch}/{program.parent.name}-{program.stem}"
        campaign(program, out)
        cells = []
        for kind, all_of_it in ratios.items():
            took = median_of(f"{out}/campaign.db", kind)
            cells.append("-" if took is None else f"{took:.2f} s, {took / alone:.1f} x")
            if took is not None:
                all_of_it.append(took / alone)
        print(f"| {program.parent.name}/{program.stem} | {alone:.2f} s | {' | '.join(cells)} |", flush=True)
    predicts, detects = (statistics.median(all_of_it or [0]) for all_of_it in ratios.values())
    print(f"\nin the median: {predicts:.1f} times a plain run to predict (at most {PREDICTS}), {detects:.1f} times to detect (at most {DETECTS})")
    return 1 if predicts > PREDICTS or detects > DETECTS else 0
