#!/usr/bin/env python3
"""Retrial beside the proxies that a user would pick, in interleaved rounds on this machine.

Writes bench/results.md (--quick: build/bench/results.md). Exit status 1 where a firm limit (instructions, memory) fails.
"""
import argparse, datetime, json, os, platform, re, resource, subprocess, sys, tempfile
from pathlib import Path

import load
import peers
import report
import scenarios
from process import NotMeasured, alone_on_loopback, output_of

CPU, RATE, FAILED = ("CPU us", "cpu", 1), ("req/s", "rate", 0), ("failed", "failed", 0)
COLUMNS = {
    "clear text": [CPU, RATE, ("added p50 us, 1 connection", "one_p50", 0), FAILED],
    "TLS keep-alive": [CPU, RATE, ("p50 us, 1 connection", "one_p50", 0), FAILED],
    "TLS handshakes": [CPU, RATE, FAILED],
    "fixed rate": [("added p50 us", "p50", 0), ("added p99 us", "p99", 0), FAILED],
    "two loops": [CPU, RATE, FAILED],
    "start-up": [("ms", "ms", 1)],
}
HOW = """One loop, worker or thread each, on loopback in a network namespace of its own; the service is nginx (1 KiB). Retrial reads
and records every exchange; the others forward and write no log. Figures are medians of {rounds} interleaved rounds of
{seconds} s; a ratio is the median of the rounds' own ratios, its range behind it. CPU: user and system time of the proxy. Instructions:
callgrind, the difference of 6,000 and 1,000 requests. Load: wrk (64 connections), h2load (instructions), `bench/handshakes.cc` (full
TLS 1.3 handshakes, one request each, 4 clients), `bench/load.cc` (fixed rate, latency from when each request was due).
"""


def machine():
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return f"{cpu[1] if cpu else platform.machine()}, {os.cpu_count()} cores, Linux {platform.release()}"


def commit():
    git = lambda *words: output_of(["git", "-C", peers.ROOT, *words]).strip()
    return git("rev-parse", "--short=10", "HEAD") + (" and changes" if git("status", "--porcelain", "-uno", "--", ":!bench/results.md") else "")


def measure(bench, args):
    """Yields (scenario, results) as they come."""
    wanted = lambda word: not args.only or word in args.only
    few = [name for name in bench.names if name in ("retrial", "haproxy")]
    counted = [name for name in bench.names if name in ("retrial", "haproxy", "nginx", "envoy") and not (args.quick and name == "envoy")]
    if wanted("instructions"):
        for tls in (False, True):
            yield f"instructions{', TLS' if tls else ''}", scenarios.instructions(bench, counted, tls)
    rate = args.rate
    if wanted("clear"):
        clear = scenarios.keep_alive(bench)
        yield "clear text", clear
        slower = [report.median({"": clear}, "", name, "rate") for name in few]
        rate = rate or int(round(min((r for r in slower if r), default=8000) / 2, -2))
    if wanted("tls"):
        yield "TLS keep-alive", scenarios.keep_alive(bench, tls=True)
    if wanted("handshakes"):
        yield "TLS handshakes", scenarios.handshakes(bench)
    if wanted("rate"):
        bench.rate = rate or 4000
        yield "fixed rate", scenarios.fixed_rate(bench, bench.rate)
    if wanted("loops"):
        yield "two loops", scenarios.two_loops(bench)
    if wanted("start"):
        yield "start-up", scenarios.start_up(bench)
    if wanted("bodies"):
        for up in (False, True):
            yield f"100 MiB {'up' if up else 'down'}", scenarios.large(bench, bench.names, 100, up, bench.rounds)
            if not args.quick:
                yield f"10240 MiB {'up' if up else 'down'}", scenarios.large(bench, few, 10240, up, 1)
    if wanted("idle"):
        for tls in (False, True):
            count = 1000 if args.quick else 10000
            yield f"{count} idle connections{', TLS' if tls else ''}", scenarios.idle(bench, count, tls)


