"""What an operator's looking costs: CPU a request of `serve` with nobody there, with an admin side, and with each thing that reads the recording."""
import http.server, statistics, subprocess, sys, tempfile, threading, time
from pathlib import Path

import peers
from process import Process, alone_on_loopback, free_port, output_of

REQUESTS, CONNECTIONS = 60_000, 8
RULES = '[service.s]\naddress = "127.0.0.1:{service}"\n[[rule]]\nmatch = {{ service = "s" }}\ninject = "1% of error(503)"\n'
MODES = {
    "nobody": "",
    "admin": "[admin]\n",
    "calls": "[admin]\n[telemetry]\ncalls = true\n",
    "access log": '[admin]\n[telemetry]\naccess_log = "/dev/null"\n',
    "traces": '[admin]\n[telemetry]\ntraces = "http://127.0.0.1:{receiver}"\n',
    "judge": "[admin]\n[serve]\njudge = true\n",
}


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


def measure(directory, name, more, service, receiver):
    directory.mkdir()
    (directory / "retrial.toml").write_text(RULES.format(service=service) + more.format(receiver=receiver))
    port = free_port()
    words = [peers.retrial.binary, "serve", "--reverse", f"127.0.0.1:{port}=http://127.0.0.1:{service}", "--loops", 1, "--record", directory / "trace",
             "--ca", directory.parent / "ca"]
    process = Process(f"retrial-{name.replace(' ', '-')}", words, directory)
    process.answers(port)
    if more:  # with an admin side faults are on once somebody says so
        subprocess.run([peers.retrial.binary, "ctl", "resume"], cwd=directory, check=True, capture_output=True)
    before = threads(process)
    output_of(["h2load", "--h1", "-t1", f"-c{CONNECTIONS}", f"-n{REQUESTS}", f"http://127.0.0.1:{port}/"])
    quiet = threads(process)
    while True:  # what reads the recording comes behind
        time.sleep(0.5)
        now = threads(process)
        if sum(now.values()) - sum(quiet.values()) < 10_000:
            break
        quiet = now
    cost = {thread: (now[thread] - before.get(thread, 0)) / REQUESTS for thread in now}
    found = {"loop": cost.pop("retrial-loop-0"), "others": sum(cost.values()), "peak": process.memory_mib("VmHWM")}
    process.stop()
    return found


def run(args):
    alone_on_loopback()
    peers.retrial.binary = args.build.resolve() / "retrial"
    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="retrial-bench-") as folder:
        folder = Path(folder)
        service = peers.service(folder, (1,))
        rounds = []  # each measures all modes, so that a machine that is slower for a while is so for all of them
        try:
            for n in range(1 if args.quick else args.rounds):
                rounds.append({})
                for name, more in MODES.items():
                    print(f"{name}, round {n + 1}", file=sys.stderr, flush=True)
                    rounds[n][name] = measure(folder / f"{name}-{n}".replace(" ", "-"), name, more, service.port, receiver.server_address[1])
        finally:
            service.stop()
    print(f"{REQUESTS:,} requests, {CONNECTIONS} connections, one loop, 1 % of them answered 503 by a rule; medians of {len(rounds)} rounds,")
    print("`others` beside `loop` of the same process, which a machine that is busy otherwise slows alike; `more`: beside nobody, within a round\n")
    print(f"{'':<12}{'loop us':>9}{'others us':>11}{'others':>8}{'more':>8}{'peak MiB':>10}")
    for name in MODES:
        middle = lambda what: statistics.median(what(one[name]) for one in rounds)
        whole = lambda cost: cost["loop"] + cost["others"]
        more = statistics.median(whole(one[name]) / whole(one["nobody"]) for one in rounds) - 1
        beside = middle(lambda c: c["others"] / c["loop"])
        print(f"{name:<12}{middle(lambda c: c['loop']):>9.2f}{middle(lambda c: c['others']):>11.2f}{beside:>8.1%}{more:>8.1%}{middle(lambda c: c['peak']):>10.1f}")
    return 0
