"""./dev checkers-bench: two services with silent failures that their own suites do not see. Checkers are learned on the right ones, and held
against every wrong one, and against right ones in other orders and with many tests at once: how many wrong ones are found, and how many
checks of right ones fail."""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
RETRIAL = os.environ.get("RETRIAL", str(HERE.parents[1] / "build/release/retrial"))
SUITES = {"test_stock": "stock.py", "test_desk": "desk.py"}


def retrial(*words, cwd, **env):
    return subprocess.run([RETRIAL, *map(str, words)], cwd=cwd, env={**os.environ, **env}, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL)


def checked(cwd, out, checkers, command, **env):
    """The findings, and the checks and those of them that failed, of one run of this command."""
    seen = retrial("observe", "--out", out, "--", *command, cwd=cwd, **env)
    assert seen.returncode == 0, seen.stdout + seen.stderr
    judged = retrial("judge", "--checkers", checkers, "--out", f"{out}-judged", out, cwd=cwd)
    report = json.loads(Path(f"{out}-judged/findings.json").read_text())
    line = " ".join(judged.stdout.split())
    counts = re.search(r"without faults, \d+ of \d+ checkers? had something to look at: (\d+) checks?, (\d+) failed", line)
    assert counts, judged.stdout + judged.stderr
    found = [f for f in report["findings"] if f["verdict"] == "semantic-violation"]
    return found, int(counts[1]), int(counts[2])


def main():
    parser = argparse.ArgumentParser(prog="./dev checkers-bench", description=__doc__)
    parser.add_argument("wrong", nargs="*", help="only these failures (default: all)")
    parser.add_argument("--right", type=int, default=5, help="runs of each right suite in another order, and as many at once (default: 5)")
    asked = parser.parse_args()
    found_all = wrong_all = checks_all = false_all = 0
    with tempfile.TemporaryDirectory(prefix="checkers-") as scratch:
        programs = Path(scratch) / "programs"
        shutil.copytree(HERE, programs, ignore=shutil.ignore_patterns(".retrial", "__pycache__"))
        for suite, service in SUITES.items():
            checkers = Path(scratch) / f"{suite}.toml"
            plain = [sys.executable, "-B", "-m", "unittest", "-q", suite]
            learned = retrial("learn", "-o", checkers, "--", *plain, cwd=programs)
            assert learned.returncode == 0, learned.stdout + learned.stderr
            print(f"{suite}: {learned.stdout.strip()}\n\n| silent failure | | checks failed | what is told |\n|---|---|---|---|", flush=True)
            for wrong in sorted(set(re.findall(r'WRONG [!=]= "([a-z-]+)"', (programs / service).read_text()))):
                if asked.wrong and wrong not in asked.wrong:
                    continue
                found, _, failed = checked(programs, f"{scratch}/{suite}-{wrong}", checkers, plain, WRONG=wrong)
                wrong_all += 1
                found_all += bool(found)
                told = found[0]["message"] if found else ""
                print(f"| {wrong} | {'found' if found else 'MISSED'} | {failed} | {told[:150]} |", flush=True)
            checks = false = 0
            for how in ("order", "at-once"):
                for n in range(asked.right):
                    command = [sys.executable, "-B", "another_way.py", how, str(n), suite]
                    found, looked, failed = checked(programs, f"{scratch}/{suite}-{how}-{n}", checkers, command)
                    checks, false = checks + looked, false + failed
                    for f in found:
                        print(f"FALSE ({how} {n}): {f['message']}")
            print(f"\n{suite}, right, in other orders and at once: {checks} checks, {false} failed\n", flush=True)
            checks_all, false_all = checks_all + checks, false_all + false
    print(f"{found_all} of {wrong_all} silent failures found; of {checks_all} checks of right runs {false_all} failed "
          f"({100 * false_all / max(1, checks_all):.2f} %)")
    return 0 if found_all >= wrong_all * 0.75 and false_all <= checks_all * 0.006 else 1


if __name__ == "__main__":
    sys.exit(main())
