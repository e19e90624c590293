"""What is sent through a proxy: closed load of HTTP/1.1 and 2, an exact count, full TLS handshakes, a fixed rate, large bodies, idle connections."""
import json, re, socket, ssl, subprocess, threading, time

from process import NotMeasured, output_of

MICROSECONDS = {"us": 1, "ms": 1e3, "s": 1e6}
MIB = 1 << 20


def wrk(port, connections, seconds, tls=False, threads=1):
    """Keep-alive connections, each sending its next request when its answer is whole."""
    text = output_of(["wrk", f"-t{threads}", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "--latency",
                      f"http{'s' if tls else ''}://127.0.0.1:{port}/"])
    failed = sum(int(n) for line in re.findall(r"Socket errors: (.*)|Non-2xx or 3xx responses: (.*)", text) for n in re.findall(r"\d+", " ".join(line)))
    at = lambda percent: next(float(n) * MICROSECONDS[unit] for n, unit in re.findall(rf"{percent}%\s+([\d.]+)(us|ms|s)", text))
    count = int(re.search(r"(\d+) requests in", text)[1])
    if count == 0:
        raise NotMeasured("no request was answered")
    return {"requests": count, "rate": float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1]), "p50": at(50), "p99": at(99), "failed": failed}


def exactly(port, count, tls=False, connections=8, http2=None):
    """That many requests and no more, one at a time on each connection."""
    if http2:
        return h2load(port, http2, [f"-c{connections}", "-m1", f"-n{count}"], tls, count)
    text = output_of(["h2load", "--h1", "-t1", f"-c{connections}", f"-n{count}", f"http{'s' if tls else ''}://127.0.0.1:{port}/"], 900)
    found = re.search(r"(\d+) succeeded", text)
    if not found or int(found[1]) != count:
        raise NotMeasured(f"{found[1] if found else 0} of {count} requests were answered")


def h2load(port, http2, words, tls=False, count=0):
    """The words say how many connections, streams, and requests or seconds; with `count`, so many must be answered."""
    text = output_of(["h2load", "-t1", *words, *http2.more, f"http{'s' if tls else ''}://127.0.0.1:{port}{http2.path}"], 900)
    took = re.search(r"finished in ([\d.]+)(us|ms|s), ([\d.]+) req/s", text)
    found = re.search(r"(\d+) done, (\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout", text)
    done, ok, *failed = (int(n) for n in found.groups()) if found else (0, 0, 0)
    if not took or ok == 0 or (count and ok != count):
        raise NotMeasured(f"{ok} of {count or done} requests were answered")
    return {"requests": done, "rate": float(took[3]), "failed": max(failed[0], done - ok), "seconds": float(took[1]) * MICROSECONDS[took[2]] / 1e6,
            "data": int(re.search(r"\((\d+)\) data", text)[1])}


def streams(port, http2, seconds, tls=False):
    """64 streams on 4 connections, each asking again when it was answered."""
    return h2load(port, http2, ["-c4", "-m16", f"-D{seconds}", "--warm-up-time=0"], tls)


def beside_held(binary, port, held, seconds):
    """The latencies of 99 streams without and with one that is held."""
    done = subprocess.run([str(a) for a in (binary, port, "/", held, seconds)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=seconds + 60)
    if done.returncode != 0:
        raise NotMeasured(done.stderr)
    return json.loads(done.stdout)


def handshakes(binary, port, seconds):
    """TLS connections of one request each, none resumed."""
    found = json.loads(output_of([binary, port, seconds], seconds * 3 + 60))
    if found["requests"] == 0:
        raise NotMeasured("no TLS connection was answered")
    return found


def at_rate(binary, port, rate, seconds, *more):
    """An open load: each request is sent when it is due, and its latency counts from then."""
    done = subprocess.run([str(a) for a in (binary, port, "--rate", rate, "--seconds", seconds, *more)], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise NotMeasured("the load did not go through")
    return json.loads(done.stdout)


def head_of(s):
    """Reads a message's head; its status (0: a request), its length, and what came of the body."""
    text = b""
    while b"\r\n\r\n" not in text:
        some = s.recv(65536)
        if not some:
            raise NotMeasured("the connection ended before an answer")
        text += some
    head, rest = text.split(b"\r\n\r\n", 1)
    length = re.search(rb"content-length: *(\d+)", head, re.I)
    status = int(head.split()[1]) if head.startswith(b"HTTP/") else 0
    return status, int(length[1]) if length else 0, len(rest)


def download(port, mib):
    """MiB per second of one response."""
    with socket.create_connection(("127.0.0.1", port), 120) as s:
        began, into = time.monotonic(), bytearray(MIB)
        s.sendall(f"GET /big/{mib} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n".encode())
        status, length, got = head_of(s)
        while got < length and (n := s.recv_into(into)):
            got += n
        if status != 200 or got != mib * MIB:
            raise NotMeasured(f"{status}, {got} bytes of {mib} MiB came")
        return mib / (time.monotonic() - began)


def upload(port, mib):
    """MiB per second of one request."""
    with socket.create_connection(("127.0.0.1", port), 120) as s:
        began, block = time.monotonic(), bytes(MIB)
        s.sendall(f"PUT / HTTP/1.1\r\nHost: bench\r\nContent-Length: {mib * MIB}\r\nConnection: close\r\n\r\n".encode())
        for _ in range(mib):
            s.sendall(block)
        status, length, _ = head_of(s)
        if status != 200 or length != len(str(mib * MIB)):
            raise NotMeasured(f"an upload of {mib} MiB was answered {status}")
        return mib / (time.monotonic() - began)


class Sink:
    """A service that reads a request to its end and answers with the number of its body's bytes."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            client, _ = self.socket.accept()
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, s):
        into = bytearray(MIB)
        try:
            while True:
                _, length, got = head_of(s)
                while got < length and (n := s.recv_into(into)):
                    got += n
                body = str(got).encode()
                s.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        except (OSError, NotMeasured):
            s.close()


def idle(port, count, tls=False):
    """That many connections, each of which has had one answer; the caller closes them."""
    context = ssl._create_unverified_context() if tls else None
    connections = []
    for _ in range(count):
        s = socket.create_connection(("127.0.0.1", port), 30)
        if tls:
            s = context.wrap_socket(s, server_hostname="localhost")
        connections.append(s)
        s.sendall(b"GET / HTTP/1.1\r\nHost: bench\r\n\r\n")
        status, length, got = head_of(s)
        while got < length and (some := s.recv(65536)):
            got += len(some)
        if status != 200:
            raise NotMeasured(f"connection {len(connections)} was answered {status}")
    return connections
