"""A page that names itself as the next one is the last."""
import shelf

port = shelf.start()
cursor, items, seen = "0", [], set()
while cursor and cursor not in seen:
    seen.add(cursor)
    page = shelf.send(port, "GET", "/items?cursor=" + cursor)
    items += page["items"]
    cursor = page["next_cursor"]
print(len(items))
