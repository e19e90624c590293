"""Call ids: one entry into the outermost library function below the application's frame.

That function's frame is marked once, through its f_trace slot, when a request is first written
beneath it: each later attempt of the same entry finds the mark, another entry has another frame.
The mark is owned by nothing but the frame and dies with it, so that an id is never carried on by
work that outlives the entry (see site.py).

f_trace matters only to an active sys.settrace. Then the slot may hold the tracer's own local
function: the mark passes each event on to it, and keeps what it answers, as the interpreter would.
"""
import itertools
import os

_numbers = itertools.count(1)


def number():
    """One of a strand: greater than that of every entry before it."""
    return next(_numbers)


class Mark:
    """Stands in a frame's f_trace. `id` names the process too: a fork makes another."""

    __slots__ = ("number", "tracer", "__weakref__")

    def __init__(self, tracer):
        self.number = next(_numbers)
        self.tracer = tracer

    def __call__(self, frame, event, arg):
        if self.tracer is not None:
            answer = self.tracer(frame, event, arg)
            if answer is not None:
                self.tracer = answer
        return self

    @property
    def id(self):
        return "%d-%d" % (os.getpid(), self.number)


def mark(frame):
    """The frame's mark, made where it has none yet."""
    found = frame.f_trace
    if not isinstance(found, Mark):
        found = Mark(found)
        frame.f_trace = found
    return found


def once():
    """An id for a request that the application itself wrote: no library, so no other attempt."""
    return Mark(None).id
