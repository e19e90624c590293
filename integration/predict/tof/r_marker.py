"""A report is marked as done once it is there."""
import keeper
import store


def work(port):
    if store.value(port, "/done/report"):
        return
    store.call(port, "PUT", "/report", "all is well")
    store.call(port, "PUT", "/done/report", "yes")


if called := keeper.called():
    work(*called)
else:
    port = store.serve()
    keeper.keep(port)
    assert store.value(port, "/report") == "all is well", "no report, though it is marked as done"
