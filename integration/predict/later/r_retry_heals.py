"""A reader comes too early now and then, and looks again."""
import pathlib
import sys
import threading
import time

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import store

port = store.serve()
seen = []


def read():
    time.sleep(0.02)
    for left in reversed(range(20)):
        try:
            return seen.append(store.call(port, "GET", "/blobs/settings")["text"])
        except store.Refused as refused:
            if refused.status != 404 or not left:
                raise
        time.sleep(0.02)


reader = threading.Thread(target=read)
reader.start()
store.call(port, "PUT", "/blobs/settings", "deep blue")
reader.join()
assert seen == ["deep blue"]
