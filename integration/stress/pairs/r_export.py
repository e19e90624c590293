"""An export is read line by line."""
import urllib.request

import shelf

port = shelf.start()
with urllib.request.urlopen(f"http://127.0.0.1:{port}/export.csv", timeout=60) as answer:
    print(sum(1 for line in answer))
