"""Starts a sample's worker as a process of its own, and again where a signal has ended it, as an init system does."""
import subprocess
import sys

RESTARTS = 3


def start(port, *words):
    return subprocess.Popen([sys.executable, "-B", sys.argv[0], str(port), *words])


def keep(port, *words):
    """Until it ends by itself; its status."""
    for _ in range(RESTARTS):
        status = start(port, *words).wait()
        if status >= 0:
            return status
    return status


def called():
    """The port and words that this process was started with as a worker; none: it is the program itself."""
    return (int(sys.argv[1]), *sys.argv[2:]) if len(sys.argv) > 1 else None
