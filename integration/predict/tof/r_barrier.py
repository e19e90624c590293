"""A worker is counted by its name."""
import time

import keeper
import store


def work(port):
    store.call(port, "PUT", "/arrivals/worker-1", "here")
    store.call(port, "PUT", "/ready", "yes")


if called := keeper.called():
    work(*called)
else:
    port = store.serve()
    keeper.keep(port)
    while store.call(port, "GET", "/arrivals")["names"] != ["worker-1"]:
        time.sleep(0.5)
