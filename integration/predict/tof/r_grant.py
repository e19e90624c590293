"""A task asks to commit, waits for the grant for a minute, and says so where none comes."""
import time

import keeper
import store


def work(port):
    while store.value(port, "/requests/task-1") is None:
        time.sleep(0.1)
    store.call(port, "PUT", "/grants/task-1", "go")


if called := keeper.called():
    work(*called)
else:
    port = store.serve()
    granter = keeper.start(port)
    store.call(port, "PUT", "/requests/task-1", "may I")
    until = time.monotonic() + 60
    while store.value(port, "/grants/task-1") is None:
        if time.monotonic() > until:
            raise SystemExit("no grant came within a minute")
        time.sleep(0.5)
    granter.wait()
