"""Where a call comes from: the first application frame, across threads, executors and tasks.

A stack is walked from the inside out. Its first application frame is the call site, and the
library frame just inside of that one is the entry that the call id names. An application function
that a library calls back (tenacity, say) and that calls a library itself is so a call site of its
own, and each of its runs a call of its own. Not so an interceptor that passes on the call that it
was asked about (a relay): it is part of that call, however often it does so.

Where the stack holds no application frame before its end (a thread's, a task's, the event loop's),
the work was handed over: by the application through the runtime alone (`gather(client.get(u))`,
`pool.map(requests.get, urls)`), when the entry is the outermost library frame of this stack; or by
a library within an entry, which then goes on here, as long as that entry has not returned. After
that the entry cannot be told, and the call id is left out.
"""
import os
import sys
import weakref
from binascii import crc32
from _thread import _local

from . import call, libraries
from .frames import APPLICATION, LIBRARY, LOOP, RELAY, function, is_test, kind, relative
from .wire import encode

_MOST = 16  # activations that are told, the innermost
_FRAMES = 8  # of a chain, the innermost
_BYTES = 1024  # of callers, as they are sent
_LIBRARIES = 6  # that are told, the innermost
_GENERATORS = 0x20 | 0x200  # CO_GENERATOR, CO_ASYNC_GENERATOR: one frame serves many entries


class Origin:
    """Who handed work over: the call site, and the entry it belongs to (`entry` is a weak
    reference to its mark), or `direct` where no library stood between; and its course. `chain`:
    the frames that go on behind those of the work's own stack, the site itself the first. `waited`:
    once the work has ended, the strand that it was and those that it had waited for."""

    __slots__ = ("site", "entry", "direct", "course", "chain", "waited")

    def __init__(self, site, entry, direct, course, chain):
        self.waited = ()
        self.site = site
        self.entry = entry
        self.direct = direct
        self.course = course
        self.chain = chain


class Course:
    """What a request comes through. `callers`: the application's functions that called its call
    site, the nearest first, "file:line:function", encoded. `activations`: which runs of which
    functions, the outermost first: "run:place" of each application frame, and of the outermost
    library function called from it; `place` is a hash of file, line and function; "/number" before those of work that
    was handed over: a strand; "+number" and "+@process" of what has been waited for. `libraries`:
    "run:name" of the first function that runs of each library, the outermost first; of one that is entered again by
    another that it has called once more. `statement`: a hash
    of where the test's outermost function stands, or 0."""

    __slots__ = ("callers", "activations", "libraries", "statement")

    def __init__(self, callers, activations, libraries, statement):
        self.callers = callers
        self.activations = activations
        self.libraries = libraries
        self.statement = statement


_NOTHING = Course((), (), (), 0)
_tasks = weakref.WeakKeyDictionary()  # asyncio task -> Origin
_thread = _local()  # .origin of the work that this thread does; .waited: what that has waited for
_WAITED = 8  # the latest
_causes = "RETRIAL_CAUSES" in os.environ


def place():
    """(call site, call id, course) of the request that is being written; the first two may be None."""
    task = _current_task()
    frame, entry = _walk(sys._getframe(1), task)
    course = _course(sys._getframe(1), task, frame)
    if frame is not None:
        return _text(frame), call.mark(entry).id if entry is not None else call.once(), course
    origin = _carried(task)
    if origin is None:
        return None, None, course
    if origin.direct:
        return origin.site, call.mark(entry).id if entry is not None else None, course
    mark = origin.entry() if origin.entry is not None else None
    return origin.site, mark.id if mark is not None else None, course


def _course(frame, task, site):
    """The course of what runs in `frame`, whose call site is the frame `site` (None: it was carried here)."""
    edge = _task_frame(task)
    carried = _carried(task)
    before = carried.course if carried is not None else _NOTHING
    statement = _statement(frame, edge) or before.statement
    entry, runs, passed, names = None, [], [], []
    while frame is not None and len(runs) < _MOST:
        code = frame.f_code
        what = kind(code)
        if what == APPLICATION:
            if entry is not None:
                names += _named(passed, entry)
                runs.append(_run(entry))
                entry, passed = None, []
            runs.append(_run(frame))
        elif what == LOOP:
            break
        elif what in (LIBRARY, RELAY) and not code.co_flags & _GENERATORS:
            entry = frame
            _pass(passed, libraries.name_of(code), frame)
        if frame is edge:
            break
        frame = frame.f_back
    if entry is not None and carried is not None:
        names += _named(passed, entry)
    callers = before.callers if site is None else _callers(site, edge, carried)
    runs.reverse()
    names.reverse()
    activations = (before.activations + tuple(runs) + getattr(_thread, "waited", ()))[-_MOST:]
    return Course(callers, activations, (before.libraries + tuple(names))[-_LIBRARIES:], statement)


def _statement(frame, edge):
    """Where the outermost function of a test's file stands, as a hash; 0 where none runs."""
    outermost = None
    while frame is not None:
        if is_test(frame.f_code):
            outermost = frame
        frame = frame.f_back if frame is not edge else None
    return _hash(outermost) if outermost is not None else 0


def _pass(passed, name, frame):
    """Adds a frame that lies further out: of a library that is entered anew, by another that it has called, once more."""
    if passed and passed[-1][0] == name:
        passed[-1][1] = frame
    else:
        passed.append([name, frame])


