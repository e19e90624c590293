"""Who looks holds the job until it is complete."""
import pathlib
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import store

port = store.serve()
job = store.call(port, "POST", "/jobs", '{"what": "pay the bill"}')["id"]
one_at_a_time = threading.Lock()


def work(later):
    time.sleep(later)
    with one_at_a_time:
        if store.call(port, "GET", f"/jobs/{job}")["state"] == "open":
            store.call(port, "POST", f"/jobs/{job}/complete")


with ThreadPoolExecutor(2) as pool:
    for done in [pool.submit(work, 0), pool.submit(work, 0.025)]:
        done.result()
