#!/usr/bin/env python3
"""Retrial for a long time: an open load with 1 % of mixed faults, and afterwards the accounts.

What the client saw, path by path, is held against what the recording holds; memory and descriptors are watched. Then the
same of clients that hardly read, for a tenth of the time. Exit status 1 with what does not agree.
"""
import argparse, json, resource, statistics, sys, tempfile, threading, time
from pathlib import Path

import peers
import slow_readers
from process import NotMeasured, Process, alone_on_loopback, free_port, output_of

CONNECTIONS, LOOPS, TIMEOUT_MS, HOLD_SECONDS = 64, 2, 2000, 30
# Each path has its fault on 1 % of its requests, and the one thing that the client then sees (load.cc's words).
FAULTS = {
    "/error": ("error(503)", "marked"),
    "/retry-after": ("error(429, retry-after=2)", "marked"),
    "/lost-reset": ("lost-response(reset)", "reset"),
    "/lost-close": ("lost-response(close)", "closed"),
    "/lost-error": ("lost-response(error(502))", "marked"),
    "/reset": ("reset(after-request)", "reset"),
    "/close": ("close(after-request)", "closed"),
    "/cut": ("reset(in-body, 100)", "reset"),
    "/delay": ("delay(50ms)", None),
    "/stall": ("stall", "silent"),
}
CONFIG = """[serve]
loops = {loops}
record = "{directory}/record"
keep = "1000GiB"
seed = 20
drain = "5s"
[run]
hold = "{hold}s"
[service.soak]
address = "127.0.0.1:{service}"
[[listener]]
mode = "reverse"
listen = "127.0.0.1:{port}"
service = "soak"
"""
RULE = """[[rule]]
match = {{ service = "soak", path = "{path}" }}
inject = "1% of {fault}"
"""