def _named(passed, entry):
    """Of each entry into a library its outermost frame, the innermost first. The standard library counts where it was
    entered: the rest of it sends what it is given."""
    named = []
    for name, frame in passed:
        if name and (frame is entry or not libraries.is_standard(name)):
            _pass(named, name, frame)
    return ["%d:%s" % (call.mark(frame).number, name) for name, frame in named]


def _callers(frame, edge, carried):
    """Who called the site's frame, up to the test. A function stands once, however often it calls itself."""
    known, callers, size = {_name(frame)}, [], 0
    while not is_test(frame.f_code):
        frame = frame.f_back if frame is not edge else None
        while frame is not None:
            what = kind(frame.f_code)
            if what == APPLICATION and _name(frame) not in known:
                break
            frame = frame.f_back if what != LOOP and frame is not edge else None
        if frame is None:
            beyond = carried.chain if carried is not None else ()
            return tuple(callers) + beyond[: _FRAMES - 1 - len(callers)]
        known.add(_name(frame))
        if is_test(frame.f_code):
            break
        text = _encoded(frame)
        size += len(text) + 1
        if size > _BYTES or len(callers) == _FRAMES - 1:
            break
        callers.append(text)
    return tuple(callers)


def _run(frame):
    return "%d:%08x" % (call.mark(frame).number, _hash(frame))


def _hash(frame):
    return _known(frame)[0]


def _encoded(frame):
    return _known(frame)[1]


def _name(frame):
    return _known(frame)[2]


def _known(frame, known={}):
    code = frame.f_code
    key = id(code), frame.f_lineno
    found = known.get(key)
    if found is None or found[3] is not code:
        if len(known) > 4096:
            known.clear()
        text = _text(frame)
        found = known[key] = (
            crc32(text.encode("utf-8", "surrogateescape")),
            encode(text, ","),
            (code.co_filename, function(code)),
            code,  # by identity: two of two files that say the same are equal
        )
    return found


def origin():
    """The origin of work that is being handed over now, a strand of its own, or None where it cannot be told."""
    handed = _handed()
    if handed is None:
        return None
    course = handed.course
    course = Course(course.callers, course.activations + ("/%d" % call.number(),), course.libraries, course.statement)
    return Origin(handed.site, handed.entry, handed.direct, course, handed.chain)


def _handed():
    task = _current_task()
    frame, entry = _walk(sys._getframe(1), task)
    if frame is None:
        carried = _carried(task)
        if carried is not None and carried.direct and entry is not None:
            course = _course(sys._getframe(1), task, None)
            return Origin(carried.site, weakref.ref(call.mark(entry)), False, course, carried.chain)
        return carried
    course = _course(sys._getframe(1), task, frame)
    chain = () if is_test(frame.f_code) else (_encoded(frame),) + course.callers
    if entry is None:
        return Origin(_text(frame), None, True, course, chain)
    return Origin(_text(frame), weakref.ref(call.mark(entry)), False, course, chain)


def set_task(task, value):
    if value is not None:
        _tasks[task] = value


def entry_of(task):
    """The mark of the entry that a task works for, or None. Whoever holds it, keeps its id."""
    try:
        return _tasks[task].entry()
    except (KeyError, TypeError):
        return None


def run_with(value, function_, args, kwargs):
    """Runs work in this thread under the origin of whoever handed it over."""
    before, waited = getattr(_thread, "origin", None), getattr(_thread, "waited", ())
    _thread.origin, _thread.waited = value, ()
    try:
        return function_(*args, **kwargs)
    finally:
        if value is not None:
            value.waited = _thread.waited + tuple("+" + a[1:] for a in value.course.activations[-1:] if a[0] == "/")
        _thread.origin, _thread.waited = before, waited
        wait_for(value)


def wait_for(origin):
    """The work of that origin has ended, and this thread goes on."""
    if origin is not None:
        _wait(origin.waited)


def wait_for_process(pid):
    _wait(("+@%d" % pid,))


def _wait(more):
    if _causes and more:
        before = tuple(w for w in getattr(_thread, "waited", ()) if w not in more)
        _thread.waited = (before + more)[-_WAITED:]


def _walk(frame, task):
    """The innermost application frame, or None; and the outermost library frame inside of it."""
    edge = _task_frame(task)
    entry = None
    relay = None  # the file whose frame ends the part of the stack that is an interceptor's
    passed = None  # what the innermost interceptor would be, were it not for the relay
    while frame is not None:
        code = frame.f_code
        what = kind(code)
        if relay is not None and code.co_filename == relay:
            relay = passed = None
        if what == APPLICATION:
            if relay is None:
                return frame, entry
            passed = passed or (frame, entry)
        elif what == LOOP:
            break
        elif what == RELAY:
            relay = code.co_filename
            entry = frame
        elif what == LIBRARY and not code.co_flags & _GENERATORS:
            entry = frame
        if frame is edge:
            break
        frame = frame.f_back
    return passed or (None, entry)


def _carried(task):
    if task is not None:
        return _tasks.get(task)
    return getattr(_thread, "origin", None)


def _current_task():
    tasks = sys.modules.get("asyncio.tasks")
    if tasks is None:
        return None
    try:
        return tasks.current_task()
    except (RuntimeError, AttributeError):  # no loop runs in this thread
        return None


def _task_frame(task):
    coroutine = task.get_coro() if task is not None else None
    return getattr(coroutine, "cr_frame", None)


def _text(frame):
    code = frame.f_code
    return "%s:%d:%s" % (relative(code.co_filename), frame.f_lineno or 0, function(code))
