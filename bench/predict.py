#!/usr/bin/env python3
"""What the analyses of `predict` cost on a long trace: processor seconds, and memory beside the trace itself. Exit status 1 where a
limit fails: 500 MiB, linear time.
"""
import argparse, subprocess, sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIMIT_MIB, BENT = 500, 1.5  # time for each exchange: in the longest trace, against the shortest
ROW = "{:<15}{:>11}{:>11}{:>11}{:>11}"


def measure(binary, count):
    """{analysis: (seconds, MiB)}"""
    lines = subprocess.run([binary, str(count)], check=True, capture_output=True, text=True).stdout.splitlines()
    return {name: (float(seconds), float(mib)) for name, seconds, mib, _ in map(str.split, lines)}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", type=Path, default=ROOT / "build/release", help="where bench/retrial_orders is")
    options.add_argument("--most", type=int, default=1_000_000, help="exchanges of the longest trace")
    return run(options.parse_args())


def run(args):
    most = getattr(args, "most", 1_000_000)
    failed, each = [], {}
    print(ROW.format("analysis", "exchanges", "seconds", "each", "beside"))
    for count in (most // 10, most):
        for name, (seconds, mib) in measure(args.build.resolve() / "bench/retrial_orders", count).items():
            print(ROW.format(name, f"{count:,}", f"{seconds:.1f} s", f"{1e6 * seconds / count:.1f} us", f"{mib:.0f} MiB"), flush=True)
            if name == "trace":
                continue
            each.setdefault(name, []).append(seconds / count)
            if mib > LIMIT_MIB:
                failed.append(f"{name}, {count:,}: {mib:.0f} MiB, more than {LIMIT_MIB}")
    for name, (first, last) in each.items():
        if last > BENT * first:
            failed.append(f"{name}: an exchange costs {last / first:.1f} times as much in the longest trace as in the shortest")
    for line in failed:
        print(f"bench: {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
