"""Is the correlator as sure as it may be? Processes that make several calls, each request labelled with the call it belongs to.

An assignment is an exchange that was said to repeat the attempt before it. It is right if both carry the same label.
"""
import itertools
import sqlite3
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from processes import NO_AGENTS, command_of, environment, run

GOAL = {"certain": 0.999, "likely": 0.98, "possible": 0.90}
CALLS = 6
# Some calls recover, some do not, some meet no fault.
FAULTS = ["50% of error(503)", "error(503) x 1, then pass", "30% of close(after-request)"]
LABEL = "x-zoo-call"
# Their calls name nothing, so that all of them are alike.
NAMELESS = {("openai", "GET"), ("@google-cloud/storage", "POST"), ("@google-cloud/storage (Google-shaped errors)", "POST"),
            ("@azure/storage-queue", "GET"), ("azure-storage-queue", "GET")}


def assignments(database):
    """Of each repeat: how sure, and whether it was right. None for a repeat that was not seen as one."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as db:
        rows = db.execute("SELECT run, call, attempt, confidence, operation, request_headers FROM exchange ORDER BY run, begun, id").fetchall()
    last, told = {}, set()
    for one, call, attempt, confidence, operation, headers in rows:
        label = dict(line.split(": ", 1) for line in headers.splitlines() if ": " in line).get(LABEL)
        if label is None:
            continue
        truth = (one, label, operation)
        if attempt > 1 and (one, call) in last:
            yield confidence, last[one, call] == truth
        elif truth in told:
            yield None, False
        last[one, call] = truth
        told.add(truth)


def measure(binary, subjects, addresses, folder, options):
    subjects = [s for s in subjects if "grpc" not in s.client]
    ways = list(itertools.product(([], ["--at-once"]), ([], ["--alike"]), (True, False)))

    def one(work):
        n, (subject, (at_once, alike, agent)) = work
        fault = FAULTS[n % len(FAULTS)]
        out = folder / f"calibration-{n}"
        bare = [] if agent else NO_AGENTS
        command = [binary, "observe", "--inject", fault, "--seed", str(n), "--repeat", "1", "--out", str(out), *options.observe, "--",
                   *bare, *command_of(subject, addresses), "--calls", str(CALLS), *at_once, *alike]
        status, _, err = run(command, options.limit_s, environment(options.old))
        where = f"{'alike' if alike or (subject.client, subject.method) in NAMELESS else 'different'}, {'at once' if at_once else 'in turn'}, {'with' if agent else 'without'} agent"
        return where, subject, fault, (list(assignments(out / "campaign.db")) if status == 0 else f"{status}: {err.strip()[-200:]}")

    counts, wrong, broken = Counter(), Counter(), []
    with ThreadPoolExecutor(options.jobs) as pool:
        for where, subject, fault, found in pool.map(one, enumerate(itertools.product(subjects, ways))):
            if isinstance(found, str):
                broken.append(f"{subject.name}, {fault}, {where}: {found}")
                continue
            for confidence, right in found:
                counts[where, confidence, right] += 1
                if confidence and not right:
                    wrong[subject.name, fault, where, confidence] += 1
    return counts, wrong, broken


def show(counts, wrong, broken):
    print("\n| calls | confidence | assignments | right | wanted |\n|---|---|---|---|---|")
    reached = True
    places = sorted({where for where, *_ in counts})
    for where in [*places, "all"]:
        for confidence, wanted in GOAL.items():
            right, false = (sum(n for (w, c, r), n in counts.items() if c == confidence and r == good and where in (w, "all")) for good in (True, False))
            share = right / (right + false) if right + false else 1.0
            reached = reached and (where != "all" or share >= wanted)
            print(f"| {where} | {confidence} | {right + false} | {100 * share:.2f} % | {100 * wanted:.1f} % |")
        print(f"| {where} | not seen as a repeat | {sum(n for (w, c, _), n in counts.items() if c is None and where in (w, 'all'))} | | |")
    for (name, fault, where, confidence), n in sorted(wrong.items(), key=lambda w: (list(GOAL).index(w[0][3]), -w[1]))[:30]:
        print(f"wrong {n} times, {confidence}: {name}, {fault}, {where}")
    for line in broken:
        print(f"not tried: {line}")
    return reached and not broken
