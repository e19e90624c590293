"""A reader is started, and the blob is removed after a while, not after the reader."""
import asyncio
import pathlib
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import store


async def read(port):
    return (await asyncio.to_thread(store.call, port, "GET", "/blobs/report"))["text"]


async def main():
    port = store.serve()
    await asyncio.to_thread(store.call, port, "PUT", "/blobs/report", "all is well")
    reader = asyncio.create_task(read(port))
    await asyncio.sleep(0.03)
    await asyncio.to_thread(store.call, port, "DELETE", "/blobs/report")
    return await reader


assert asyncio.run(main()) == "all is well"
