"""urllib3-future, and with it niquests: a urllib3 that writes its requests itself, HTTP/1 and HTTP/2."""
from functools import wraps

from . import peer, tag

_marker = tag.SITE.encode()


def apply(module):
    backend = getattr(module, "HfaceBackend", None)
    if backend is not None:
        backend.endheaders = _tagging(backend.endheaders)
    backend = getattr(module, "AsyncHfaceBackend", None)
    if backend is not None:
        backend.endheaders = _tagging_async(backend.endheaders)


def _tagging(endheaders):
    @wraps(endheaders)
    def tagged(self, *args, **kwargs):
        if self.sock is None:
            self.connect()  # as `endheaders` does next: who the peer is decides
        _tag(self)
        return endheaders(self, *args, **kwargs)

    return tagged


def _tagging_async(endheaders):
    @wraps(endheaders)
    async def tagged(self, *args, **kwargs):
        if self.sock is None:
            await self.connect()
        _tag(self)
        return await endheaders(self, *args, **kwargs)

    return tagged


def _tag(connection):
    try:
        if any(name == _marker for name, _ in _headers(connection)):
            return
        sock = connection.sock
        tls = sock if connection.scheme == "https" else None
        if not peer.is_ours(getattr(sock, "_sock", sock) if tls is None else sock, tls):
            return
        for name, value in tag.headers():
            connection.putheader(name, value)
    except Exception:
        pass


def _headers(connection):
    """What it is about to send, which it keeps under a name of its class alone."""
    for name, value in vars(connection).items():
        if name.endswith("__headers") and isinstance(value, list):
            return value
    return ()
