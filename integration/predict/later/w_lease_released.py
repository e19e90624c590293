"""Who holds the lock gives it back after a while; a helper still writes under it."""
import pathlib
import sys
import threading
import time

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import store

port = store.serve()
refused = []


def write():
    try:
        store.call(port, "PUT", "/locks/ledger/entries/1", "+5")
    except store.Refused as error:
        refused.append(error)


store.call(port, "POST", "/locks/ledger/acquire")
helper = threading.Thread(target=write)
helper.start()
time.sleep(0.025)
store.call(port, "POST", "/locks/ledger/release")
helper.join()
if refused:
    raise refused[0]
