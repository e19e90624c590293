"""Requests over roll-outs: a Service's address leads to two proxies by nft, as kube-proxy does it; one proxy after another is replaced while 500
requests a second go on, by connections that are kept and by new ones. None may be lost."""
import asyncio
import signal
import socket
import subprocess
import sys
import threading
import time

VIP, PORT = "10.96.0.10", 8080
ENDPOINTS = ["10.77.0.2", "10.77.0.3", "10.77.0.4"]
RATE, CLIENTS, TURNS = 500, 20, 4
REQUEST = b"POST /orders HTTP/1.1\r\nHost: orders\r\nContent-Length: 8\r\n\r\nan order"
SERVICE = """
import asyncio
class Orders(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.got = transport, b""
    def data_received(self, data):
        self.got += data
        while (at := self.got.find(b"\\r\\n\\r\\n")) >= 0 and len(self.got) >= at + 12:
            body, self.got = self.got[at + 4:at + 12], self.got[at + 12:]
            self.transport.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 8\\r\\n\\r\\n" + body)
async def main():
    server = await asyncio.get_running_loop().create_server(Orders, "127.0.0.1", 9090, backlog=1024)
    await server.serve_forever()
asyncio.run(main())
"""


def sh(*words, text=None):
    subprocess.run(words, check=True, input=text, text=True)


def lead_to(endpoints):
    """New connections to the Service's address go to these; those that are open stay where they are."""
    places = ", ".join(f"{i} : {e}" for i, e in enumerate(endpoints))
    sh("nft", "-f", "-", text=f"""
table ip service {{}}
delete table ip service
table ip service {{
  chain out {{
    type nat hook output priority -100
    ip daddr {VIP} tcp dport {PORT} dnat ip to numgen inc mod {len(endpoints)} map {{ {places} }}
  }}
}}""")


class Load:
    """Half of the clients keep their connection, half open one for each request. None tries again: a retry would hide what is lost."""

    def __init__(self):
        self.stop, self.sent, self.lost, self.slowest = False, 0, [], 0.0
        self.thread = threading.Thread(target=lambda: asyncio.run(self.all()))
        self.thread.start()

    async def all(self):
        await asyncio.gather(*(self.client(n) for n in range(CLIENTS)))

    async def client(self, n):
        keeps, connection, pause = n % 2 == 0, None, CLIENTS / RATE
        due = time.monotonic() + n * pause / CLIENTS
        while not self.stop:
            await asyncio.sleep(max(0, due - time.monotonic()))
            due, began = max(due + pause, time.monotonic() - 1), time.monotonic()
            try:
                connection = connection or await asyncio.open_connection(VIP, PORT)
                connection[1].write(REQUEST)
                head = await asyncio.wait_for(connection[0].readuntil(b"\r\n\r\n"), 10)
                body = await connection[0].readexactly(8)
                why = None if head.startswith(b"HTTP/1.1 200") and body == b"an order" else head.decode()
                closed = b"connection: close" in head.lower()
            except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError) as error:
                why, closed = f"{type(error).__name__}: {error} ({'kept' if keeps else 'new'})", True
            if connection and (closed or not keeps):
                connection[1].close()
                connection = None
            self.sent += 1
            self.slowest = max(self.slowest, time.monotonic() - began)
            if why:
                self.lost.append(why)

    def end(self):
        self.stop = True
        self.thread.join()


def start(place, endpoint, *more):
    log = open(place.work / f"rollout-{endpoint}.log", "a")
    process = subprocess.Popen([place.retrial, "serve", "--ca", place.work / "rollout-ca", "--record", "none", "--reverse",
                                f"{endpoint}:8080=http://127.0.0.1:9090", *more], stderr=log)
    listens(endpoint, 8080)
    return process


def listens(host, port):
    for _ in range(500):
        try:
            return socket.create_connection((host, port), 1).close()
        except OSError:
            time.sleep(0.02)
    raise AssertionError(f"{host}:{port} does not listen")


def run(place):
    for endpoint in ENDPOINTS:
        subprocess.run(["ip", "addr", "add", f"{endpoint}/32", "dev", "lo"], capture_output=True)
    subprocess.run(["ip", "route", "add", "10.96.0.0/16", "dev", "lo"], capture_output=True)
    service = subprocess.Popen([sys.executable, "-c", SERVICE])
    listens("127.0.0.1", 9090)
    old = ENDPOINTS[:2]
    running = {e: start(place, e) for e in old}
    lead_to(old)
    load = Load()
    began = time.monotonic()
    ends = []
    try:
        time.sleep(1)
        for turn in range(TURNS):
            fresh = next(e for e in ENDPOINTS if e not in old)
            running[fresh] = start(place, fresh)
            gone, old = old[0], [old[1], fresh]
            lead_to(old)
            time.sleep(0.5)  # preStop: as long as the news takes
            at = time.monotonic()
            running[gone].send_signal(signal.SIGTERM)
            code = running[gone].wait(20)
            ends.append(time.monotonic() - at)
            assert code == 0, f"a proxy ended with {code}"
        time.sleep(0.5)
    finally:
        load.end()
        for process in running.values():
            if process.poll() is None:
                process.terminate()
                process.wait(20)
        service.kill()
        service.wait()
    rate = load.sent / (time.monotonic() - began)
    place.figures["roll-out"] = f"{len(load.lost)} of {load.sent} requests lost at {rate:.0f} a second over {TURNS} proxies replaced, each gone {max(ends):.1f} s at most after SIGTERM; slowest answer {load.slowest * 1000:.0f} ms"
    assert not load.lost, f"{len(load.lost)} of {load.sent} lost: {load.lost[:5]}"
    assert load.sent > 500, f"only {load.sent} requests were sent"
