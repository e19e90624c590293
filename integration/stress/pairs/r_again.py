"""Where one of them fails, that one is sent again."""
import shelf

port = shelf.start()


def send(method, path, body):
    for attempt in range(5):
        try:
            return shelf.send(port, method, path, body)
        except shelf.Failed:
            pass
    raise shelf.Failed


for n in range(6):
    send("PUT", f"/stock/{n}", {"n": n})
try:
    send("POST", "/orders", {"done": True})
except shelf.Failed:
    print("the order was not taken")
