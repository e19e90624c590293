"""A failure as the contract's chain: every exception, outermost first, and how each hangs on the
one before."""
import builtins
import errno
import os

from . import frames

MOST_EXCEPTIONS = 16
MOST_CHARACTERS = 4000
_CODES = ("code", "status_code", "status", "http_status")
_RUNNER_PARTS = tuple(os.sep + p + os.sep for p in ("unittest", "_pytest", "pluggy"))
_RUNNER_TYPES = ("_pytest.outcomes.", "_pytest.subtests.")


def of(exception):
    """The chain of an exception; empty for None."""
    out = []
    _add(exception, "raised", out, set())
    return out


def _add(exception, link, out, seen):
    while exception is not None and id(exception) not in seen and len(out) < MOST_EXCEPTIONS:
        seen.add(id(exception))
        out.append(_entry(exception, link))
        for member in getattr(exception, "exceptions", None) or ():
            if isinstance(member, BaseException):
                _add(member, "member", out, seen)
        if exception.__cause__ is not None:
            exception, link = exception.__cause__, "cause"
        elif exception.__context__ is not None and not exception.__suppress_context__:
            exception, link = exception.__context__, "context"
        else:
            return


def _entry(exception, link):
    kind = type(exception)
    entry = {"type": _module(kind) + "." + kind.__qualname__, "msg": _message(exception)}
    code = _code(exception)
    if code is not None:
        entry["code"] = code
    entry["link"] = link
    places = _places(exception.__traceback__)
    in_test = _in_test(exception, places)
    if places:
        code, line = (in_test or places)[-1]
        entry["file"] = frames.relative(code.co_filename)
        entry["line"] = line
        entry["function"] = frames.function(code)
    entry["in_test"] = bool(in_test) or entry["type"].startswith(_RUNNER_TYPES)
    return entry


def _module(kind):
    """Where a type is from. One of pytest's that says it is a builtin has the module of what it derives from."""
    told = kind.__module__
    if told == "builtins" and getattr(builtins, kind.__qualname__, None) is not kind:
        return next((base.__module__ for base in kind.__mro__ if base.__module__ != told), told)
    return told


def _message(exception):
    try:
        return str(exception)[:MOST_CHARACTERS]
    except Exception:
        return "<unprintable>"


def _code(exception):
    """A service's own code, a code or status that it holds, or the name of errno; as text."""
    try:
        response = getattr(exception, "response", None)
        if isinstance(response, dict):  # botocore's ClientError
            return str(response["Error"]["Code"])
        for holder in (exception, response):
            for name in _CODES:
                code = getattr(holder, name, None)
                if isinstance(code, (str, int)) and not isinstance(code, bool):
                    return str(code)
        if isinstance(exception, OSError) and isinstance(exception.errno, int):
            return errno.errorcode.get(exception.errno)
    except Exception:
        pass
    return None


def _places(traceback):
    """(code, line) of each frame that is no runtime internal, outermost first."""
    places = []
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename[:1] != "<" and frames.kind(code) != frames.AGENT:
            places.append((code, traceback.tb_lineno))
        traceback = traceback.tb_next
    return places


def _in_test(exception, places):
    """The places down to the line of a test that it comes from; none where it comes from elsewhere."""
    own = list(places)
    while own and _is_of_runner(own[-1]):
        own.pop()
    if isinstance(exception, AssertionError):  # an assertion library fails for its caller
        while own and frames.is_library(own[-1][0].co_filename):
            own.pop()
    return own if own and frames.is_test_file(own[-1][0].co_filename) else []


def _is_of_runner(place):
    file = place[0].co_filename
    return frames.is_library(file) and any(part in file for part in _RUNNER_PARTS)
