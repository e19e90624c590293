"""Pages are asked for as long as the service tells of a next one."""
import shelf

port = shelf.start()
cursor, items = "0", []
while cursor:
    page = shelf.send(port, "GET", "/items?cursor=" + cursor)
    items += page["items"]
    cursor = page["next_cursor"]
print(len(items))
