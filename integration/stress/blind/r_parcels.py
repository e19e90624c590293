"""Right: when one request of the batch fails, the batch waits and resumes at that very parcel, and gives up after 4 failures in a row."""
import json
import time
import urllib.error
import urllib.request
from collections import deque
from urllib.parse import quote

import service

PARCELS = [{"id": f"P{340 + i}", "name": f"Parcel {i}"} for i in range(12)]
STATES = ("in transit", "delivered", "at the depot")


def state(request):
    key = request.groups[0]
    return {"id": key, "state": STATES[sum(key.encode()) % 3]}


class Unavailable(Exception):
    pass


def fetch(url):
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        error.close()
        if error.code in (429, 502, 503, 504):
            raise Unavailable(f"{url}: {error.code}") from None
        raise


MAX_FAILURES = 4


def patiently(url):
    """One piece of the batch: tried MAX_FAILURES times, with growing pauses."""
    for failure in range(1, MAX_FAILURES + 1):
        try:
            return fetch(url)
        except Unavailable:
            if failure == MAX_FAILURES:
                raise
            time.sleep(0.02 * 2 ** failure)


def main():
    base = service.serve({"/parcels": lambda request: PARCELS, "/parcels/([^/]+)": state})
    states, pending = {}, deque()
    try:
        pending.extend(parcel["id"] for parcel in patiently(base + "/parcels"))
        while pending:
            key = pending[0]
            states[key] = patiently(f"{base}/parcels/{quote(str(key))}")["state"]
            pending.popleft()
    except Unavailable as error:
        print("giving up,", len(pending), "parcels left for the next run:", error)
    delivered = sum(1 for value in states.values() if value == "delivered")
    print(len(states), "parcels,", delivered, "delivered")


if __name__ == "__main__":
    main()
