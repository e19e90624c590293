"""Tests of a cache: a page is fetched in a task of its own, which is awaited before it is shown."""
import asyncio
import pathlib
import sys
import unittest

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import store


class Cache:
    def __init__(self, port):
        self.port = port

    async def fetch(self, name):
        await asyncio.to_thread(store.call, self.port, "PUT", f"/blobs/{name}", "text of " + name)

    async def show(self, name):
        return (await asyncio.to_thread(store.call, self.port, "GET", f"/blobs/{name}"))["text"]


class CacheTest(unittest.IsolatedAsyncioTestCase):
    async def test_a_page_is_shown_once_it_is_fetched(self):
        cache = Cache(store.serve())
        fetching = asyncio.create_task(cache.fetch("index"))
        await asyncio.sleep(0.01)
        await fetching
        self.assertEqual(await cache.show("index"), "text of index")

    async def test_pages_are_fetched_side_by_side(self):
        cache = Cache(store.serve())
        await asyncio.gather(*(cache.fetch(name) for name in ("a", "b", "c")))
        self.assertEqual(await cache.show("b"), "text of b")


if __name__ == "__main__":
    unittest.main()
