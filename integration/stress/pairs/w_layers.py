"""Two layers try again, each for itself."""
import time

import shelf

port = shelf.start()


def fetch():
    for attempt in range(4):
        try:
            return shelf.send(port, "GET", "/items/item-1")
        except shelf.Failed:
            time.sleep(0.05 * 2**attempt)
    raise shelf.Failed


def price():
    for attempt in range(4):
        try:
            return fetch()["price"]
        except shelf.Failed:
            time.sleep(0.5 * 2**attempt)


print(price())
