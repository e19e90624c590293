"""A ledger is written under a lock. Who dies with it leaves it locked, and whoever comes after waits for it for ever."""
import time

import keeper
import store


def work(port):
    owner = f"writer-{time.time_ns()}"
    while True:
        try:
            store.call(port, "POST", "/locks/ledger/acquire", owner)
            break
        except store.Refused:
            time.sleep(0.5)
    store.call(port, "PUT", "/ledger", "+5")
    store.call(port, "POST", "/locks/ledger/release", owner)


if called := keeper.called():
    work(*called)
else:
    port = store.serve()
    if keeper.keep(port):
        raise SystemExit("the writer gave up")
    assert store.value(port, "/ledger") == "+5"
