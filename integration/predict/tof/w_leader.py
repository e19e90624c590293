"""Two would lead. Who leads says so and resigns at its end; who dies never resigns, and its successor stands by."""
import time

import keeper
import store


def work(port):
    me = f"leader-{time.time_ns()}"
    while True:
        try:
            store.call(port, "PUT", "/leader", me, {"If-None-Match": "*"})
            break
        except store.Refused:
            time.sleep(1)
    store.call(port, "PUT", "/plan", "one two three")
    store.call(port, "DELETE", "/leader")


if called := keeper.called():
    work(*called)
else:
    port = store.serve()
    keeper.keep(port)
    assert store.value(port, "/plan") == "one two three"
