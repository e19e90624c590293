"""The services behind the proxy, one in HTTP/1.1 and one in HTTP/2: python3 service.py, prints their ports.

/small    200 and two bytes          /big   200 and 8 MiB
/hold     never an answer            /sink  its body is not read, and never an answer
"""
import asyncio
import sys

import frames

BIG = b"x" * (8 << 20)


async def http1(reader, writer):
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            path = head.split(b" ", 2)[1]
            if path.endswith((b"/hold", b"/sink")):
                return await asyncio.sleep(3600)
            body = BIG if path.endswith(b"/big") else b"ok"
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body))
            for at in range(0, len(body), 65536):
                writer.write(body[at : at + 65536])
                await writer.drain()
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError):
        pass
    finally:
        writer.close()


class Http2(asyncio.Protocol):
    """As a right server: DATA goes as far as both windows."""

    def connection_made(self, transport):
        self.transport, self.reader, self.magic = transport, frames.Reader(), b""
        self.window, self.first, self.windows, self.left, self.paths = 65535, 65535, {}, {}, {}
        transport.write(frames.settings())

    def data_received(self, data):
        if len(self.magic) < len(frames.PREFACE):
            data = self.magic + data
            self.magic, data = data[: len(frames.PREFACE)], data[len(frames.PREFACE) :]
        for kind, flags, stream, payload in self.reader.take(data):
            if kind == frames.SETTINGS and not flags & frames.ACK:
                for at in range(0, len(payload), 6):
                    if int.from_bytes(payload[at : at + 2], "big") == frames.INITIAL_WINDOW:
                        self.first = int.from_bytes(payload[at + 2 : at + 6], "big")
                self.transport.write(frames.frame(frames.SETTINGS, frames.ACK, 0))
            elif kind == frames.PING and not flags & frames.ACK:
                self.transport.write(frames.frame(frames.PING, frames.ACK, 0, payload))
            elif kind == frames.WINDOW_UPDATE:
                by = int.from_bytes(payload, "big")
                if stream:
                    self.windows[stream] = self.windows.get(stream, self.first) + by
                else:
                    self.window += by
            elif kind == frames.HEADERS:
                self.windows.setdefault(stream, self.first)
                big, held = b"/big" in payload, b"/hold" in payload or b"/sink" in payload
                if not held:
                    self.transport.write(frames.frame(frames.HEADERS, frames.END_HEADERS, stream, b"\x88"))
                    self.left[stream] = len(BIG) if big else 2
            elif kind == frames.RST_STREAM:
                self.left.pop(stream, None)
        self.send()

    def send(self):
        for stream, left in list(self.left.items()):
            while left and self.window > 0 and self.windows[stream] > 0:
                size = min(left, self.window, self.windows[stream], frames.MOST)
                left -= size
                self.window -= size
                self.windows[stream] -= size
                end = 0 if left else frames.END_STREAM
                self.transport.write(frames.frame(frames.DATA, end, stream, b"x" * size))
            self.left[stream] = left
            if not left:
                del self.left[stream]


async def main():
    loop = asyncio.get_running_loop()
    one = await asyncio.start_server(http1, "0.0.0.0", 0, backlog=4096, limit=1 << 20)
    two = await loop.create_server(Http2, "127.0.0.1", 0, backlog=4096)
    print(one.sockets[0].getsockname()[1], two.sockets[0].getsockname()[1], flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    import resource

    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    sys.exit(asyncio.run(main()))
