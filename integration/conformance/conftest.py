"""Starts `retrial serve` before a service, as a user would, and the tools that speak through it."""
import os
import pathlib
import select
import socket
import subprocess
import time

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RETRIAL = os.environ.get("RETRIAL", str(ROOT / "build/release/retrial"))
BUILT = ROOT / "build/conformance"
LIMIT = 30
# A proxy named in the environment would come before ours.
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")} | {"PYTHONPATH": str(BUILT / "gen")}


class Program:
    """A process that stays, and what it says on one of its outputs, up to the line that is waited for."""

    def __init__(self, argv, folder, listen="stdout"):
        self.said, self.rest = [], b""
        other = "stderr" if listen == "stdout" else "stdout"
        with open(folder / f"{pathlib.Path(argv[0]).name}.{other}", "wb") as file:
            self.process = subprocess.Popen([str(a) for a in argv], cwd=folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                                            **{listen: subprocess.PIPE, other: file})
        self.pipe = getattr(self.process, listen)

    def line_with(self, part):
        """The next line that holds `part`."""
        until = time.monotonic() + LIMIT
        while True:
            line, newline, rest = self.rest.partition(b"\n")
            if newline:
                self.rest = rest
                self.said.append(line.decode(errors="replace"))
                if part in self.said[-1]:
                    return self.said[-1]
                continue
            ready, _, _ = select.select([self.pipe], [], [], max(0, until - time.monotonic()))
            more = os.read(self.pipe.fileno(), 65536) if ready else b""
            assert more, f"{part!r} never came: {self.said}"
            self.rest += more

    def end(self):
        self.process.terminate()
        try:
            rest, other = self.process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.communicate()
            raise
        self.said += (self.rest + (rest or other or b"")).decode(errors="replace").splitlines()
        return self.process.returncode


@pytest.fixture
def start(tmp_path):
    """start(argv, listen) -> Program."""
    started = []

    def go(argv, listen="stdout"):
        started.append(Program(argv, tmp_path, listen))
        return started[-1]

    yield go
    for program in started:
        if program.process.poll() is None:
            program.process.kill()
            program.process.communicate()


@pytest.fixture(scope="session")
def authority(tmp_path_factory):
    """A folder with an authority, other.pem, and a service's leaf of it."""
    folder = tmp_path_factory.mktemp("authority")
    subprocess.run([ROOT / "tests/agents/certificates.sh", folder], check=True)
    return folder


class Serving:
    """A `retrial serve` with one reverse listener; `authority` is what its clients have to trust."""

    def __init__(self, program, folder):
        self.program, self.authority = program, folder / "ca/ca.pem"
        self.port = int(program.line_with("listening on ").split("listening on ")[1].split()[0].rsplit(":", 1)[1])

    def ended_well(self):
        """It ends with 0 when it is told to: it had not ended before, and had nothing left to do."""
        status = self.program.end()
        assert status == 0, (status, self.program.said[-20:])


@pytest.fixture
def serve(start, authority, tmp_path):
    """serve(url) -> Serving, before the service there, whose certificate it verifies."""

    def go(url):
        (tmp_path / "retrial.toml").write_text(f'[service.behind]\naddress = "{url}"\nca = "{authority / "other.pem"}"\n')
        return Serving(start([RETRIAL, "serve", "--ca", "ca", "--reverse", f"127.0.0.1:0={url}"], "stderr"), tmp_path)

    return go


def output_of(argv):
    """The status and all output of a tool."""
    done = subprocess.run([str(a) for a in argv], env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=LIMIT * 2, text=True, errors="replace")
    return done.returncode, done.stdout


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def wait_for(port, program):
    """Until something listens on the port."""
    until = time.monotonic() + LIMIT
    while program.process.poll() is None and time.monotonic() < until:
        try:
            return socket.create_connection(("127.0.0.1", port), 5).close()
        except ConnectionRefusedError:
            time.sleep(0.005)
    raise AssertionError(f"nothing listens on {port}")
