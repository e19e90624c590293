"""A worker is counted as it arrives, and once more as it arrives again: the sum is never what is waited for."""
import time

import keeper
import store


def work(port):
    store.call(port, "POST", "/arrived")
    store.call(port, "PUT", "/ready", "yes")


if called := keeper.called():
    work(*called)
else:
    port = store.serve()
    keeper.keep(port)
    while store.value(port, "/arrived") != "1":
        time.sleep(0.5)
