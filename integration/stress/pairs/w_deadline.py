"""Each read has a time-out, after which it is tried once more, and the call as a whole has none."""
import shelf

port = shelf.start()
for attempt in range(2):
    try:
        print(shelf.send(port, "GET", "/items/item-1", timeout=2)["price"])
        break
    except OSError:
        print("no price in time")
