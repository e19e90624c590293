"""A worker, a process of its own, reads once its parent says so."""
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).parents[1]))
import store

WORKER = """
import sys
sys.path.append(sys.argv[2])
import store
print("ready", flush=True)
sys.stdin.readline()
print(store.call(int(sys.argv[1]), "GET", "/blobs/order")["text"])
"""

port = store.serve()
worker = subprocess.Popen([sys.executable, "-c", WORKER, str(port), str(pathlib.Path(__file__).parents[1])], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
worker.stdout.readline()
store.call(port, "PUT", "/blobs/order", "two of them")
told = worker.communicate("go\n")[0].strip()
assert told == "two of them", told
