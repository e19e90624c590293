"""The writer is joined before anybody reads."""
import pathlib
import sys
import threading

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import store

port = store.serve()
writer = threading.Thread(target=store.call, args=(port, "PUT", "/blobs/state", "ready"), daemon=True)
writer.start()
writer.join()
assert store.call(port, "GET", "/blobs/state")["text"] == "ready"
