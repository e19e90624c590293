"""Who reads what a connection carries: a tag is sent only where Retrial's proxy takes it out again.

TLS: the peer has shown a certificate of Retrial's own authority, so the proxy has opened it; what
stays a tunnel shows the service's own. Clear text: the peer's address is loopback or private, as
those of all connections that Retrial captures. Of a client that shows its connections to nobody
(gRPC's core), its target and the roots that it trusts decide.
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
        shown = tls.getpeercert(True) if _authorities else None
        return bool(shown) and any(issuer in shown for issuer in _authorities)
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


# Names that are no outside host's: RFC 6761, 6762, 8375, ICANN's `internal`, a cluster's services.
_NEAR_NAMES = ("localhost", "local", "internal", "test", "home.arpa", "svc")


def is_near_target(target):
    """True for a gRPC target all of whose hosts are near, without asking a name server: addresses,
    and names that stand for no outside host, as those of one word (a service of Compose) do."""
    scheme, colon, rest = target.partition(":")
    if colon and scheme in ("dns", "ipv4", "ipv6"):
        target = rest[2:].partition("/")[2] if rest.startswith("//") else rest
    elif "/" in target or scheme in ("unix", "unix-abstract", "vsock"):
        return False
    hosts = [_host(part) for part in target.split(",")]
    return all(_is_near_host(host) for host in hosts)


def _host(part):
    if part.startswith("["):
        return part[1:].partition("]")[0]
    return part if part.count(":") > 1 else part.partition(":")[0]


def _is_near_host(host):
    if ":" in host or host.replace(".", "").isdigit():
        return is_near(host)
    name = host.lower().rstrip(".")
    return bool(name) and ("." not in name or name.endswith(tuple("." + n for n in _NEAR_NAMES)))


def trusts_us(roots):
    """Whether one of our authorities stands in this PEM."""
    from binascii import a2b_base64

    keys = [_KEY_ID + issuer[len(_ISSUER):] for issuer in _authorities]
    for part in roots.split(b"-----BEGIN CERTIFICATE-----")[1:] if keys else ():
        der = a2b_base64(part.partition(b"-----END")[0])
        if any(key in der for key in keys):
            return True
    return False


def _issuers():
    """The bytes by which leaves name the authorities in $RETRIAL_CA (PEM)."""
    path = os.environ.get("RETRIAL_CA")
    if not path:
        return []
    try:
        from binascii import a2b_base64

        with open(path) as file:
            parts = file.read().split("-----BEGIN CERTIFICATE-----")[1:]
        if not parts:
            raise ValueError("no certificate")
        found = []
        for part in parts:
            der = a2b_base64(part.split("-----END", 1)[0])
            at = der.index(_KEY_ID) + len(_KEY_ID)
            found.append(_ISSUER + der[at : at + 20])
        return found
    except Exception as error:
        events.failed("RETRIAL_CA", error)
        return []


_authorities = _issuers()  # now: a test may replace open, or the environment
