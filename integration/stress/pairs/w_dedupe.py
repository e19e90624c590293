"""Entries that were seen are kept in a list, which is searched for each of them."""
import shelf

port = shelf.start()
seen = []
for item in shelf.send(port, "GET", "/all")["items"]:
    if item["id"] not in seen:
        seen.append(item["id"])
print(len(seen))
