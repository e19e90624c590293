"""A worker, a process of its own, reads what its parent writes after it was started."""
import pathlib
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import store

WORKER = """
import sys, time
sys.path.append(sys.argv[2])
import store
print("ready", flush=True)
time.sleep(0.04)
print(store.call(int(sys.argv[1]), "GET", "/blobs/order")["text"])
"""

port = store.serve()
worker = subprocess.Popen([sys.executable, "-c", WORKER, str(port), str(pathlib.Path(__file__).parents[1])], stdout=subprocess.PIPE, text=True)
worker.stdout.readline()
store.call(port, "PUT", "/blobs/order", "two of them")
told = worker.communicate()[0].strip()
assert told == "two of them", told
