"""grpc.aio: the objects that stand for one call, made in the task of whoever calls the stub."""
from functools import wraps
from inspect import signature

from . import site
from .grpc_calls import with_tag


def apply(module):
    if module.__name__ == "grpc.aio._interceptor":
        _keep_entry(module.InterceptedCall)
        return
    for name in ("UnaryUnaryCall", "UnaryStreamCall", "StreamUnaryCall", "StreamStreamCall"):
        _tagging(getattr(module, name))


def _tagging(call):
    original = call.__init__
    told = list(signature(original).parameters)
    metadata, channel = told.index("metadata"), told.index("channel")

    @wraps(original)
    def init(self, *args, **kwargs):
        # Told by place, as grpc.aio does; None is refused there, and is not ours to mend.
        if len(args) >= max(metadata, channel) and args[metadata - 1] is not None:
            tagged = with_tag(args[channel - 1], args[metadata - 1])
            args = args[: metadata - 1] + (tagged,) + args[metadata:]
        original(self, *args, **kwargs)

    call.__init__ = init


def _keep_entry(call):
    """The stub's function returns at once: what it entered lasts as long as the call."""
    original = call.__init__

    @wraps(original)
    def init(self, interceptors_task, *args, **kwargs):
        self._retrial_entry = site.entry_of(interceptors_task)
        original(self, interceptors_task, *args, **kwargs)

    call.__init__ = init
