"""Two tries, and a deadline for both: what has not come by then is given up."""
import concurrent.futures
import os

import shelf

port = shelf.start()


def price():
    for attempt in range(2):
        try:
            return shelf.send(port, "GET", "/items/item-1", timeout=2)["price"]
        except OSError:
            pass


try:
    print(concurrent.futures.ThreadPoolExecutor(1).submit(price).result(timeout=5), flush=True)
except concurrent.futures.TimeoutError:
    print("no price in time", flush=True)
os._exit(0)
