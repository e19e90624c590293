"""Clients that hardly read, under faults: what waits for them is bounded by what one exchange may hold, times those that are open."""
import socket, struct, time

import peers
from process import NotMeasured, Process, free_port

# Of an exchange, in its flow and in the socket that takes no more: each Options::buffer_limit (256 KiB) and a last read of 64 KiB
# (proxy/exchange/options.h), in a string that grows by doubling.
HELD_MIB = 2 * 0.5
BASE_MIB = 32  # what does not depend on exchanges: 13 MiB before any, and the allocator's slack
HTTP1, HTTP2, STREAMS = 200, 10, 20  # connections, connections, streams on each of these
SIZES = {60: "pass", 61: "drip(20000, 10ms)", 62: "truncate(40000000)", 63: "bandwidth(1000000)", 64: "duplicate", 65: "corrupt(30000000)"}
CONFIG = """[serve]
loops = 2
record = "none"
[service.soak]
address = "127.0.0.1:{service}"
[[listener]]
mode = "reverse"
listen = "127.0.0.1:{port}"
service = "soak"
"""
RULE = """[[rule]]
match = {{ service = "soak", path = "{path}" }}
inject = "100% of {fault}"
"""


def narrow(port):
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect(("127.0.0.1", port))
    return client


def http1(port, path):
    client = narrow(port)
    client.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    return client


def http2(port, paths):
    """Streams whose windows stay as they are at first; nothing is acknowledged (RFC 9113 4.1, 6.5, RFC 7541 6)."""
    frame = lambda kind, flags, stream, payload: struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload
    client, out = narrow(port), b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, b"")
    for n, path in enumerate(paths):
        out += frame(1, 5, 2 * n + 1, b"\x82\x86\x04" + bytes([len(path)]) + path.encode() + b"\x41\x01x")
    client.sendall(out)
    return client


def most_waiting(directory, seconds):
    """(MiB resident at most, MiB before, exchanges that were open)."""
    service, port, paths = peers.service(directory, tuple(SIZES)), free_port(), [f"/big/{size}" for size in SIZES]
    text = CONFIG.format(service=service.port, port=port)
    text += "".join(RULE.format(path=f"/big/{size}", fault=fault) for size, fault in SIZES.items() if fault != "pass")
    process = Process("retrial", [peers.retrial.binary, "serve", "-c", peers.write(directory, "slow.toml", text), "--ca", directory / "ca"], directory)
    clients = []
    try:
        end = time.monotonic() + 30
        while "listening on" not in process.log.read_text() and process.process.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
        if "listening on" not in process.log.read_text():
            raise NotMeasured("it did not come up: " + process.log.read_text().strip()[-300:])
        before = most = process.memory_mib("VmRSS")
        clients = [http1(port, paths[n % len(paths)]) for n in range(HTTP1)]
        clients += [http2(port, [paths[(n + s) % len(paths)] for s in range(STREAMS)]) for n in range(HTTP2)]
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for client in clients:  # each reads a little, and then long nothing
                client.recv(1024, socket.MSG_DONTWAIT) if readable(client) else None
            time.sleep(0.2)
            most = max(most, process.memory_mib("VmRSS"))
    finally:
        for client in clients:
            client.close()
        service.stop()
        status = process.stop()
    if status != 0:
        raise NotMeasured(f"retrial serve ended with status {status}: {process.log.read_text().strip()[-300:]}")
    return most, before, HTTP1 + HTTP2 * STREAMS


def readable(client):
    try:
        return bool(client.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
    except OSError:
        return False


def check(directory, seconds, wrong):
    most, before, exchanges = most_waiting(directory, seconds)
    bound = BASE_MIB + exchanges * HELD_MIB
    print(f"slow readers: {most:.1f} MiB at most with {exchanges} exchanges open, {before:.1f} before; bound {bound:.0f}")
    if most > bound:
        wrong.append(f"what waits for slow readers: {most:.1f} MiB, at most {bound:.0f} may")
