"""At most a hundred pages are asked for."""
import shelf

port = shelf.start()
cursor, items = "0", []
for _ in range(100):
    page = shelf.send(port, "GET", "/items?cursor=" + cursor)
    items += page["items"]
    cursor = page["next_cursor"]
    if not cursor:
        break
print(len(items))
