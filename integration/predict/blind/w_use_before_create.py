"""A worker uses a blob that its starter makes, and waits for a while, not for it."""
import pathlib
import sys
import threading
import time

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import store

port = store.serve()
seen = []


def work():
    time.sleep(0.02)
    try:
        seen.append(store.call(port, "GET", "/blobs/settings")["text"])
    except store.Refused as refused:
        seen.append(refused)


worker = threading.Thread(target=work)
worker.start()
store.call(port, "PUT", "/blobs/settings", "deep blue")
worker.join()
if isinstance(seen[0], Exception):
    raise seen[0]
