"""A message is taken off once it was acted upon, which may be done twice."""
import keeper
import store


def work(port):
    for name in store.call(port, "GET", "/letters")["names"]:
        text = store.call(port, "GET", f"/letters/{name}")["value"]
        store.call(port, "PUT", f"/mailboxes/{name}", text)
        store.call(port, "DELETE", f"/letters/{name}")


if called := keeper.called():
    work(*called)
else:
    port = store.serve({"letters/ann": "hello", "letters/bob": "good-bye"})
    keeper.keep(port)
    assert store.call(port, "GET", "/mailboxes")["names"] == ["ann", "bob"], "a letter was lost"
