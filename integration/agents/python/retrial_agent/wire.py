"""How a value is written on the wire."""

_PLAIN = frozenset(map(chr, range(0x21, 0x7F))) - {"%"}


def encode(text, also=""):
    """ASCII; anything else, and `%`, space and the characters of `also`, percent-encoded as UTF-8."""
    if _PLAIN.issuperset(text) and not any(c in text for c in also):
        return text
    return "".join(
        c if c in _PLAIN and c not in also else "".join("%%%02X" % b for b in c.encode("utf-8", "surrogateescape"))
        for c in text
    )
