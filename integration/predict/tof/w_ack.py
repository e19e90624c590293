"""A message is taken off before it is acted upon."""
import keeper
import store


def work(port):
    for name in store.call(port, "GET", "/letters")["names"]:
        text = store.call(port, "GET", f"/letters/{name}")["value"]
        store.call(port, "DELETE", f"/letters/{name}")
        store.call(port, "PUT", f"/mailboxes/{name}", text)


if called := keeper.called():
    work(*called)
else:
    port = store.serve({"letters/ann": "hello", "letters/bob": "good-bye"})
    keeper.keep(port)
    assert store.call(port, "GET", "/mailboxes")["names"] == ["ann", "bob"], "a letter was lost"
