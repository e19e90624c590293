"""The tests that RETRIAL_ONLY asks for. One that is to be executed several times stands there as
often: by its id, and by `ID [again 2]`, which that execution goes by."""
import os
import re
from functools import lru_cache

_AGAIN = re.compile(r"(.*) \[again \d+\]", re.DOTALL)
_begun = {}  # of each test, how many of its executions


@lru_cache(maxsize=None)
def wanted():
    """The names of each test's executions, by its id; None: all tests are wanted, once each."""
    only = os.environ.get("RETRIAL_ONLY")
    if not only:
        return None
    executions = {}
    with open(only, encoding="utf-8") as lines:
        for name in lines.read().split("\n"):
            match = _AGAIN.fullmatch(name)
            executions.setdefault(match.group(1) if match else name, []).append(name)
    return executions


def begin(id):
    """The name of the execution of this test that begins now."""
    nth = _begun[id] = _begun.get(id, -1) + 1
    names = (wanted() or {}).get(id, ())
    return names[nth] if nth < len(names) else id
