"""x-retrial-statement, as all agents' tests have it."""


def at(file, line, function="<anonymous>"):
    """FNV-1a of the place."""
    value = 0xCBF29CE484222325
    for byte in f"{file}:{line}:{function}".encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return value


def by_path(tags):
    """Of each path that was asked for, one a request."""
    found = {}
    for tag in tags:
        found.setdefault(tag["path"], []).append(int(tag["statement"], 16) if "statement" in tag else None)
    return found
