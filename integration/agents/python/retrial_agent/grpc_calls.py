"""grpcio's blocking calls, and what decides whether a channel's calls are tagged.

The tag joins the metadata of a call as it is handed to gRPC's core, below every interceptor and
below whatever stands in for a channel in tests. The core repeats it on its own retries.
"""
import os
from functools import wraps
from inspect import signature

from . import peer, tag

_KINDS = ("UnaryUnary", "SingleThreadedUnaryStream", "UnaryStream", "StreamUnary", "StreamStream")
_ours = {}  # id of the core's channel -> the answer; each channel says it anew, so an id may come again


def apply(module):
    _channels(module.Channel)
    if module.__name__ == "grpc._channel":
        for kind in _KINDS:
            _calls(getattr(module, "_%sMultiCallable" % kind, None))


def _channels(channel):
    original = channel.__init__
    told = signature(original)

    @wraps(original)
    def init(self, *args, **kwargs):
        original(self, *args, **kwargs)
        try:
            known = id(self._channel)
            _ours[known] = False
            given = told.bind(self, *args, **kwargs).arguments
            _ours[known] = _is_ours(given["target"], given["credentials"])
        except Exception:
            pass

    channel.__init__ = init


def _is_ours(target, credentials):
    target = target.decode() if isinstance(target, bytes) else str(target)
    if not peer.is_near_target(target):
        return False
    kind = type(credentials).__name__
    if kind == "CompositeChannelCredentials":
        return _is_ours(target, credentials._channel_credentials)
    if kind == "SSLChannelCredentials":
        return peer.trusts_us(credentials._pem_root_certificates or _default_roots())
    return credentials is None or kind in ("InsecureChannelCredentials", "LocalChannelCredentials")


def _default_roots():
    path = os.environ.get("GRPC_DEFAULT_SSL_ROOTS_FILE_PATH")
    if not path:
        return b""
    with open(path, "rb") as file:
        return file.read()


def _calls(kind):
    for name in ("__call__", "with_call", "future"):
        if kind is not None and name in vars(kind):
            setattr(kind, name, _tagging(vars(kind)[name]))


def _tagging(original):
    at = list(signature(original).parameters).index("metadata") - 1

    @wraps(original)
    def call(self, *args, **kwargs):
        if len(args) > at:
            args = args[:at] + (with_tag(self._channel, args[at]),) + args[at + 1 :]
        else:
            kwargs["metadata"] = with_tag(self._channel, kwargs.get("metadata"))
        return original(self, *args, **kwargs)

    return call


def with_tag(channel, metadata):
    """`metadata`, with the tag where the core's `channel` leads to Retrial."""
    try:
        if not _ours.get(id(channel)):
            return metadata
        if not isinstance(metadata, list):  # a list stays one: gRPC words its errors by it
            metadata = () if metadata is None else tuple(metadata)
        if any(pair[0] == tag.SITE for pair in metadata):
            return metadata
        return metadata + type(metadata)(tag.headers())
    except Exception:
        return metadata
