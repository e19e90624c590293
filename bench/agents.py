#!/usr/bin/env python3
"""What Node's agent costs: the CPU time of loops with and without it, in interleaved rounds. It is for the eye: nothing passes or fails.

A ratio is the median of the rounds' own. `--beside FOLDER` measures another agent (a folder with retrial.cjs) in the same rounds.
"""
import argparse, os, resource, statistics, subprocess, sys, tempfile
from pathlib import Path

from process import alone_on_loopback

ROOT = Path(__file__).resolve().parents[1]
LOOPS = ROOT / "bench/node_loops.mjs"
COUNTS = {"fetch": 2000, "http.get": 3000, "axios": 1500, "got": 800, "grpc-js": 1500, "await": 100_000, "new Promise": 100_000, "then": 100_000,
          "immediate": 30_000, "start": 10}
ROW = "{:<13}{:<10}{:>11}{:>11}{:>9}   {}"


def variables(agent, folder, ports):
    kept = {name: value for name, value in os.environ.items() if name not in ("NODE_OPTIONS", "RETRIAL_EVENTS")}
    kept |= dict(zip(("HTTP_PORT", "GRPC_PORT"), ports))
    return kept if agent is None else {**kept, "NODE_OPTIONS": f"--require={agent}/retrial.cjs", "RETRIAL_EVENTS": f"{folder}/events"}


def start(node, count, environment):
    """Microseconds of CPU that a process takes which does nothing."""
    of = lambda usage: usage.ru_utime + usage.ru_stime
    before = of(resource.getrusage(resource.RUSAGE_CHILDREN))
    for _ in range(count):
        subprocess.run([node, "-e", "0"], env=environment, check=True)
    return (of(resource.getrusage(resource.RUSAGE_CHILDREN)) - before) / count * 1e6


def once(node, kind, environment):
    if kind == "start":
        return start(node, COUNTS[kind], environment)
    done = subprocess.run([node, LOOPS, kind, str(COUNTS[kind])], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=300)
    return float(done.stdout) if done.returncode == 0 and done.stdout.strip() else None


def tell(kind, rounds, agents):
    """One line an agent; the rest of `rounds` is what was measured of each, None without an agent."""
    for name in agents:
        pairs = [(found[None], found[name]) for found in rounds if found[None] is not None and found[name] is not None]
        if not pairs:
            print(ROW.format(kind, name, "-", "-", "-", "not measured"))
            continue
        ratios = sorted(it / plain for plain, it in pairs)
        plain, it = (statistics.median(side) for side in zip(*pairs))
        print(ROW.format(kind, name, f"{plain:,.2f}", f"{it:,.2f}", f"{statistics.median(ratios):.2f}", f"{ratios[0]:.2f} to {ratios[-1]:.2f}"), flush=True)


def measure(args, folder):
    agents = {"agent": ROOT / "integration/agents/node", **{path.name: path.resolve() for path in args.beside}}
    service = subprocess.Popen([args.node, LOOPS, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        ports = service.stdout.readline().split()
        print(ROW.format("loop", "", "without us", "with us", "ratio", f"range of {args.rounds} rounds"))
        for kind in args.kinds:
            rounds = []
            for _ in range(args.rounds):
                rounds.append({name: once(args.node, kind, variables(agents.get(name), folder, ports)) for name in (None, *agents)})
            tell(kind, rounds, agents)
    finally:
        service.stdin.close()
        service.wait()


def run(args=None):
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--node", default="node")
    options.add_argument("--beside", type=Path, action="append", default=[])
    options.add_argument("--kinds", type=lambda s: s.split(","), default=list(COUNTS))
    options.add_argument("--rounds", type=int, default=7)
    args = options.parse_args([] if args else None)
    os.environ.setdefault("RETRIAL_TEST_MODULES", str(ROOT / "build/test-env/agents-node/node_modules"))
    alone_on_loopback()
    with tempfile.TemporaryDirectory(prefix="retrial-bench-") as folder:
        measure(args, folder)


if __name__ == "__main__":
    sys.exit(run())
