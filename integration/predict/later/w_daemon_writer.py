"""The writer's thread is nobody's: who reads too early fails, and the program ends with the write on its way."""
import pathlib
import sys
import threading
import time

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import store

port = store.serve()
writer = threading.Thread(target=store.call, args=(port, "PUT", "/blobs/state", "ready"), daemon=True)
writer.start()
time.sleep(0.025)
assert store.call(port, "GET", "/blobs/state")["text"] == "ready"
