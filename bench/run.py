#!/usr/bin/env python3
"""Retrial beside the proxies that a user would pick, in interleaved rounds on this machine.

Writes bench/results.md (--quick: build/bench/results.md). Exit status 1 where a firm limit (instructions, memory) fails.
"""
import argparse, datetime, json, os, platform, re, resource, subprocess, sys, tempfile
from pathlib import Path

import campaign
import fleet
import http2
import judge
import load
import peers
import predict
import report
import scenarios
import staging
from process import NotMeasured, alone_on_loopback, output_of

CPU, RATE, FAILED = ("CPU us", "cpu", 1), ("req/s", "rate", 0), ("failed", "failed", 0)
SCENARIOS = ("instructions", "clear", "tls", "handshakes", "rate", "loops", "start", "bodies", "idle")
HTTP2_SCENARIOS = ("h2-instructions", "h2-clear", "h2-tls", "grpc", "held", "messages")
COLUMNS = {
    "HTTP/2, clear text": [CPU, RATE, FAILED],
    "HTTP/2 over TLS in, clear text out": [CPU, RATE, FAILED],
    "gRPC-like": [CPU, RATE, FAILED],
    "clear text": [CPU, RATE, ("added p50 us, 1 connection", "one_p50", 0), FAILED],
    "TLS keep-alive": [CPU, RATE, ("p50 us, 1 connection", "one_p50", 0), FAILED],
    "TLS handshakes": [CPU, RATE, FAILED],
    "fixed rate": [("added p50 us", "p50", 0), ("added p99 us", "p99", 0), FAILED],
    "two loops": [CPU, RATE, FAILED],
    "start-up": [("ms", "ms", 1)],
}
HELD = [("p50 us", "alone_50", 0), ("p99 us", "alone_99", 0), ("p50 beside it", "beside_50", 0), ("p99 beside it", "beside_99", 0),
        ("p50, beside / without", "over_50", None), ("p99, beside / without", "over_99", None), FAILED]
BODIES = [("MiB/s", "mib_s", 0), ("peak MiB", "peak", 1)]
MESSAGES = [*BODIES, ("CPU s", "cpu_s", 2), ("it / direct", "mib_s over direct", None)]
HOW = """One loop, worker or thread each, on loopback in a network namespace of its own; the service is nginx (1 KiB). Retrial reads
and records every exchange; the others forward and write no log. Figures are medians of {rounds} interleaved rounds of
{seconds} s; a ratio is the median of the rounds' own ratios, its range behind it. CPU: user and system time of the proxy. Instructions:
callgrind, the difference of 6,000 and 1,000 requests. Load: wrk (64 connections), h2load (instructions), `bench/handshakes.cc` (full
TLS 1.3 handshakes, one request each, 4 clients), `bench/load.cc` (fixed rate, latency from when each request was due).
HTTP/2: h2load, 64 streams on 4 connections (instructions: 8 connections, a stream at a time); both sides of a proxy speak it, but
nginx, which asks in HTTP/1.1. gRPC-like: a POST of one message of 69 bytes, answered by nghttpd with one of 1 KiB and `grpc-status`
in trailers; streams are of messages of 16 KiB. Held streams: `bench/streams.cc`, 99 streams in a closed load on one connection,
without and with the held one by turns of a tenth of a second.
"""


def machine():
    cpu = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return f"{cpu[1] if cpu else platform.machine()}, {os.cpu_count()} cores, Linux {platform.release()}"


def commit():
    git = lambda *words: output_of(["git", "-C", peers.ROOT, *words]).strip()
    return git("rev-parse", "--short=10", "HEAD") + (" and changes" if git("status", "--porcelain", "-uno", "--", ":!bench/results.md") else "")


def measure(bench, args):
    """Yields (scenario, results) as they come."""
    wanted = lambda word: word in args.only
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
    if wanted("h2-instructions"):
        yield "instructions, HTTP/2", scenarios.instructions(bench, counted, False, http2=bench.service.http2)
    if wanted("h2-clear"):
        yield "HTTP/2, clear text", http2.many(bench, "HTTP/2, clear text", bench.service.http2)
    if wanted("h2-tls"):
        scenario = "HTTP/2 over TLS in, clear text out"
        yield scenario, http2.many(bench, scenario, bench.service.http2, tls=True)
    if wanted("grpc"):
        yield "gRPC-like", http2.many(bench, "gRPC-like", bench.calls.call)
    if wanted("held"):
        for how in http2.HELD:
            yield f"one stream of 100 {how}", http2.held(bench, how)
    if wanted("messages"):
        for up in (False, True):
            yield f"messages, {messages_mib(args)} MiB {'up' if up else 'down'}", http2.messages(bench, messages_mib(args), up)


def messages_mib(args):
    return 128 if args.quick else 1024


