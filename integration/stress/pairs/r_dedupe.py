"""Entries that were seen are kept in a set."""
import shelf

port = shelf.start()
seen = set()
for item in shelf.send(port, "GET", "/all")["items"]:
    seen.add(item["id"])
print(len(seen))
