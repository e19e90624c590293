"""Each request tells by x-zoo-call which call of this process it belongs to: the truth beside which an assignment is measured.

Nothing of Retrial reads the header.
"""
import contextvars
import http.client
from concurrent.futures import ThreadPoolExecutor

CALL = contextvars.ContextVar("call", default=None)


def label_requests():
    end = http.client.HTTPConnection.endheaders

    def labelled(connection, *args, **kwargs):
        if CALL.get():
            connection.putheader("x-zoo-call", CALL.get())
        return end(connection, *args, **kwargs)

    http.client.HTTPConnection.endheaders = labelled


def calls(often, at_once, once):
    """Runs `once` so often, with a number from 1 on, one after another or all at once; how the last ended, (result, error)."""
    label_requests()

    def one(n):
        CALL.set(str(n))
        try:
            return once(n), None
        except Exception as error:  # whatever a library raises is how the call ended
            return None, error

    with ThreadPoolExecutor(often if at_once else 1) as pool:
        return list(pool.map(one, range(1, often + 1)))[-1]
