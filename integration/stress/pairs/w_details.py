"""For each entry the whole list is walked for those like it."""
import shelf

port = shelf.start()
items = shelf.send(port, "GET", "/all")["items"]
print(max(sum(other["price"] <= item["price"] for other in items) for item in items))
