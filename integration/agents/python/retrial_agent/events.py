"""Events: one JSON object a line, appended to $RETRIAL_EVENTS by one O_APPEND write."""
import os


def _writer():
    # Bound here, so that a test which replaces os.open or os.getpid does not reach us.
    path = os.environ.get("RETRIAL_EVENTS")
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
    os_open, os_write, os_close, os_getpid = os.open, os.write, os.close, os.getpid
    dumps = []

    def write(event):
        """Returns when the line is in the file. An error is swallowed: nobody could hear it."""
        if not path:
            return
        try:
            if not dumps:
                from json import dumps as json_dumps

                dumps.append(json_dumps)
            event["pid"] = os_getpid()
            fd = os_open(path, flags, 0o644)
            try:
                os_write(fd, (dumps[0](event) + "\n").encode("ascii"))
            finally:
                os_close(fd)
        except Exception:
            pass

    return write


write = _writer()
_announced = {}


def announce(runner=None):
    """Writes the `agent` event, once a process and runner: at a runner's start or at the first
    request, so that helpers such as pip stay silent."""
    import sys

    key = os.getpid()
    if key in _announced and (runner is None or _announced[key] == runner):
        return
    if not _announced:  # what is forked has it too
        import atexit

        atexit.register(_uncaught)
    _announced[key] = runner
    event = {"ev": "agent", "language": "python", "version": sys.version.split()[0]}
    if runner:
        event["runner"] = runner
    write(event)


def _uncaught():
    """At the end of a process that sent requests: what ended it, which the interpreter has kept."""
    import sys

    from . import chain

    value = getattr(sys, "last_value", None)
    if value is not None and os.getpid() in _announced:
        write({"ev": "uncaught", "chain": chain.of(value)})


def failed(part, error):
    """Says that a part of the agent could not be installed, or failed."""
    import sys

    write(
        {
            "ev": "agent",
            "language": "python",
            "version": sys.version.split()[0],
            "error": "%s: %s: %s" % (part, type(error).__name__, str(error)[:1000]),
        }
    )
