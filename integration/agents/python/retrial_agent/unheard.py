"""Tells of exceptions that nobody looked at: of tasks and futures that ended with one, and were awaited by nobody."""
from functools import wraps

from . import chain, current, events


def apply(module):  # asyncio.base_events
    handle = module.BaseEventLoop.call_exception_handler

    @wraps(handle)
    def call_exception_handler(self, context):
        own = getattr(self, "_exception_handler", None)  # the application's: it is told
        if own is None and str(context.get("message", "")).endswith("exception was never retrieved"):
            _tell(context.get("exception"))
        return handle(self, context)

    module.BaseEventLoop.call_exception_handler = call_exception_handler


def _tell(exception):
    id = current.test()[0]
    if id is None or exception is None:
        return
    try:
        events.write({"ev": "unheard", "id": id, "chain": chain.of(exception)})
    except Exception as problem:
        events.failed("unheard", problem)
