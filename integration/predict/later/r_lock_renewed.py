"""A lock is renewed beside the work that it is for, and given back at the end: how often it is renewed, time decides."""
import pathlib
import sys
import threading

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import store

port = store.serve()
done = threading.Event()


def renew():
    while not done.wait(0.015):
        store.call(port, "PUT", "/locks/ledger/renewals/last", "now")


store.call(port, "POST", "/locks/ledger/acquire")
renewer = threading.Thread(target=renew)
renewer.start()
for entry in range(3):
    store.call(port, "PUT", f"/locks/ledger/entries/{entry}", "+5")
    done.wait(0.02)
done.set()
renewer.join()
store.call(port, "POST", "/locks/ledger/release")
