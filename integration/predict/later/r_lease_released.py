"""The helper is joined before the lock is given back."""
import pathlib
import sys
import threading

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
helper.join()
store.call(port, "POST", "/locks/ledger/release")
if refused:
    raise refused[0]
