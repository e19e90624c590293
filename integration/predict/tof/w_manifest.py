"""Whoever finds parts takes them for all of them, and writes the manifest of what there is."""
import keeper
import store


def work(port):
    there = store.call(port, "GET", "/parts")["names"]
    if not there:
        for part in ("a", "b", "c"):
            store.call(port, "PUT", f"/parts/{part}", part * 3)
        there = store.call(port, "GET", "/parts")["names"]
    store.call(port, "PUT", "/manifest", " ".join(there))


if called := keeper.called():
    work(*called)
else:
    port = store.serve()
    keeper.keep(port)
    assert store.value(port, "/manifest") == "a b c", "the manifest leaves parts out"
