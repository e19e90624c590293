"""httpcore, sync and async, HTTP/1 and HTTP/2, and with it httpx.

The request that is written is a copy: the one that the program sees keeps its headers.
"""
from copy import copy
from functools import wraps

from . import peer, tag

_marker = tag.SITE.encode()


def apply(module):
    for name in ("HTTP11Connection", "AsyncHTTP11Connection", "HTTP2Connection", "AsyncHTTP2Connection"):
        connection = getattr(module, name, None)
        if connection is None:
            continue
        original = connection._send_request_headers
        if name.startswith("Async"):

            @wraps(original)
            async def send(self, request, *args, _original=original, **kwargs):
                return await _original(self, _tagged(self, request), *args, **kwargs)

        else:

            @wraps(original)
            def send(self, request, *args, _original=original, **kwargs):
                return _original(self, _tagged(self, request), *args, **kwargs)

        connection._send_request_headers = send


def _tagged(connection, request):
    try:
        if any(name.lower() == _marker for name, _ in request.headers):
            return request
        stream = connection._network_stream
        tls = stream.get_extra_info("ssl_object")
        if tls is None and request.url.scheme != b"http":
            return request
        if not peer.is_ours(stream.get_extra_info("socket"), tls):
            return request
        added = [(name.encode(), value.encode()) for name, value in tag.headers()]
        if not added:
            return request
        result = copy(request)
        result.headers = list(request.headers) + added
        return result
    except Exception:
        return request
