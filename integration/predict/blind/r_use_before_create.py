"""The worker is told when the blob is there."""
import pathlib
import sys
import threading
import time

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import store

port = store.serve()
seen, made = [], threading.Event()


def work():
    time.sleep(0.02)
    made.wait()
    try:
        seen.append(store.call(port, "GET", "/blobs/settings")["text"])
    except store.Refused as refused:
        seen.append(refused)


worker = threading.Thread(target=work)
worker.start()
store.call(port, "PUT", "/blobs/settings", "deep blue")
made.set()
worker.join()
if isinstance(seen[0], Exception):
    raise seen[0]
