"""An export is read whole, however long it is."""
import urllib.request

import shelf

port = shelf.start()
with urllib.request.urlopen(f"http://127.0.0.1:{port}/export.csv", timeout=60) as answer:
    print(answer.read().count(b"\n"))
