"""What an operator's looking costs: CPU a request of `serve` with nobody there, with an admin side, and with each thing that reads the recording."""
import http.server, re, statistics, subprocess, sys, tempfile, threading, time
from pathlib import Path

import documents
import peers
from process import NotMeasured, Process, alone_on_loopback, free_port, output_of

REQUESTS, CONNECTIONS, ROUNDS = 60_000, 8, 3
BEFORE = 20_000  # requests: of a recording's first 5,000 exchanges all are kept for the judge
FEW, MANY = 8_000, 16_000  # under callgrind
RULES = '[service.s]\naddress = "127.0.0.1:{service}"\n[[rule]]\nmatch = {{ service = "s" }}\ninject = "1% of error(503)"\n'
MODES = {
    "nobody": "",
    "admin": "[admin]\n",
    "metrics": "[admin]\n",  # asked for them once a second
    "calls": "[admin]\n[telemetry]\ncalls = true\n",
    "access log": '[admin]\n[telemetry]\naccess_log = "/dev/null"\n',
    "traces": '[admin]\n[telemetry]\ntraces = "http://127.0.0.1:{receiver}"\n',
    "judge": "[admin]\n[serve]\njudge = true\n",
    "checkers, not met": '[admin]\n[checks]\nfile = "checkers.toml"\n',
    # These two in an own load of reads and writes of documents, each of which meets some of the 200 checkers.
    "documents": "[admin]\n[telemetry]\ncalls = true\n",
    "checkers": '[admin]\n[checks]\nfile = "checkers.toml"\n',
}
OF_DOCUMENTS = ("documents", "checkers")
DOCUMENTS_A_SECOND, DOCUMENTS = 10_000, 60_000  # over some 1,250 reads and 1,250 writes a second not all are looked at


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    taken = 0  # bytes

    def do_POST(self):
        Receiver.taken += len(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_):
        pass


def threads(process):
    """Microseconds of CPU of each thread, by its name."""
    return {(task / "comm").read_text().strip(): int((task / "schedstat").read_text().split()[0]) / 1e3 for task in Path(f"/proc/{process.pid}/task").iterdir()}


class Setting:
    """What all modes share: the services, the load of documents, and who receives traces."""

    def __init__(self, folder, receiver):
        self.plain, self.documents = peers.service(folder, (1,)), documents.service(folder)
        self.load, self.receiver = documents.Load(folder), receiver.server_address[1]

    def service_of(self, name):
        return (self.documents if name in OF_DOCUMENTS else self.plain).port

    def stop(self):
        self.plain.stop()
        self.documents.stop()


def start(directory, name, more, setting, under=()):
    service = setting.service_of(name)
    directory.mkdir()
    (directory / "checkers.toml").write_text(documents.checkers())
    (directory / "retrial.toml").write_text(RULES.format(service=service) + more.format(receiver=setting.receiver))
    port = free_port()
    words = [*under, peers.retrial.binary, "serve", "--reverse", f"127.0.0.1:{port}=http://127.0.0.1:{service}", "--loops", 1, "--record", directory / "trace",
             "--ca", directory.parent / "ca"]
    process = Process(f"retrial-{name.replace(' ', '-')}", words, directory)
    process.answers(port, 300 if under else 60)
    if name in OF_DOCUMENTS:
        process.ask = lambda count: setting.load.ask(port, count, None if under else DOCUMENTS_A_SECOND)
    else:
        process.ask = lambda count: output_of(["h2load", "--h1", "-t1", f"-c{CONNECTIONS}", f"-n{count}", f"http://127.0.0.1:{port}/"])
    if more:  # with an admin side faults are on once somebody says so
        subprocess.run([peers.retrial.binary, "ctl", "resume"], cwd=directory, check=True, capture_output=True)
    return process


def settled(process):
    """Its threads' CPU, once what reads the recording has come to its end."""
    quiet = threads(process)
    while True:
        time.sleep(0.5)
        now = threads(process)
        if sum(now.values()) - sum(quiet.values()) < 10_000:
            return now
        quiet = now


def scrape(directory, over):
    while not over.wait(1):
        subprocess.run([peers.retrial.binary, "ctl", "metrics"], cwd=directory, check=True, capture_output=True)


