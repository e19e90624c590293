"""Who reads what a connection carries: a tag is sent only where Retrial's proxy takes it out again.

TLS: the peer has shown a certificate of Retrial's own authority, so the proxy has opened it; what
stays a tunnel shows the service's own. Clear text: the peer's address is loopback or private, as
those of all connections that Retrial captures.
"""
import os
import socket as _socket_module  # imported by whoever sends a request already
from weakref import WeakKeyDictionary

from . import events

_MOCKED_BY = ("httpretty", "mocket", "pook")
_KEY_ID = b"\x06\x03\x55\x1d\x0e\x04\x16\x04\x14"  # subjectKeyIdentifier of 20 bytes, RFC 5280 4.2.1.2
_ISSUER = b"\x80\x14"  # keyIdentifier of the authorityKeyIdentifier, 4.2.1.1

_known = WeakKeyDictionary()  # socket -> the answer; asking costs a system call


def is_ours(sock, tls=None, name=None):
    """`tls`: what has getpeercert(), None for clear text. `name`: the peer's, if it is known."""
    key = sock if tls is None else tls
    try:
        return _known[key]
    except KeyError:
        answer = _known[key] = _ask(sock, tls, name)
        return answer
    except TypeError:  # no weak reference to it
        return _ask(sock, tls, name)


def _ask(sock, tls, name):
    if tls is not None:
        return _authority is not None and _authority in (tls.getpeercert(True) or b"")
    if getattr(sock, "family", None) not in (_socket_module.AF_INET, _socket_module.AF_INET6):
        return False  # a mock's, or a Unix domain socket
    if type(sock).__module__.split(".")[0] in _MOCKED_BY:
        return False
    return is_near((name or sock.getpeername())[0])


def is_near(address):
    """True for a loopback or private address, as the proxy has it (link-local is neither)."""
    address = address.lower()
    if address.startswith("::ffff:"):
        address = address[len("::ffff:"):]
    if ":" in address:
        return address == "::1" or address[:2] in ("fc", "fd") and address.find(":") == 4
    first, second = (int(part) for part in address.split(".")[:2])
    return (
        first in (10, 127)
        or (first == 192 and second == 168)
        or (first == 172 and 16 <= second < 32)
    )


def _issuer():
    """The bytes by which a leaf names the authority in $RETRIAL_CA (PEM), or None."""
    path = os.environ.get("RETRIAL_CA")
    if not path:
        return None
    try:
        from binascii import a2b_base64

        with open(path) as file:
            body = file.read().split("-----BEGIN CERTIFICATE-----", 1)[1].split("-----END", 1)[0]
        der = a2b_base64(body)
        at = der.index(_KEY_ID) + len(_KEY_ID)
        return _ISSUER + der[at : at + 20]
    except Exception as error:
        events.failed("RETRIAL_CA", error)
        return None


_authority = _issuer()  # now: a test may replace open, or the environment
