"""./dev zoo: real clients, real faults, and whether the verdicts are right."""
import argparse
import json
import os
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import calibration
import catalog
import check
import processes
import score
import trial

# Those that bear on a graded verdict, cheapest first; the others show the same once more.
CORE = ["a503", "c429ra", "e400", "f401", "g404", "x409", "ireset", "xrst", "jhang", "xtrunc", "x503ra", "x429ra90", "x429radate"]


def arguments():
    parser = argparse.ArgumentParser(prog="./dev zoo", description=__doc__)
    parser.add_argument("folder", nargs="?", default=os.environ.get("RETRIAL_ZOO", processes.ROOM.parents[1].parent / "shared/zoo"), help="of clients.json and verdicts.json (default: $RETRIAL_ZOO, else ../shared/zoo)")
    parser.add_argument("--client", action="append", default=[], help="only this client, or those of this language")
    parser.add_argument("--method", action="append", default=[], help="only this method")
    parser.add_argument("--scenario", action="append", default=[], help="only this scenario; 'all' for every one")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="how many clients are tried at once (default: one a core)")
    parser.add_argument("--keep", metavar="DIR", help="keep what was recorded there")
    parser.add_argument("--real-time", action="store_true", help="no time is compressed")
    parser.add_argument("--without-agents", action="store_true", help="as in a language that Retrial has no agent for")
    parser.add_argument("--repeat", type=int, help="as observe's (default: as often as the verdicts need)")
    parser.add_argument("--limit", type=float, default=60, metavar="S", help="a trial of one scenario that takes longer failed (default: 60)")
    parser.add_argument("--newest", action="store_true", help="where two versions of a package are known the newer one, of which fewer scenarios are")
    parser.add_argument("--more", action="store_true", help="our own clients in other languages (more.json) in place of the folder's")
    parser.add_argument("--check", action="store_true", help="without Retrial: does every client reach the service, and try as often as it is known to")
    parser.add_argument("--calibration", action="store_true", help="only how right the correlator's assignments are, by confidence")
    return parser.parse_args()


def chosen(subjects, asked):
    found = [s for s in subjects if (not asked.client or s.client in asked.client or s.language in asked.client) and (not asked.method or s.method in asked.method)]
    return found or sys.exit(f"zoo: nothing is called {' '.join(asked.client + asked.method)}; there are: {', '.join(sorted({s.client for s in subjects}))}")


def main():
    asked = arguments()
    packages = json.loads((processes.ROOM / "npm/package.json").read_text())["dependencies"]
    asked.old = [] if asked.newest else [name.removesuffix("-old") for name in packages if name.endswith("-old")]
    subjects = chosen(list(catalog.ours(processes.ROOM / "more.json")) if asked.more else catalog.load(Path(asked.folder)), asked)
    if asked.check:
        wrong = check.check(subjects, asked.old, asked.jobs)
        return 1 if wrong else 0
    asked.scenarios = [] if "all" in asked.scenario else asked.scenario or CORE
    asked.limit_s = asked.limit
    asked.observe = (["--real-time"] if asked.real_time else []) + (["--repeat", str(asked.repeat)] if asked.repeat else [])
    binary = os.environ.get("RETRIAL", str(processes.ROOM.parents[1] / "build/release/retrial"))
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="zoo-") as scratch, processes.service() as addresses, ThreadPoolExecutor(asked.jobs) as pool:
        folder = Path(asked.keep or scratch).resolve()

        if asked.calibration:
            counted = calibration.measure(binary, subjects, addresses, folder, asked)
            return 0 if calibration.show(*counted) else 1

        def tried(subject):
            done = trial.try_subject(binary, subject, addresses, folder, asked)
            print(score.show_subject(done), file=sys.stderr, flush=True)
            return done

        trials = list(pool.map(tried, subjects))
    return 0 if score.show(trials, time.monotonic() - began) else 1


if __name__ == "__main__":
    sys.exit(main())
