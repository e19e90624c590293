"""`retrial envoy` as an Envoy meets it: its calls in frames, attempts by their numbers, the recording judged, an end in order."""
import json
import re
import signal
import socket
import struct
import subprocess

import pytest

from conftest import RETRIAL, retrial

PROCESS = "/envoy.service.ext_proc.v3.ExternalProcessor/Process"


class Envoy:
    """One call a stream: HTTP/2 without indexing or Huffman's code, protobuf by field numbers."""

    def __init__(self, port):
        self.socket, self.stream, self.got = socket.create_connection(("127.0.0.1", port), timeout=30), 1, b""
        self.socket.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + self.frame(4, 0, 0, b""))

    @staticmethod
    def frame(kind, flags, stream, payload):
        return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload

    @staticmethod
    def field(number, payload):
        size = bytes([len(payload)]) if len(payload) < 128 else bytes([len(payload) & 127 | 128, len(payload) >> 7])
        return bytes([number << 3 | 2]) + size + payload

    def headers(self, part, **fields):
        """A ProcessingRequest with request headers (2) or response headers (3), at whose end nothing follows."""
        one = b"".join(self.field(1, self.field(1, name.encode()) + self.field(3, value.encode())) for name, value in fields.items())
        message = self.field(part, self.field(1, one) + b"\x18\x01")
        return b"\0" + struct.pack(">I", len(message)) + message

    def call(self, message):
        fields = {":method": "POST", ":scheme": "http", ":path": PROCESS, ":authority": "retrial", "content-type": "application/grpc", "te": "trailers"}
        block = b"".join(b"\0" + bytes([len(n)]) + n.encode() + bytes([len(v)]) + v.encode() for n, v in fields.items())
        self.socket.sendall(self.frame(1, 4, self.stream, block) + self.frame(0, 0, self.stream, message))
        return self.answer()

    def says(self, message):
        self.socket.sendall(self.frame(0, 0, self.stream, message))
        return self.answer()

    def ends(self):
        self.socket.sendall(self.frame(0, 1, self.stream, b""))
        self.stream += 2

    def answer(self):
        """The next message on this stream, without its prefix."""
        while True:
            while len(self.got) < 9 or len(self.got) < 9 + int.from_bytes(self.got[:3], "big"):
                more = self.socket.recv(65536)
                assert more, "it closed the connection"
                self.got += more
            size = int.from_bytes(self.got[:3], "big")
            kind, flags, stream = self.got[3], self.got[4], int.from_bytes(self.got[5:9], "big")
            payload, self.got = self.got[9:9 + size], self.got[9 + size:]
            if kind == 4 and not flags & 1:
                self.socket.sendall(self.frame(4, 1, 0, b""))
            if kind == 0 and stream == self.stream:
                return payload[5:]


@pytest.fixture
def started(tmp_path):
    """started(*options) -> process and port."""
    running = []

    def start(*options):
        process = subprocess.Popen([RETRIAL, "envoy", "--listen", "127.0.0.1:0", "--record", tmp_path / "trace", "--loops", "1", *options],
                                   cwd=tmp_path, stderr=subprocess.PIPE, text=True)
        running.append(process)
        for line in process.stderr:
            if at := re.search(r"listening on 127.0.0.1:(\d+) \(for an Envoy's ext_proc and access log\)", line):
                return process, int(at.group(1))
        raise AssertionError("it does not listen")

    yield start
    for process in running:
        process.kill()
        process.wait()


def request(envoy, attempt, path="/pay"):
    more = {"x-envoy-attempt-count": str(attempt), "x-request-id": "7"}
    return envoy.headers(2, **{":method": "POST", ":path": path, ":scheme": "http", ":authority": "127.0.0.1:8080", **more})


def test_attempts_that_a_router_counts_get_the_faults_of_their_number_and_the_recording_is_judged(started, tmp_path):
    process, port = started("--inject", "lost-response(error(503)) x 1, then pass")
    envoy = Envoy(port)
    assert envoy.call(request(envoy, 1)).startswith(b"\x0a\x00"), "it goes on"
    lost = envoy.says(envoy.headers(3, **{":status": "201"}))
    assert lost[:1] == b"\x3a" and b"\x08\xf7\x03" in lost and b"retrial-" in lost, "503 in its place, marked"
    envoy.ends()
    assert envoy.call(request(envoy, 2)).startswith(b"\x0a\x00")
    assert envoy.says(envoy.headers(3, **{":status": "201"})).startswith(b"\x12\x00")
    envoy.ends()
    process.send_signal(signal.SIGTERM)
    envoy.socket.close()
    assert process.wait(30) == 0, process.stderr.read()
    judged = retrial("judge", tmp_path / "trace", "--out", tmp_path / "judged", cwd=tmp_path)
    assert judged.returncode == 1, judged.stderr
    findings = json.loads((tmp_path / "judged/findings.json").read_text())["findings"]
    assert [(f["verdict"], f["operation"], f["service"], f["attempts"]) for f in findings] == [("duplicate-effect", "POST /pay", "127.0.0.1:8080", 2)]


@pytest.mark.parametrize("options, said", [
    (["--listen", "127.0.0.1:0", "--inject", "lost-response(reset)"],
     "retrial: --inject: expected a fault that an Envoy can carry out, found lost-response(reset): an Envoy tells of a lost response by a status "
     "alone: lost-response(error(503))"),
    (["--listen", "9001"], "retrial: --listen 9001: expected an address and a port to listen on, such as 127.0.0.1:9001, [::1]:9001 or :9001"),
    (["--listen", "127.0.0.1:0=orders"], "retrial: --listen 127.0.0.1:0=orders: expected the service's URL, such as"),
    ([], "retrial: envoy: no listener is named: give --listen LISTEN, or a [[listener]] with mode = \"envoy\" in retrial.toml"),
    (["-c", "reverse.toml"], "retrial: [[listener]] listen = \"127.0.0.1:1\": expected mode = \"envoy\", found \"reverse\""),
    (["--reverse", "127.0.0.1:1=http://127.0.0.1:2"], "retrial: --reverse: unknown option"),
])
def test_what_cannot_be_is_one_line(options, said, tmp_path):
    (tmp_path / "reverse.toml").write_text('[service.a]\naddress = "127.0.0.1:2"\n[[listener]]\nmode = "reverse"\nlisten = "127.0.0.1:1"\nservice = "a"\n')
    done = retrial("envoy", "--record", "none", *options, cwd=tmp_path)
    assert done.returncode == 2 and done.stderr.startswith(said) and len(done.stderr.splitlines()) == 1, done.stderr
