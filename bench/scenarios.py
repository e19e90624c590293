"""What is measured, scenario by scenario. Each gives {proxy: [one dict of figures a round]}; a proxy that fails gives a reason instead."""
import re
import shutil
import sys
import time

import load
import peers
from process import NotMeasured, output_of


class Bench:
    """What all scenarios share: where things lie, what answers, how long, and why a figure is missing."""

    def __init__(self, directory, wanted, rounds, seconds, tools):
        self.directory, self.wanted, self.rounds, self.seconds, self.tools = directory, wanted, rounds, seconds, tools
        self.names = [name for name in peers.HTTP1 if name in wanted]
        self.service = self.sink = self.calls = None
        self.rate = 0  # requests a second, of the open load
        self.missing = {}  # (scenario, proxy): why

    def say(self, text):
        print(text, file=sys.stderr, flush=True)

    def lacks(self, scenario, name, why):
        line = " ".join(str(why).replace(f"{self.directory}/", "").replace("|", "/").split())
        if (scenario, name) not in self.missing:
            self.say(f"  {name}: not measured: {line}")
        self.missing[scenario, name] = line

    def interleaved(self, scenario, names, figures, tls=False, rounds=None, to=None, http2=None):
        """Starts all, then goes round them, each round from another one on; round 0 warms up and is dropped."""
        self.say(f"{scenario}")
        running, results = {}, {}
        try:
            for name in names:
                try:
                    if name == "direct":
                        running[name] = None
                        continue
                    running[name] = peers.start(name, self.directory, (to or self.service).port, tls, http2=http2)
                    ready(running[name], tls, to is not None, http2)
                except NotMeasured as why:
                    if name in running:
                        running.pop(name).stop()
                    self.lacks(scenario, name, why)
            order = list(running)
            for round in range((rounds or self.rounds) + 1 if order else 0):
                for name in order[round % len(order):] + order[:round % len(order)]:
                    process = running[name]
                    try:
                        found = figures(process or http2 or self.service, process)
                        if round > 0:
                            results.setdefault(name, []).append(found)
                    except (NotMeasured, OSError) as why:
                        if round > 0:
                            self.lacks(scenario, name, why)
        finally:
            for process in running.values():
                if process:
                    process.stop()
            self.forget_recordings()
        return results

    def forget_recordings(self):
        for folder in self.directory.glob("record-*"):
            shutil.rmtree(folder, ignore_errors=True)


def with_cpu(process, measure):
    """The figures, and the microseconds of CPU that each request cost the proxy."""
    before = process.cpu_seconds() if process else 0
    found = measure()
    if process:
        found["cpu"] = (process.cpu_seconds() - before) / found["requests"] * 1e6
    return found


def ready(process, tls, sink, http2=None):
    if not tls and not sink and not http2:
        return process.answers(process.port)
    while time.monotonic() - process.began < 30:
        try:
            if http2:
                load.exactly(process.port, 1, tls, 1, http2)
            else:
                for connection in load.idle(process.port, 1, tls):
                    connection.close()
            return None
        except (OSError, NotMeasured):
            if process.process.poll() is not None:
                break
            time.sleep(0.02)
    lines = process.log.read_text().strip().splitlines() or ["it said nothing"]
    raise NotMeasured(f"no answer{' over HTTP/2' if http2 else ''}{' over TLS' if tls else ''}: {lines[-1][-160:]}")


def keep_alive(bench, tls=False):
    """CPU a request, requests a second with 64 connections, and p50 with one."""

    def figures(at, process):
        one = load.wrk(at.port, 1, 1, tls)
        many = with_cpu(process, lambda: load.wrk(at.port, 64, bench.seconds, tls))
        return {**many, "one_p50": one["p50"], "failed": many["failed"] + one["failed"]}

    return bench.interleaved("TLS keep-alive" if tls else "clear text", ([] if tls else ["direct"]) + bench.names, figures, tls)


def handshakes(bench):
    figures = lambda at, process: with_cpu(process, lambda: load.handshakes(bench.tools / "retrial_handshakes", at.port, bench.seconds))
    return bench.interleaved("TLS handshakes", bench.names, figures, tls=True)


