"""The total goes on from entry to entry, and the entries are sorted once."""
import shelf

port = shelf.start()
total = 0
for item in sorted(shelf.send(port, "GET", "/all")["items"], key=lambda item: item["name"]):
    total += item["price"]
print(total)
