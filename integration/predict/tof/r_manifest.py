"""Whoever finds parts and no manifest writes those that are missing."""
import keeper
import store


def work(port):
    if store.value(port, "/manifest"):
        return
    there = store.call(port, "GET", "/parts")["names"]
    for part in ("a", "b", "c"):
        if part not in there:
            store.call(port, "PUT", f"/parts/{part}", part * 3)
    store.call(port, "PUT", "/manifest", "a b c")


if called := keeper.called():
    work(*called)
else:
    port = store.serve()
    keeper.keep(port)
    assert store.value(port, "/manifest") == "a b c", "the manifest leaves parts out"
