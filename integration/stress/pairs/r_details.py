"""Those like it are counted once."""
import bisect

import shelf

port = shelf.start()
prices = sorted(item["price"] for item in shelf.send(port, "GET", "/all")["items"])
print(max(bisect.bisect(prices, price) for price in prices))
