"""A report is marked as done before it is there."""
import keeper
import store


def work(port):
    if store.value(port, "/done/report"):
        return
    store.call(port, "PUT", "/done/report", "yes")
    store.call(port, "PUT", "/report", "all is well")


if called := keeper.called():
    work(*called)
else:
    port = store.serve()
    keeper.keep(port)
    assert store.value(port, "/report") == "all is well", "no report, though it is marked as done"
