"""A reader that finds nothing makes it himself: either may come first."""
import pathlib
import sys
import threading
import time

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import store

port = store.serve()
seen = []


def look():
    time.sleep(0.02)
    try:
        seen.append(store.call(port, "GET", "/blobs/theme")["text"])
    except store.Refused as refused:
        if refused.status != 404:
            raise
        store.call(port, "PUT", "/blobs/theme", "dark")
        seen.append("dark")


looker = threading.Thread(target=look)
looker.start()
store.call(port, "PUT", "/blobs/theme", "dark")
looker.join()
assert seen == ["dark"]
