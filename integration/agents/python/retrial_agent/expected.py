"""Tells of exceptions that a test expected, and that came: whoever it calls told of a failure."""
from functools import wraps

from . import caught, chain, current, events

_watched = set()


def watch(context):
    """A context manager whose `__exit__` is true of what was expected: pytest.raises, assertRaises."""
    if context is None or context in _watched:
        return
    _watched.add(context)
    leave = context.__exit__

    @wraps(leave)
    def __exit__(self, kind, value, traceback):
        expected = leave(self, kind, value, traceback)
        if expected and value is not None:
            try:
                caught.forget(value)
                _tell(chain.of(value))
            except Exception as problem:
                events.failed("expected", problem)
        return expected

    context.__exit__ = __exit__


def tell_caught():
    """At the end of a test, before its result: a `with` or `finally` passes on what it has met."""
    for told in caught.take():
        _tell(told)


def _tell(told):
    id = current.test()[0]
    if id is not None:
        events.write({"ev": "expected", "id": id, "chain": told})
