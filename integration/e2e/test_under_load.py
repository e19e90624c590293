"""Requests go on while the service behind `retrial serve` is restarted, and while its file is read again: none is lost. No client here tries again, which would hide it."""
import asyncio
import contextlib
import re
import signal
import socket
import subprocess
import sys
import threading
import time

from test_admin import Serving

RATE, CLIENTS = 300, 12
# Takes what comes to a socket that outlives it, as systemd or a supervisor holds one; at SIGTERM it answers what it has, closes what idles, and ends.
SERVICE = """
import asyncio, signal, socket, sys
connections = set()
ending = False
class Orders(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.got, self.asked = transport, b"", 0
        connections.add(self)
    def connection_lost(self, error):
        connections.discard(self)
    def data_received(self, data):
        self.got += data
        while (at := self.got.find(b"\\r\\n\\r\\n")) >= 0:
            size = at + 4 + (8 if self.got.startswith(b"POST") else 0)
            if len(self.got) < size:
                return
            self.got = self.got[size:]
            self.asked += 1
            asyncio.get_running_loop().call_later(0.03, self.answer)  # so that some are under way at any time
    def answer(self):
        self.asked -= 1
        self.transport.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n" + (b"Connection: close\\r\\n" if ending else b"") + b"\\r\\nok")
        if ending:
            self.transport.close()
async def main():
    global ending
    loop, end = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, end.set)
    server = await loop.create_server(Orders, sock=socket.socket(fileno=int(sys.argv[1])))
    print("ready", flush=True)
    await end.wait()
    ending = True
    server.close()
    await asyncio.sleep(0.05)  # what was accepted, and has not been read
    for one in list(connections):
        if not one.got and not one.asked:
            one.transport.close()
    while connections:
        await asyncio.sleep(0.01)
asyncio.run(main())
"""


class Load:
    """A third of the clients keep their connection; orders are sent once, things are asked for."""

    def __init__(self, port):
        self.port, self.stop, self.sent, self.lost = port, False, 0, []
        self.thread = threading.Thread(target=lambda: asyncio.run(self.all()))
        self.thread.start()

    async def all(self):
        await asyncio.gather(*(self.client(n) for n in range(CLIENTS)))

    async def client(self, n):
        request = b"POST /orders HTTP/1.1\r\nHost: s\r\nContent-Length: 8\r\n\r\nan order" if n % 2 else b"GET /things HTTP/1.1\r\nHost: s\r\n\r\n"
        connection, due = None, time.monotonic() + n / RATE
        while not self.stop:
            await asyncio.sleep(max(0, due - time.monotonic()))
            due += CLIENTS / RATE
            try:
                connection = connection or await asyncio.open_connection("127.0.0.1", self.port)
                connection[1].write(request)
                head = await asyncio.wait_for(connection[0].readuntil(b"\r\n\r\n"), 20)
                body = await connection[0].readexactly(int(re.search(rb"(?i)content-length: (\d+)", head)[1]))
                lost = None if head.startswith(b"HTTP/1.1 200") and body == b"ok" else (request[:4], head, body)
            except (OSError, asyncio.IncompleteReadError, asyncio.TimeoutError) as error:
                lost = request[:4], repr(error)
            if connection and (lost or n % 3):
                connection[1].close()
                connection = None
            self.sent += 1
            if lost:
                self.lost.append(lost)

    def end(self):
        self.stop = True
        self.thread.join()


@contextlib.contextmanager
def load_on(port):
    load = Load(port)
    try:
        yield load
    finally:
        load.end()
    assert load.sent > 100 and not load.lost, (load.sent, len(load.lost), load.lost[:5])


@contextlib.contextmanager
def restarting(tmp_path):
    """A service behind `serve`, and what starts another in its place and ends it."""
    class Held:  # as the servers of other tests say where they are
        pass

    with socket.create_server(("127.0.0.1", 0), backlog=512) as listener:
        held = Held()
        held.server_address = listener.getsockname()
        running = []

        def another():
            number = str(listener.fileno())
            started = subprocess.Popen([sys.executable, "-c", SERVICE, number], pass_fds=[listener.fileno()], stdout=subprocess.PIPE, text=True)
            running.append(started)
            assert started.stdout.readline() == "ready\n"
            for old in running[:-1]:
                old.send_signal(signal.SIGTERM)
                assert old.wait(20) == 0
                running.remove(old)

        another()
        serve = Serving(tmp_path, held)
        try:
            yield serve, another
        finally:
            for process in (*running, serve.process):
                process.kill()
                process.communicate()


def test_a_service_that_is_restarted_loses_no_request(tmp_path):
    with restarting(tmp_path) as (serve, another):
        with load_on(serve.port):
            for _ in range(4):
                time.sleep(0.5)
                another()
            time.sleep(0.5)


def test_reading_the_file_again_loses_no_request(tmp_path):
    with restarting(tmp_path) as (serve, _):
        file = tmp_path / "retrial.toml"
        said = file.read_text()
        with load_on(serve.port):
            for n in range(15):
                more = '[[listener]]\nmode = "reverse"\nlisten = "127.0.0.1:0"\nservice = "s"\n' if n % 2 else ""
                file.write_text(said + more + f'[[rule]]\nname = "n{n}"\nmatch = {{ service = "s", path = "/else" }}\ninject = "error(503)"\n')
                serve.process.send_signal(signal.SIGHUP)
                time.sleep(0.15)
        serve.process.send_signal(signal.SIGTERM)
        log = serve.process.stderr.read()
        assert log.count("reloaded") + sum("reloaded" in line for line in serve.log) >= 10, log
