"""A ledger is written under a lock, which is known by its writer's name: who comes after the dead has it."""
import time

import keeper
import store


def work(port):
    while True:
        try:
            store.call(port, "POST", "/locks/ledger/acquire", "writer-1")
            break
        except store.Refused:
            time.sleep(0.5)
    store.call(port, "PUT", "/ledger", "+5")
    store.call(port, "POST", "/locks/ledger/release", "writer-1")


if called := keeper.called():
    work(*called)
else:
    port = store.serve()
    if keeper.keep(port):
        raise SystemExit("the writer gave up")
    assert store.value(port, "/ledger") == "+5"
