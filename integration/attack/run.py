"""Attacks `retrial serve`, with its defaults, and sees whether honest clients are answered and its memory stays small.

usage: run.py BINARY [--seconds N] [--only ATTACK,...]

Prints a line an attack, and ends with 1 where one succeeded: memory above 256 MiB, an honest request that was not
answered as without the attack, or an end of the proxy.
"""
import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import attacks

HERE = Path(__file__).parent
MOST = 256  # MiB
PATIENCE = 10  # seconds that an honest client waits


def python(script, *arguments):
    return subprocess.Popen([sys.executable, HERE / script, *arguments], stdout=subprocess.PIPE, text=True,
                            stderr=subprocess.DEVNULL)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def memory(pid, key):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(key + ":"):
            return int(line.split()[1]) / 1024
    return 0


class Proxy:
    def __init__(self, binary, folder, service, h2_service):
        self.ports = {"h1": free_port(), "h2": free_port(), "forward": free_port(), "service": service}
        self.log = folder / "log"
        self.process = subprocess.Popen(
            [binary, "serve", "--reverse", f"127.0.0.1:{self.ports['h1']}=http://127.0.0.1:{service}",
             "--reverse", f"127.0.0.1:{self.ports['h2']}=h2c://127.0.0.1:{h2_service}",
             "--forward", f"127.0.0.1:{self.ports['forward']}", "--record", folder / "trace"],
            stderr=self.log.open("w"), env=os.environ | {"XDG_DATA_HOME": str(folder)})
        while self.log.read_text().count("listening on") < 3:
            time.sleep(0.02)
            if self.process.poll() is not None:
                sys.exit(self.log.read_text())


def ask(port):
    """None where it was answered well; else what came instead."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as s:
            s.sendall(b"GET /small HTTP/1.1\r\nHost: service\r\nConnection: close\r\n\r\n")
            answer = b""
            while piece := s.recv(65536):
                answer += piece
        return None if answer.startswith(b"HTTP/1.1 200") and answer.endswith(b"ok") else answer[:40]
    except OSError as error:
        return error


def tried(binary, attack, seconds, service, h2_service):
    with tempfile.TemporaryDirectory() as name:
        proxy = Proxy(binary, Path(name), service, h2_service)
        attacker = python("attacks.py", attack.__name__, json.dumps(proxy.ports))
        bad, asked, slowest, end = [], 0, 0, time.monotonic() + seconds
        while time.monotonic() < end and proxy.process.poll() is None:
            before = time.monotonic()
            wrong = ask(proxy.ports["h1"])
            slowest = max(slowest, time.monotonic() - before)
            asked += 1
            bad += [wrong] if wrong else []
            time.sleep(0.05)
        died = proxy.process.poll() is not None
        peak = 0 if died else memory(proxy.process.pid, "VmHWM")
        attacker.kill()
        attacker.wait()
        proxy.process.send_signal(signal.SIGKILL)
        proxy.process.wait()
        lines = [l for l in proxy.log.read_text().splitlines() if " info: " not in l]
    well = not died and not bad and peak < MOST
    print(f"{'held' if well else 'FELL':5} {attack.__name__:22} {peak:6.0f} MiB  honest {asked - len(bad)} of {asked},"
          f" the slowest {slowest:.2f} s{'  it ended' if died else ''}", flush=True)
    if bad:
        print(f"      {bad[0]}")
    for line in lines[:3]:
        print(f"      {line[:160]}")
    return well


def main():
    options = argparse.ArgumentParser()
    options.add_argument("binary")
    options.add_argument("--seconds", type=float, default=10)
    options.add_argument("--only", default="")
    given = options.parse_args()
    chosen = [a for a in attacks.ALL if not given.only or a.__name__ in given.only.split(",")]
    services = python("service.py")
    ports = [int(p) for p in services.stdout.readline().split()]
    try:
        held = [tried(given.binary, attack, given.seconds, *ports) for attack in chosen]
    finally:
        services.kill()
    sys.exit(0 if all(held) else 1)


if __name__ == "__main__":
    main()
