"""Two clean up the same thing: who comes second finds it gone, which is what he wants."""
import pathlib
import sys
import time
from concurrent.futures import ThreadPoolExecutor

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import store

port = store.serve()
store.call(port, "PUT", "/blobs/scratch", "x")


def clean(later):
    time.sleep(later)
    if "scratch" not in store.call(port, "GET", "/blobs")["names"]:
        return
    try:
        store.call(port, "DELETE", "/blobs/scratch")
    except store.Refused as refused:
        if refused.status != 404:
            raise


with ThreadPoolExecutor(2) as pool:
    list(pool.map(clean, (0, 0.02)))
