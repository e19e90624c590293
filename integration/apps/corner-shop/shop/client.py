"""What the shop asks its service, each function with retries as they are often written: the last is right, the others have a bug each."""
import random
import time
from urllib.error import HTTPError
from urllib.request import urlopen

from shop import wire


def place_order(item):
    """Sends a POST again that may have been carried out, with nothing in it by which the service knows it again."""
    for attempt in range(4):
        try:
            return wire.read(urlopen(wire.request("POST", "/orders", {"item": item}), timeout=5))
        except OSError as error:
            if attempt == 3 or not wire.passes(error):
                raise
            time.sleep(0.5 * 2**attempt * random.uniform(0.5, 1.5))


def stock(item):
    """Never gives up, whatever the answer is."""
    pause = 1
    while True:
        try:
            return wire.read(urlopen(wire.request("GET", "/stock/" + item), timeout=5))["left"]
        except OSError:
            time.sleep(pause * random.uniform(0.5, 1.5))
            pause = min(pause * 2, 7200)


def price(item):
    """Does not wait before it asks again."""
    for attempt in range(25):
        try:
            return wire.read(urlopen(wire.request("GET", "/prices/" + item), timeout=5))["pence"]
        except OSError as error:
            if attempt == 24 or not wire.passes(error):
                raise


def hours():
    """Waits the same each time, however long the service is down."""
    for attempt in range(7):
        try:
            return wire.read(urlopen(wire.request("GET", "/hours"), timeout=5))["open"]
        except OSError as error:
            if attempt == 6 or not wire.passes(error):
                raise
            time.sleep(2)


def menu():
    """Waits for ever for an answer that does not come."""
    return wire.read(urlopen(wire.request("GET", "/menu")))["today"]


def discount(customer):
    """Takes an error's body for the answer, and falls over what is not in it."""
    try:
        answer = urlopen(wire.request("GET", "/customers/%d" % customer), timeout=5)
    except HTTPError as error:
        answer = error
    return wire.read(answer)["discount"]


def next_parcel():
    """A GET, so it is sent again; but each takes a parcel off the belt."""
    for attempt in range(3):
        try:
            return wire.read(urlopen(wire.request("GET", "/parcels/next"), timeout=5))
        except OSError as error:
            if attempt == 2 or not wire.passes(error):
                raise
            time.sleep(0.5 * 2**attempt * random.uniform(0.5, 1.5))


def file_receipt(number, total):
    """May be sent twice; waits longer each time, gives up, and asks again only where that can help."""
    for attempt in range(4):
        try:
            return wire.read(urlopen(wire.request("PUT", "/receipts/%d" % number, {"total": total}), timeout=5))
        except OSError as error:
            if attempt == 3 or not wire.passes(error):
                raise
            time.sleep(0.5 * 2**attempt * random.uniform(0.5, 1.5))
