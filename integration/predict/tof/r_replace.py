"""A value is replaced at once."""
import keeper
import store


def work(port):
    rate = store.call(port, "GET", "/rate")["value"]
    if rate == "7":
        return
    store.call(port, "PUT", "/rate", "7")


if called := keeper.called():
    work(*called)
else:
    port = store.serve({"rate": "5"})
    if keeper.keep(port):
        raise SystemExit("the worker could not go on")
    assert store.value(port, "/rate") == "7"
