"""The test that is running, as the runner's hook knows it, and the phase it is in."""
import os
from time import perf_counter, sleep

from . import events

SHARED = "shared"
_open = []  # (id, phase), innermost last: a shared fixture interrupts a test's set-up
runner = None  # the hook that reports in this process: the first one; others keep silent


def claim(name):
    """True for the hook that may report: a suite that a test runs inside of itself must not."""
    global runner
    if runner is None:
        runner = name
        events.announce(name)
    return runner == name


def release():
    global runner
    runner = None


def _now():
    return round(perf_counter() * 1000, 1)


_rest_before = os.environ.get("RETRIAL_REST_BEFORE")  # a test


def _rest():
    """What is kept for a while only is no longer kept when the test begins."""
    global _rest_before
    _rest_before = None
    sleep(float(os.environ["RETRIAL_REST"]))


def start(id, phase):
    if id == _rest_before and phase != SHARED:
        _rest()
    _open.append((id, phase))
    events.write({"ev": "start", "id": id, "phase": phase, "at": _now()})


def end(id, phase):
    for index in range(len(_open) - 1, -1, -1):
        if _open[index] == (id, phase):
            del _open[index]
            break
    events.write({"ev": "end", "id": id, "phase": phase, "at": _now()})


def test():
    """(id, phase) for the tag. Shared set-up belongs to no single test: its id is left out."""
    if not _open:
        return None, None
    id, phase = _open[-1]
    return (None if phase == SHARED else id), phase
