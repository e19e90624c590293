"""The total is summed up anew after each entry."""
import shelf

port = shelf.start()
prices = []
for item in shelf.send(port, "GET", "/all")["items"]:
    prices.append(item["price"])
    total = sum(prices)
print(total)
