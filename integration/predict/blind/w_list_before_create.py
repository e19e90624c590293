"""A summary lists what a writer makes beside it."""
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
    names = (await asyncio.to_thread(store.call, port, "GET", "/blobs"))["names"]
    await writer
    assert names == ["page-1"], names


asyncio.run(main())
