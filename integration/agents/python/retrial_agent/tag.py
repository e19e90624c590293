"""The tag of a request: header names and values, ready for the wire."""
from . import current, events, site
from .wire import encode

SITE = "x-retrial-site"

def headers():
    """A list of (name, value). Empty where nothing is known, or something went wrong."""
    try:
        events.announce()
        where, call, course = site.place()
        id, phase = current.test()
        named = ((SITE, where), ("x-retrial-call", call), ("x-retrial-test", id))
        named += (("x-retrial-phase", phase), ("x-retrial-stack", ",".join(course.activations)))
        if id and course.statement:
            named += (("x-retrial-statement", "%x" % course.statement),)
        out = [(name, encode(value)) for name, value in named if value]
        told = (("x-retrial-callers", course.callers), ("x-retrial-libraries", course.libraries))
        return out + [(name, ",".join(value)) for name, value in told if value and where]
    except Exception as error:
        _report_once(error)
        return []


_reported = []


def _report_once(error):
    if not _reported:
        _reported.append(True)
        events.failed("tag", error)