def text_of(bench, args, results, limits, loads):
    names = [name for name in peers.PROXIES if name in bench.wanted or any(name in found for found in results.values())]
    parts = ["# Retrial beside other proxies\n", f"Written by `./dev bench`, {datetime.date.today()}, commit {commit()}.\n",
             f"{machine()}; load average before {loads[0]:.1f}, after {loads[1]:.1f}.\n", HOW.format(rounds=args.rounds, seconds=args.seconds)]
    versions = []
    for name in bench.wanted:
        try:
            versions.append(f"{name} {peers.version(name, bench.directory)}")
        except (NotMeasured, TypeError) as why:
            versions.append(f"{name}: {why}")
    parts += ["Versions: " + ", ".join(versions) + ".\n", "## Limits\n", report.table(["", "limit", "measured", ""], limits.lines)]
    counted = {"clear text": "instructions", "TLS keep-alive": "instructions, TLS", "HTTP/2, clear text": "instructions, HTTP/2"}
    if any(scenario in results for scenario in counted.values()):
        shown = lambda value: "-" if value is None else f"{value:,.0f}"
        rows = [[name] + [shown(report.median(results, scenario, name, "instructions")) for scenario in counted.values()]
                for name in names if any(name in results.get(scenario, {}) for scenario in counted.values())]
        parts += ["## Instructions a request\n", report.table(["", *counted], rows)]
    for scenario in results:
        if scenario.startswith("instructions"):
            continue
        columns = COLUMNS.get(scenario) or (MESSAGES if scenario.startswith("messages") else BODIES if " MiB " in scenario else
                                            HELD if scenario.startswith("one stream") else [("MiB before", "before", 1), ("MiB", "memory", 1)])
        more = f" ({bench.rate:,.0f} requests a second)" if scenario == "fixed rate" else ""
        parts += [f"## {scenario if scenario[:4] == 'gRPC' else scenario[0].upper() + scenario[1:]}{more}\n", report.scenario_table(bench, results, scenario, columns, ["direct"] + names)]
    return "\n".join(parts)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--quick", action="store_true", help="one round of a second, less of everything")
    options.add_argument("--rounds", type=int)
    options.add_argument("--seconds", type=int)
    options.add_argument("--upstream", action="store_true", help="with --only campaign: suites that we did not write, too")
    options.add_argument("--rate", type=int, help="requests a second at the fixed rate (default: half of what one loop takes)")
    options.add_argument("--only", type=lambda s: s.split(","), help=f"of {','.join(SCENARIOS + HTTP2_SCENARIOS)}; h2: the last {len(HTTP2_SCENARIOS)}; or alone: judge, what judging a long recording costs; campaign, what a campaign costs beside its suite; staging, what an operator's looking costs; predict, what the analyses of a long trace cost; fleet, what judging and exporting the recordings of a fleet costs")
    options.add_argument("--peers", type=lambda s: s.split(","), default=list(dict.fromkeys(peers.HTTP1 + peers.HTTP2)))
    options.add_argument("--build", type=Path, default=peers.ROOT / "build/release", help="where retrial and bench/retrial_* are")
    args = options.parse_args()
    if args.only in (["judge"], ["campaign"], ["staging"], ["fleet"], ["predict"]):
        return {"judge": judge, "campaign": campaign, "staging": staging, "fleet": fleet, "predict": predict}[args.only[0]].run(args)
    complete = not (args.quick or args.only)
    args.only = [word for given in args.only or SCENARIOS + HTTP2_SCENARIOS for word in (HTTP2_SCENARIOS if given == "h2" else [given])]
    if unknown := [word for word in args.only if word not in SCENARIOS + HTTP2_SCENARIOS]:
        options.error(f"--only: no scenario '{unknown[0]}'; there are {', '.join(SCENARIOS + HTTP2_SCENARIOS)}, and h2")
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
            if {"grpc", "messages"} & set(args.only):
                bench.calls = peers.calls(bench.directory, messages_mib(args))
            for scenario, found in measure(bench, args):
                results[scenario] = found
                (out / "figures.json").write_text(json.dumps(results, indent=1))
                if scenario.startswith("instructions") and "retrial" in found:
                    mode = scenarios.mode_of("TLS" in scenario, "HTTP/2" in scenario)
                    (out / f"functions-{mode}.txt").write_text("\n".join(scenarios.functions(bench, mode)) + "\n")
        finally:
            for process in (bench.service, bench.calls):
                if process:
                    process.stop()
        limits = report.check(results)
        if len(args.only) < len(SCENARIOS + HTTP2_SCENARIOS):  # what was not asked for is not missing
            limits.lines = [line for line in limits.lines if line[3] != "not measured"]
        path = peers.ROOT / "bench/results.md" if complete and args.rounds >= 5 else out / "results.md"
        path.write_text(text_of(bench, args, results, limits, (before, os.getloadavg()[0])))
    for what, limit, shown, word in limits.lines:
        print(f"{what:<52}{limit:>18}  {shown:>22}  {word}")
    print(f"bench: {path}")
    return 1 if limits.failed else 0


if __name__ == "__main__":
    sys.exit(main())
