"""Wrong: when one request of the batch fails, the whole batch begins anew from the first parcel (retry storm)."""
import json
import time
import urllib.error
import urllib.request
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


MAX_RUNS = 8


def run_batch(base):
    states = {}
    for parcel in fetch(base + "/parcels"):
        states[parcel["id"]] = fetch(f"{base}/parcels/{quote(str(parcel['id']))}")["state"]
    return states


def main():
    base = service.serve({"/parcels": lambda request: PARCELS, "/parcels/([^/]+)": state})
    for run in range(1, MAX_RUNS + 1):
        try:
            states = run_batch(base)
        except Unavailable as error:
            print("run", run, "failed, starting over:", error)
            time.sleep(0.05)
        else:
            delivered = sum(1 for value in states.values() if value == "delivered")
            print(len(states), "parcels,", delivered, "delivered")
            return
    print("giving up after", MAX_RUNS, "runs")


if __name__ == "__main__":
    main()
