"""A client that sends an order, and sends it again where it heard nothing: a bug, which the tests here do not see."""
import os
import urllib.error
import urllib.request

URL = os.environ.get("ORDERS_URL", "http://127.0.0.1:8080")


def submit(item):
    for attempt in (1, 2, 3):
        try:
            with urllib.request.urlopen(urllib.request.Request(URL + "/orders", data=item.encode(), method="POST"), timeout=10) as answer:
                return answer.read().decode()
        except (OSError, urllib.error.URLError):
            if attempt == 3:
                raise
