"""Roots that a program names in its own code: beside each stands, from here on, what Retrial signs with
in its place (docs/certificates.md, "Authorities in code"). Nothing is taken away, and nothing else is trusted.
"""
import os
import re
from functools import wraps

from . import events

_FOLDER = os.environ.get("RETRIAL_TRUST")
_OWN = os.environ.get("RETRIAL_OWN", "").split()  # now: a test may change the environment
_MOST = 32  # a file with more roots that nobody else knows is a bundle of the whole world
_BLOCK = re.compile(rb"-----BEGIN (?:X509 )?CERTIFICATE-----(.*?)-----END", re.S)
_added = {}  # the base64 of a root -> the PEM that stands for it
_files = {}  # read once


def apply(module):
    {"ssl": _contexts, "grpc": _grpc, "requests.sessions": _requests}[module.__name__](module)


def beside(pem):
    """The PEM (bytes) of what stands for the roots in this one; empty where there is nothing to add."""
    if not _FOLDER:
        return b""
    roots = {b"".join(block.split()) for block in _BLOCK.findall(pem)}
    known = b"".join(_read("known.pem").split())
    ours = b"".join(_BLOCK.search(_read("ca.pem")).group(1).split())
    fresh = [root for root in roots if root not in known and root not in _added]
    if not roots or ours in roots or len(fresh) > _MOST:
        return b""
    for root in fresh:
        _added[root] = _stand_in(root)
    found = {_added[root] if root in _added else _read("ca.pem") for root in roots}
    return b"".join(found)


def _stand_in(root):
    """The first that nobody has chosen, or that was chosen for this very root. A root comes to its place whole."""
    folder = os.path.join(_FOLDER, "stand-ins")
    blocks = _BLOCK.findall(_read("stand-ins/all.pem"))
    draft = os.path.join(folder, "draft-%d-%d" % (os.getpid(), id(root)))
    with open(draft, "wb") as file:
        file.write(_pem(root))
    try:
        for n, block in enumerate(blocks):
            place = os.path.join(folder, "%02d.pem" % n)
            try:
                os.link(draft, place)
            except FileExistsError:
                with open(place, "rb") as file:
                    if file.read() != _pem(root):
                        continue
            return _pem(b"".join(block.split()))
        return b""
    finally:
        os.unlink(draft)


def _pem(base64):
    lines = [base64[at : at + 64] for at in range(0, len(base64), 64)]
    return b"\n".join([b"-----BEGIN CERTIFICATE-----", *lines, b"-----END CERTIFICATE-----", b""])


def _read(name):
    if name not in _files:
        with open(os.path.join(_FOLDER, name), "rb") as file:
            _files[name] = file.read()
    return _files[name]


def _say():
    """Retrial takes it from here on that this process may be right where it refuses a certificate."""
    file = os.path.join(_FOLDER, "stand-ins", "process-%d" % os.getpid())
    os.close(os.open(file, os.O_WRONLY | os.O_CREAT, 0o600))


def _contexts(ssl):
    if not _FOLDER:
        return
    _say()
    os.register_at_fork(after_in_child=_say)
    load = ssl.SSLContext.load_verify_locations

    @wraps(load)
    def load_verify_locations(self, cafile=None, capath=None, cadata=None):
        result = load(self, cafile, capath, cadata)  # what it raises, it raises as before
        try:
            if self.protocol != ssl.PROTOCOL_TLS_SERVER:
                more = beside(_all_of(ssl, cafile, capath, cadata))
                if more:
                    load(self, cadata=more.decode("ascii"))
        except Exception as error:
            events.failed("trust", error)
        return result

    ssl.SSLContext.load_verify_locations = load_verify_locations


def _all_of(ssl, cafile, capath, cadata):
    files = [cafile] if cafile else []
    if capath:
        files += [os.path.join(capath, name) for name in os.listdir(capath)]
    parts = []
    for name in files:
        if os.path.isfile(name):
            with open(name, "rb") as file:
                parts.append(file.read())
    if isinstance(cadata, str):
        parts.append(cadata.encode("ascii"))
    elif cadata:
        parts.append(_from_der(ssl, bytes(cadata)))
    return b"\n".join(parts)


def _from_der(ssl, data):
    """Certificates in DER, one behind the other: each a SEQUENCE whose length is two bytes long."""
    parts = []
    while data[:2] == b"\x30\x82":
        end = 4 + int.from_bytes(data[2:4], "big")
        parts.append(ssl.DER_cert_to_PEM_cert(data[:end]).encode("ascii"))
        data = data[end:]
    return b"".join(parts)


def _grpc(grpc):
    make = grpc.ssl_channel_credentials

    @wraps(make)
    def ssl_channel_credentials(root_certificates=None, *args, **kwargs):
        try:
            if root_certificates:
                root_certificates += beside(root_certificates)
        except Exception as error:
            events.failed("trust", error)
        return make(root_certificates, *args, **kwargs)

    grpc.ssl_channel_credentials = ssl_channel_credentials


def _requests(sessions):
    """requests lets REQUESTS_CA_BUNDLE and CURL_CA_BUNDLE win over what a session says. Where we have set them, and
    not the user, they are as if they were not there: the hook above does for requests what they do for others."""
    merge = sessions.Session.merge_environment_settings

    @wraps(merge)
    def merge_environment_settings(self, url, proxies, stream, verify, cert):
        settings = merge(self, url, proxies, stream, verify, cert)
        try:
            named = os.environ.get("REQUESTS_CA_BUNDLE") or os.environ.get("CURL_CA_BUNDLE")
            variable = "REQUESTS_CA_BUNDLE" if os.environ.get("REQUESTS_CA_BUNDLE") else "CURL_CA_BUNDLE"
            ours = variable in _OWN and os.path.dirname(named) == _FOLDER
            if verify in (None, True) and ours and settings["verify"] == named:
                settings["verify"] = self.verify if verify is None else verify
        except Exception as error:
            events.failed("trust", error)
        return settings

    sessions.Session.merge_environment_settings = merge_environment_settings