def measure(directory, name, more, setting):
    process = start(directory, name, more, setting)
    before, requests = (DOCUMENTS // 4, DOCUMENTS) if name in OF_DOCUMENTS else (BEFORE, REQUESTS)
    process.ask(before)
    before = settled(process)
    over = threading.Event()
    scraper = threading.Thread(target=scrape, args=(directory, over))
    if name == "metrics":
        scraper.start()
    process.ask(requests)
    now = settled(process)
    over.set()
    if name == "metrics":
        scraper.join()
    cost = {thread: (now[thread] - before.get(thread, 0)) / requests for thread in now}
    found = {"loop": cost.pop("retrial-loop-0"), "others": sum(cost.values()), "peak": process.memory_mib("VmHWM")}
    process.stop()
    if name == "checkers" and not re.search(r"[1-9]\d+ checks", process.log.read_text()):
        raise NotMeasured("no answer was held against a checker")
    return found


def instructions(directory, name, more, setting):
    """Instructions a request of the threads that read the recording: callgrind's count of two runs that differ in length only. What a judging
    takes is left out: under callgrind they come oftener a request."""
    counts = []
    for count in (FEW, MANY):
        there = directory / f"{name}-{count}".replace(" ", "-")
        out = there.with_suffix(".callgrind")
        process = start(there, name, more, setting, ["valgrind", "--tool=callgrind", "--separate-threads=yes", f"--callgrind-out-file={out}"])
        process.ask(count)
        settled(process)
        process.stop(120)
        total = 0
        for file in directory.glob(out.name + "-*"):
            text = file.read_text()
            if not re.search(r"Watcher::run|OtlpExporter::run", text):
                continue
            total += int(re.search(r"^totals: (\d+)", text, re.M)[1])
            table = output_of(["callgrind_annotate", "--inclusive=yes", "--threshold=100", "--auto=no", file])
            judging = re.search(r"^\s*([\d,]+) .*RunningJudge::judge\(", table, re.M)
            total -= int(judging[1].replace(",", "")) if judging else 0
        counts.append(total)
    return (counts[1] - counts[0]) / (MANY - FEW)


def run(args):
    alone_on_loopback()
    peers.retrial.binary = args.build.resolve() / "retrial"
    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="retrial-bench-") as folder:
        folder = Path(folder)
        setting = Setting(folder, receiver)
        rounds = []  # each measures all modes, so that a machine that is slower for a while is so for all of them
        try:
            for n in range(1 if args.quick else args.rounds or ROUNDS):
                rounds.append({})
                for name, more in MODES.items():
                    print(f"{name}, round {n + 1}", file=sys.stderr, flush=True)
                    rounds[n][name] = measure(folder / f"{name}-{n}".replace(" ", "-"), name, more, setting)
            counted = {}
            for name in ("calls", "access log", "traces", "judge", "checkers, not met", "documents", "checkers"):
                print(f"{name}, instructions", file=sys.stderr, flush=True)
                counted[name] = instructions(folder, name, MODES[name], setting)
        finally:
            setting.stop()
    print(f"{REQUESTS:,} requests after {BEFORE:,}, {CONNECTIONS} connections, one loop, 1 % of them answered 503 by a rule; medians of {len(rounds)} rounds,")
    print("`others` beside `loop` of the same process, which a machine that is busy otherwise slows alike; `least`: the least of the rounds beside the")
    print(f"documents, checkers: {DOCUMENTS:,} requests at {DOCUMENTS_A_SECOND:,} a second;")
    print("least, as on a machine that is not busy; `instructions`: of what reads the recording, a request, which no other load changes\n")
    print(f"{'':<18}{'loop us':>9}{'others us':>11}{'others':>8}{'least':>8}{'instructions':>14}{'peak MiB':>10}")
    for name in MODES:
        middle = lambda what: statistics.median(what(one[name]) for one in rounds)
        least = min(one[name]["others"] for one in rounds) / min(one[name]["loop"] for one in rounds)
        beside = middle(lambda c: c["others"] / c["loop"])
        of = f"{counted[name]:,.0f}" if name in counted else ""
        print(f"{name:<18}{middle(lambda c: c['loop']):>9.2f}{middle(lambda c: c['others']):>11.2f}{beside:>8.1%}{least:>8.1%}{of:>14}{middle(lambda c: c['peak']):>10.1f}")
    return 0
