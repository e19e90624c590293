"""Where one of them fails, all are sent again."""
import shelf

port = shelf.start()
for attempt in range(20):
    try:
        for n in range(6):
            shelf.send(port, "PUT", f"/stock/{n}", {"n": n})
        shelf.send(port, "POST", "/orders", {"done": True})
        break
    except shelf.Failed:
        pass
