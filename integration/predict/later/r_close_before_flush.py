"""The last part is written before the file is closed."""
import pathlib
import sys
import threading

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
flusher.join()
store.call(port, "POST", "/files/log/close")