def fixed_rate(bench, rate):
    """Latency at `rate` requests a second, each counted from when it was due."""

    def figures(at, process):
        found = load.at_rate(bench.tools / "retrial_load", at.port, rate, bench.seconds)
        total = found["total"]
        if found["seconds"] > bench.seconds * 1.1:
            raise NotMeasured(f"it did not keep up with {rate} requests a second")
        return {"p50": found["p50"], "p99": found["p99"], "failed": total["sent"] - total["ok"]}

    return bench.interleaved("fixed rate", ["direct"] + bench.names, figures)


def large(bench, names, mib, up, rounds):
    """MiB a second and the most memory there ever was; the bodies are of zeroes."""
    move = load.upload if up else load.download

    def figures(at, process):
        rate = move(at.port, mib)
        return {"mib_s": rate, "peak": process.memory_mib("VmHWM"), "failed": 0}

    return bench.interleaved(f"{mib} MiB {'up' if up else 'down'}", names, figures, rounds=rounds, to=bench.sink if up else None)


def idle(bench, count, tls):
    """Memory with that many connections open, each of which has had one answer."""
    results, scenario = {}, f"{count} idle connections{', TLS' if tls else ''}"
    bench.say(scenario)
    for name in bench.names:
        process, connections = None, []
        try:
            process = peers.start(name, bench.directory, bench.service.port, tls)
            ready(process, tls, False)
            before = process.memory_mib()
            connections = load.idle(process.port, count, tls)
            results[name] = [{"before": before, "memory": process.memory_mib(), "failed": 0}]
        except (NotMeasured, OSError) as why:
            bench.lacks(scenario, name, why)
        finally:
            for connection in connections:
                connection.close()
            if process:
                process.stop()
    bench.forget_recordings()
    return results


def start_up(bench):
    """Milliseconds from exec to the first answer of the service through the proxy."""
    results = {}
    bench.say("start-up")
    for round in range(bench.rounds):
        for name in bench.names:
            process = None
            try:
                process = peers.start(name, bench.directory, bench.service.port)
                results.setdefault(name, []).append({"ms": process.answers(process.port), "failed": 0})
            except NotMeasured as why:
                bench.lacks("start-up", name, why)
            finally:
                if process:
                    process.stop()
    bench.forget_recordings()
    return results


def two_loops(bench):
    """CPU a request with two loop threads beside one."""
    figures = lambda at, process: with_cpu(process, lambda: load.wrk(at.port, 64, bench.seconds, threads=2))
    return bench.interleaved("two loops", ["retrial", "retrial, two loops"], figures)


def mode_of(tls, http2):
    return "http2" if http2 else "tls" if tls else "clear"


def instructions(bench, names, tls, few=1000, many=6000, http2=None):
    """Instructions a request: callgrind's count of two runs that differ in length only, so that start-up falls out."""
    scenario, results = f"instructions{', HTTP/2' if http2 else ', TLS' if tls else ''}", {}
    bench.say(scenario)
    for name in names:
        try:
            totals = []
            for count in (few, many):
                out = bench.directory / f"callgrind.{name}.{mode_of(tls, http2)}.{count}"
                under = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"]
                process = peers.start(name, bench.directory, bench.service.port, tls, under, http2)
                try:
                    ready(process, tls, False, http2)
                    load.exactly(process.port, count, tls, http2=http2)
                finally:
                    process.stop(120)
                found = re.search(r"^(?:summary|totals): (\d+)", out.read_text() if out.exists() else "", re.M)
                if not found or int(found[1]) == 0:
                    raise NotMeasured("callgrind counted nothing")
                totals.append(int(found[1]))
            results[name] = [{"instructions": (totals[1] - totals[0]) / (many - few), "failed": 0}]
        except (NotMeasured, OSError) as why:
            bench.lacks(scenario, name, why)
    bench.forget_recordings()
    return results


def functions(bench, mode, few=1000, many=6000, most=40):
    """Where Retrial's instructions go: the `most` functions with the most of their own, a request."""
    costs = {}
    for sign, count in ((-1, few), (1, many)):
        text = output_of(["callgrind_annotate", "--threshold=100", "--auto=no", bench.directory / f"callgrind.retrial.{mode}.{count}"])
        for cost, what in re.findall(r"^\s*([\d,]+) \([^)]*\)\s+(\S.*)$", text, re.M):
            if what not in ("PROGRAM TOTALS", "events annotated"):
                costs[what] = costs.get(what, 0) + sign * int(cost.replace(",", "")) / (many - few)
    return [f"{cost:10,.1f}  {what}" for what, cost in sorted(costs.items(), key=lambda item: -item[1])[:most]]
