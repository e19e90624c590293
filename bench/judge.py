#!/usr/bin/env python3
"""What `retrial judge` costs on a long recording of `serve`: CPU time and peak memory by length and kind of the trace, beside
what building the store alone costs. Exit status 1 where a limit fails: 500 MiB, linear time, judging costs less than the store did.
"""
import argparse, os, shutil, sys, tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIMIT_MIB, BENT = 500, 1.5  # time for each exchange: at the longest trace, against the shortest
ROW = "{:<9}{:>10}{:>11}{:>11}{:>13}{:>11}{:>11}"


def cost(argv):
    """CPU seconds and peak MiB of a process. Status 1 is a verdict, not a failure."""
    pid = os.posix_spawn(argv[0], list(map(str, argv)), os.environ, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)])
    _, status, used = os.wait4(pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"bench: {' '.join(map(str, argv))} ended with {os.waitstatus_to_exitcode(status)}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def measure(binaries, folder, count, kind):
    trace = folder / f"{kind}-{count}"
    cost([binaries / "bench/retrial_traces", "make", trace, count, kind])
    store, _ = cost([binaries / "bench/retrial_traces", "store", trace])
    whole, peak = cost([binaries / "retrial", "judge", trace])
    shutil.rmtree(trace)
    print(ROW.format(kind, f"{count:,}", f"{store:.2f} s", f"{whole:.2f} s", f"{whole - store:.2f} s", f"{1e6 * whole / count:.1f} us", f"{peak:.0f} MiB"), flush=True)
    return store, whole, peak


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", type=Path, default=ROOT / "build/release", help="where retrial and bench/retrial_traces are")
    options.add_argument("--most", type=int, default=1_000_000, help="exchanges of the longest trace")
    return run(options.parse_args())


def run(args):
    most = getattr(args, "most", 1_000_000)
    failed = []
    print(ROW.format("trace", "exchanges", "store", "judge", "of it, judging", "each", "peak"))
    with tempfile.TemporaryDirectory(prefix="retrial-bench-") as folder:
        for kind in ("clean", "percent", "all"):
            each = []
            for count in (most // 10, most // 3, most):
                store, whole, peak = measure(args.build.resolve(), Path(folder), count, kind)
                each.append(whole / count)
                if peak > LIMIT_MIB:
                    failed.append(f"{kind}, {count:,}: {peak:.0f} MiB, more than {LIMIT_MIB}")
            if whole - store > store:
                failed.append(f"{kind}: judging cost more than the store did")
            if each[-1] > BENT * each[0]:
                failed.append(f"{kind}: an exchange costs {each[-1] / each[0]:.1f} times as much in the longest trace as in the shortest")
    for line in failed:
        print(f"bench: {line}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
