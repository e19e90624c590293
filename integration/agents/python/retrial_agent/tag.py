"""The tag of a request: header names and values, ready for the wire."""
from . import current, events, site

SITE = "x-retrial-site"
_plain = frozenset(map(chr, range(0x21, 0x7F))) - {"%"}


def encode(text):
    """ASCII; anything else, and `%` and space, percent-encoded as UTF-8."""
    if _plain.issuperset(text):
        return text
    return "".join(
        c if c in _plain else "".join("%%%02X" % b for b in c.encode("utf-8", "surrogateescape"))
        for c in text
    )


def headers():
    """A list of (name, value). Empty where nothing is known, or something went wrong."""
    try:
        events.announce()
        where, call = site.place()
        id, phase = current.test()
        named = ((SITE, where), ("x-retrial-call", call), ("x-retrial-test", id))
        named += (("x-retrial-phase", phase), ("x-retrial-stack", ",".join(site.activations())))
        return [(name, encode(value)) for name, value in named if value]
    except Exception as error:
        _report_once(error)
        return []


_reported = []


def _report_once(error):
    if not _reported:
        _reported.append(True)
        events.failed("tag", error)
