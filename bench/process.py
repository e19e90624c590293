"""Processes that a measurement starts: what they cost, and their end. Everything started here is ended here."""
import os, re, signal, socket, subprocess, sys, time
from pathlib import Path

REQUEST = b"GET / HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n"


class NotMeasured(Exception):
    """Why a figure is missing; the run goes on without it."""


def alone_on_loopback():
    """Runs this program again in a network namespace of its own, in which only lo is up."""
    if os.environ.get("RETRIAL_BENCH_NAMESPACE") == "yes":
        return
    os.environ["RETRIAL_BENCH_NAMESPACE"] = "yes"
    unshare = ["unshare", "-n"] if os.getuid() == 0 else ["unshare", "-r", "-n"]
    os.execvp(unshare[0], unshare + ["sh", "-c", 'ip link set lo up && exec "$@"', "sh", sys.executable] + sys.argv)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def output_of(argv, seconds=300):
    done = subprocess.run([str(a) for a in argv], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds)
    return done.stdout


class Process:
    def __init__(self, name, argv, directory, environment=None):
        self.name, self.log = name, directory / f"{name}.log"
        with open(self.log, "w") as log:
            self.began = time.monotonic()
            self.process = subprocess.Popen([str(a) for a in argv], stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=directory,
                                            env={**os.environ, **(environment or {})})
        self.pid = self.process.pid

    def answers(self, port, seconds=60):
        """Waits until a request through `port` is answered with 200; milliseconds since exec."""
        while time.monotonic() - self.began < seconds and self.process.poll() is None:
            try:
                with socket.create_connection(("127.0.0.1", port), 5) as s:
                    s.sendall(REQUEST)
                    if re.match(rb"HTTP/1\.[01] 200", s.recv(4096)):
                        return (time.monotonic() - self.began) * 1000
            except OSError:
                pass
            time.sleep(0.0005)
        self.stop()
        lines = self.log.read_text().strip().splitlines() or ["it said nothing"]
        raise NotMeasured(f"{self.name} did not come up: {lines[-1][:200]}")

    def _family(self):
        """The process and its descendants."""
        found, at = [self.pid], 0
        while at < len(found):
            for task in Path(f"/proc/{found[at]}/task").glob("*/children"):
                found += [int(pid) for pid in task.read_text().split()]
            at += 1
        return found

    def cpu_seconds(self):
        """User and system time of all threads, from the scheduler's own count (nanoseconds)."""
        total = 0
        for pid in self._family():
            for task in Path(f"/proc/{pid}/task").iterdir():
                total += int((task / "schedstat").read_text().split()[0])
        return total / 1e9

    def memory_mib(self, which="VmRSS"):
        """VmRSS: now; VmHWM: the most there ever was."""
        texts = (Path(f"/proc/{pid}/status").read_text() for pid in self._family())
        return sum(int(re.search(rf"^{which}:\s+(\d+) kB", text, re.M)[1]) for text in texts) / 1024

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def stop(self, seconds=30):
        """SIGTERM, again each second (nginx may miss one that comes just before it waits), then SIGKILL; the status."""
        end = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < end:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(1)
            except subprocess.TimeoutExpired:
                continue
        if self.process.poll() is None:
            self.process.kill()
        return self.process.wait()
