"""The reader is awaited before the blob is removed."""
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
    text = await reader
    await asyncio.to_thread(store.call, port, "DELETE", "/blobs/report")
    return text


assert asyncio.run(main()) == "all is well"