class Watch(threading.Thread):
    """Anonymous and all resident memory, once a second."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.process, self.samples, self.over = process, [], threading.Event()

    def run(self):
        while not self.over.wait(1):
            self.samples.append((self.process.memory_mib("RssAnon"), self.process.memory_mib("VmRSS")))


def accounts(client, recorded, wrong):
    """Path by path: every request that was sent is an exchange, and every fault that fired was seen, and no other."""
    if recorded["open"] or recorded["headless"] or recorded["unreadable"]:
        wrong.append(f"the recording: {recorded['open']} exchanges without an end, {recorded['headless']} records without a head, "
                     f"{recorded['unreadable']} segments that cannot be read")
    lines = [("path", "fault", "sent", "recorded", "fired", "seen", "ok")]
    for path, (fault, telling) in FAULTS.items():
        sent, kept = client["paths"][path], recorded["paths"].get(path, {"exchanges": 0, "fired": 0, "faults": {}})
        seen = {what: sent[what] for what in ("marked", "other", "reset", "closed", "silent", "failed_connect") if sent[what]}
        lines.append((path, fault, sent["sent"], kept["exchanges"], kept["fired"], seen or "-", sent["ok"]))
        if kept["exchanges"] != sent["sent"]:
            wrong.append(f"{path}: {sent['sent']} requests were sent, {kept['exchanges']} exchanges are recorded")
        if seen != ({telling: kept["fired"]} if telling and kept["fired"] else {}):
            wrong.append(f"{path}: {kept['fired']} faults fired, the client saw {seen or 'none'}")
        spread = 5 * (0.01 * 0.99 * sent["sent"]) ** 0.5
        if abs(kept["fired"] - 0.01 * sent["sent"]) > spread + 1:
            wrong.append(f"{path}: {kept['fired']} faults fired in {sent['sent']} requests, 1 % was asked for")
    return lines


def flat(samples, wrong):
    """The second half's memory against the first's, the first tenth (pools and tables fill) left out."""
    samples = samples[len(samples) // 10:]
    half = len(samples) // 2
    if half < 5:
        return wrong.append("too short: memory was not watched")
    for at, what, slack in ((0, "anonymous", 1), (1, "resident", 4)):
        before, after = (statistics.median(s[at] for s in part) for part in (samples[:half], samples[half:]))
        print(f"{what} memory: {before:.1f} MiB in the first half, {after:.1f} MiB in the second, {max(s[at] for s in samples):.1f} at most")
        if after > before * 1.02 + slack:
            wrong.append(f"{what} memory grew from {before:.1f} to {after:.1f} MiB")


def settled(process, before, seconds):
    """Descriptors once clients and services are gone and what a fault holds was let go."""
    end = time.monotonic() + seconds
    while process.descriptors() > before and time.monotonic() < end:
        time.sleep(0.2)
    return process.descriptors()


def soak(directory, tools, minutes, rate, wrong):
    service, port = peers.service(directory, ()), free_port()
    text = CONFIG.format(loops=LOOPS, directory=directory, hold=HOLD_SECONDS, service=service.port, port=port)
    text += "".join(RULE.format(path=path, fault=fault) for path, (fault, _) in FAULTS.items())
    config = peers.write(directory, "retrial.toml", text)
    process = Process("retrial", [peers.retrial.binary, "serve", "-c", config, "--ca", directory / "ca"], directory)
    try:
        listening = lambda: "listening on" in process.log.read_text()
        while not listening() and process.process.poll() is None and time.monotonic() < process.began + 30:
            time.sleep(0.01)
        if not listening():
            raise NotMeasured("it did not come up: " + process.log.read_text().strip()[-300:])
        before, watch = process.descriptors(), Watch(process)
        watch.start()
        argv = [tools / "retrial_load", port, "--rate", rate, "--seconds", minutes * 60, "--connections", CONNECTIONS,
                "--timeout-ms", TIMEOUT_MS, "--paths", ",".join(FAULTS)]
        client = json.loads(output_of(argv, minutes * 180 + 60))
        watch.over.set()
        service.stop()
        after = settled(process, before, HOLD_SECONDS + 10)
        print(f"descriptors: {before} before, {after} afterwards")
        if after > before:
            wrong.append(f"{after - before} descriptors leaked")
        flat(watch.samples, wrong)
    finally:
        service.stop()
        status = process.stop()
    if status != 0:
        wrong.append(f"retrial serve ended with status {status}: {process.log.read_text().strip()[-300:]}")
    total = client["total"]
    print(f"{total['sent']} requests in {client['seconds']:.0f} s, p50 {client['p50'] / 1000:.2f} ms, p99 {client['p99'] / 1000:.2f} ms")
    if total["sent"] < 0.99 * minutes * 60 * rate or client["seconds"] > minutes * 60 * 1.05 + TIMEOUT_MS / 1000:
        wrong.append(f"it did not keep up with {rate} requests a second")
    recorded = json.loads(output_of([tools / "retrial_recount", directory / "record"], 3600))
    for path, fault, *counts in accounts(client, recorded, wrong):
        print(f"{path:<14}{fault:<28}" + "".join(f"{str(c):>12}" for c in counts))


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("minutes", type=float, nargs="?", default=30)
    options.add_argument("rate", type=int, nargs="?", default=2000)
    options.add_argument("--build", type=Path, default=peers.ROOT / "build/release", help="where retrial and bench/retrial_* are")
    args = options.parse_args()
    alone_on_loopback()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    peers.retrial.binary = args.build.resolve() / "retrial"
    wrong = []
    with tempfile.TemporaryDirectory(prefix="retrial-soak-") as folder:
        try:
            soak(Path(folder), args.build.resolve() / "bench", args.minutes, args.rate, wrong)
            with tempfile.TemporaryDirectory(prefix="retrial-slow-") as slow:
                slow_readers.check(Path(slow), max(20, args.minutes * 6), wrong)
        except NotMeasured as why:
            wrong.append(str(why))
    for line in wrong:
        print(f"FAILED: {line}")
    print("soak: failed" if wrong else "soak: all accounts agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
