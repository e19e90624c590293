"""Who leads is known by the place it runs at: what stands there of a run before is its own, and is taken over."""
import keeper
import store


def work(port):
    if store.value(port, "/leader") not in (None, "host-1"):
        raise SystemExit("another leads")
    store.call(port, "PUT", "/leader", "host-1")
    store.call(port, "PUT", "/plan", "one two three")
    store.call(port, "DELETE", "/leader")


if called := keeper.called():
    work(*called)
else:
    port = store.serve()
    keeper.keep(port)
    assert store.value(port, "/plan") == "one two three"