def text_of(bench, args, results, limits, loads):
    names = [name for name in peers.PROXIES if name in bench.names or "loops" in name]
    parts = ["# Retrial beside other proxies\n", f"Written by `./dev bench`, {datetime.date.today()}, commit {commit()}.\n",
             f"{machine()}; load average before {loads[0]:.1f}, after {loads[1]:.1f}.\n", HOW.format(rounds=args.rounds, seconds=args.seconds)]
    versions = []
    for name in bench.names:
        try:
            versions.append(f"{name} {peers.version(name, bench.directory)}")
        except (NotMeasured, TypeError) as why:
            versions.append(f"{name}: {why}")
    parts += ["Versions: " + ", ".join(versions) + ".\n", "## Limits\n", report.table(["", "limit", "measured", ""], limits.lines)]
    counts = {name: [{"clear": report.median(results, "instructions", name, "instructions"),
                      "tls": report.median(results, "instructions, TLS", name, "instructions")}] for name in results.get("instructions", {})}
    if counts:
        shown = lambda value: "-" if value is None else f"{value:,.0f}"
        parts += ["## Instructions a request\n", report.table(["", "clear text", "TLS keep-alive"],
                                                              [[n, shown(c[0]["clear"]), shown(c[0]["tls"])] for n, c in counts.items()])]
    for scenario in results:
        if scenario.startswith("instructions"):
            continue
        columns = COLUMNS.get(scenario) or ([("MiB/s", "mib_s", 0), ("peak MiB", "peak", 1)] if " MiB " in scenario else
                                            [("MiB before", "before", 1), ("MiB", "memory", 1)])
        more = f" ({bench.rate:,.0f} requests a second)" if scenario == "fixed rate" else ""
        parts += [f"## {scenario[0].upper() + scenario[1:]}{more}\n", report.scenario_table(bench, results, scenario, columns, ["direct"] + names)]
    return "\n".join(parts)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="one round of a second, less of everything")
    options.add_argument("--rounds", type=int)
    options.add_argument("--seconds", type=int)
    options.add_argument("--rate", type=int, help="requests a second at the fixed rate (default: half of what one loop takes)")
    options.add_argument("--only", type=lambda s: s.split(","), help="of instructions,clear,tls,handshakes,rate,loops,start,bodies,idle")
    options.add_argument("--peers", type=lambda s: s.split(","), default=[n for n in peers.PROXIES if "loops" not in n])
    options.add_argument("--build", type=Path, default=peers.ROOT / "build/release", help="where retrial and bench/retrial_* are")
    args = options.parse_args()
    args.rounds, args.seconds = args.rounds or (1 if args.quick else 5), args.seconds or (1 if args.quick else 3)
    alone_on_loopback()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    peers.retrial.binary = args.build.resolve() / "retrial"
    out = peers.ROOT / "build/bench"
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="retrial-bench-") as folder:
        bench = scenarios.Bench(Path(folder), args.peers, args.rounds, args.seconds, args.build.resolve() / "bench")
        peers.certificate(bench.directory)
        bench.service, bench.sink, before = peers.service(bench.directory, (100, 10240)), load.Sink(), os.getloadavg()[0]
        results = {}
        try:
            for scenario, found in measure(bench, args):
                results[scenario] = found
                (out / "figures.json").write_text(json.dumps(results, indent=1))
                if scenario.startswith("instructions") and "retrial" in found:
                    lines = scenarios.functions(bench, "TLS" in scenario)
                    (out / f"functions-{'tls' if 'TLS' in scenario else 'clear'}.txt").write_text("\n".join(lines) + "\n")
        finally:
            bench.service.stop()
        limits = report.check(results)
        complete = not (args.quick or args.only or args.rounds < 5)
        path = peers.ROOT / "bench/results.md" if complete else out / "results.md"
        path.write_text(text_of(bench, args, results, limits, (before, os.getloadavg()[0])))
    for what, limit, shown, word in limits.lines:
        print(f"{what:<52}{limit:>18}  {shown:>22}  {word}")
    print(f"bench: {path}")
    return 1 if limits.failed else 0


if __name__ == "__main__":
    sys.exit(main())
