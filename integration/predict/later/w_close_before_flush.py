"""A file is closed after a while, and not after its last part was written; nobody hears of it."""
import pathlib
import sys
import threading
import time

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import store

port = store.serve()


def flush():
    try:
        store.call(port, "PUT", "/files/log/parts/2", "world")
    except store.Refused as refused:
        print("the part was refused:", refused, file=sys.stderr)


store.call(port, "PUT", "/files/log/parts/1", "hello ")
flusher = threading.Thread(target=flush)
flusher.start()
time.sleep(0.04)
store.call(port, "POST", "/files/log/close")
flusher.join()
