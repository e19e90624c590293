"""http.client, and with it urllib, urllib3, requests, botocore.

The tag goes into the connection's buffer as the head is closed: below every mock that replaces an
adapter or a connection, after any signing, and out of sight of the objects that the program keeps.
"""
import sys
from functools import wraps
from types import MethodType

from . import tag

_SOCKET_MOCKS = ("httpretty", "mocket", "pook")
_marker = tag.SITE.encode()


def apply(module):
    connection = module.HTTPConnection
    original = connection.endheaders

    @wraps(original)
    def endheaders(self, *args, **kwargs):
        if _is_wanted(self):
            for name, value in tag.headers():
                self._buffer.append(("%s: %s" % (name, value)).encode("ascii"))
        return original(self, *args, **kwargs)

    connection.endheaders = endheaders


def _is_wanted(connection):
    try:
        if connection.default_port == 443 or type(connection.send) is not MethodType:
            return False
        if "unix" in type(connection).__name__.lower():
            return False
        sock = connection.sock
        if sock is None:
            made_by = getattr(sys.modules["socket"].socket, "__module__", "") or ""
            if made_by.split(".")[0] in _SOCKET_MOCKS:
                return False
        elif not tag.on_the_wire(sock):
            return False
        lines = connection._buffer
        return bool(lines) and not any(line.lower().startswith(_marker) for line in lines)
    except Exception:
        return False
