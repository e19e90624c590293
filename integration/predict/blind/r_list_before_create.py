"""The summary awaits the writer, and looks again where nothing is there as yet."""
import asyncio
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import store


async def write(port):
    await asyncio.to_thread(store.call, port, "PUT", "/blobs/page-1", "one")


async def main():
    port = store.serve()
    writer = asyncio.create_task(write(port))
    await asyncio.sleep(0.015)
    names = []
    while not names:
        names = (await asyncio.to_thread(store.call, port, "GET", "/blobs"))["names"]
        await asyncio.sleep(0.01)
    await writer
    assert names == ["page-1"], names


asyncio.run(main())
