"""aiohttp's client: the writer that turns a request's head into bytes.

The server of aiohttp uses the same writer: a status line tells a response from a request.
"""
from functools import wraps

from . import peer, tag


def apply(module):
    writer = module.StreamWriter
    original = writer.write_headers

    @wraps(original)
    async def write_headers(self, status_line, headers):
        return await original(self, status_line, _tagged(self, status_line, headers))

    writer.write_headers = write_headers


def _tagged(writer, status_line, headers):
    try:
        if status_line.startswith("HTTP/") or tag.SITE in headers:
            return headers
        transport = writer.transport
        if transport is None:
            return headers
        known = transport.get_extra_info
        tls = known("ssl_object")
        if tls is None and known("sslcontext") is not None:
            return headers
        if not peer.is_ours(known("socket"), tls, known("peername")):
            return headers
        added = tag.headers()
        if not added:
            return headers
        result = headers.copy()
        result.extend(added)
        return result
    except Exception:
        return headers
