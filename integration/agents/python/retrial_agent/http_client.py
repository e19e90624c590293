"""http.client, and with it urllib, urllib3, requests, botocore.

The tag joins the head as it is sent, behind its first line: below every mock that replaces an
adapter or a connection, after any signing, and out of sight of the objects that the program keeps.
"""
from functools import wraps
from types import MethodType

from . import peer, tag

_marker = tag.SITE.encode()


def apply(module):
    connection = module.HTTPConnection
    endheaders, send = connection.endheaders, connection.send

    @wraps(endheaders)
    def noting_endheaders(self, *args, **kwargs):
        self._retrial_head = _head(self)
        try:
            return endheaders(self, *args, **kwargs)
        finally:
            self._retrial_head = None

    @wraps(send)
    def tagging_send(self, data):
        head = getattr(self, "_retrial_head", None)
        if head is not None:
            self._retrial_head = None
            if self.sock is None and self.auto_open:
                self.connect()  # as `send` does next: who the peer is decides
            data = _tagged(self, head, data)
        return send(self, data)

    connection.endheaders, connection.send = noting_endheaders, tagging_send


def _head(connection):
    """The first line of the head that is about to be sent; None where no tag is wanted."""
    try:
        if type(connection.send) is not MethodType:
            return None
        lines = connection._buffer
        if not lines or any(line.lower().startswith(_marker) for line in lines):
            return None
        return lines[0] + b"\r\n"
    except Exception:
        return None


def _tagged(connection, head, data):
    try:
        sock = connection.sock
        tls = sock if hasattr(sock, "getpeercert") else None
        if tls is None and connection.default_port == 443:
            return data
        if not data.startswith(head) or not peer.is_ours(sock, tls):
            return data
        lines = "".join("%s: %s\r\n" % pair for pair in tag.headers())
        return head + lines.encode("ascii") + data[len(head):]
    except Exception:
        return data
