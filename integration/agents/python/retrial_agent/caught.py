"""What a test's own `except` catches (Python 3.12 or later, whose interpreter tells of it)."""
import sys
import threading

from . import chain, current, events, frames

_MOST = 20  # of one test: it may ask again and again until it is answered
_FREE = (3, 4)  # tools that PEP 669 gives no name
_caught = []  # (identity of the exception, its chain)


def watch():
    monitoring = getattr(sys, "monitoring", None)
    used = [monitoring.get_tool(tool) for tool in _FREE] if monitoring else []
    if "retrial" in used or None not in used:
        return
    tool = _FREE[used.index(None)]
    monitoring.use_tool_id(tool, "retrial")
    monitoring.register_callback(tool, monitoring.events.EXCEPTION_HANDLED, _handled)
    monitoring.register_callback(tool, monitoring.events.RERAISE, _raised_again)
    monitoring.set_events(tool, monitoring.events.EXCEPTION_HANDLED | monitoring.events.RERAISE)


def _handled(code, offset, exception):
    """Not of a service that the test runs beside it, in a thread of its own."""
    if not frames.is_test(code) or threading.current_thread() is not threading.main_thread():
        return
    if current.test()[1] != "test" or len(_caught) == _MOST:
        return
    try:
        _caught.append((id(exception), chain.of(exception)))
    except Exception as problem:
        events.failed("caught", problem)


def _raised_again(code, offset, exception):
    if frames.is_test(code):
        forget(exception)


def forget(exception):
    for index in range(len(_caught) - 1, -1, -1):
        if _caught[index][0] == id(exception):
            del _caught[index]
            return


def take():
    told = [of for _, of in _caught]
    _caught.clear()
    return told
