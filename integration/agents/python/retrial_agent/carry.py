"""Carries the origin of work across threads, executors and asyncio tasks."""
from functools import wraps
from weakref import WeakKeyDictionary

from . import site

_to_a_loop = WeakKeyDictionary()  # coroutine -> Origin, from another thread


def apply(module):
    {
        "threading": _threads,
        "concurrent.futures.thread": _executors,
        "os": _processes,
        "multiprocessing.pool": _pools,
        "asyncio.base_events": _tasks,
        "asyncio.tasks": _threads_to_loops,
    }[module.__name__](module)


def _origin():
    try:
        return site.origin()
    except Exception:
        return None


class _Carried:
    """A function that runs under the origin it was handed over from."""

    def __init__(self, function, origin):
        self._function = function
        self._origin = origin

    def __call__(self, *args, **kwargs):
        return site.run_with(self._origin, self._function, args, kwargs)

    def __getattr__(self, name):
        return getattr(self._function, name)


def _carried(function):
    origin = _origin()
    return function if origin is None or not callable(function) else _Carried(function, origin)


def _threads(module):
    start, bootstrap = module.Thread.start, module.Thread._bootstrap

    @wraps(start)
    def carrying_start(self):
        self._retrial_origin = _origin()
        return start(self)

    @wraps(bootstrap)
    def carrying_bootstrap(self):
        site.run_with(getattr(self, "_retrial_origin", None), bootstrap, (self,), {})

    join = module.Thread.join

    @wraps(join)
    def carrying_join(self, timeout=None):
        join(self, timeout)
        if not self.is_alive():
            site.wait_for(getattr(self, "_retrial_origin", None))

    module.Thread.start = carrying_start
    module.Thread._bootstrap = carrying_bootstrap
    module.Thread.join = carrying_join


def _executors(module):
    submit = module.ThreadPoolExecutor.submit

    @wraps(submit)
    def carrying_submit(self, fn, *args, **kwargs):
        fn = _carried(fn)
        future = submit(self, fn, *args, **kwargs)
        if isinstance(fn, _Carried):
            future._retrial_origin = fn._origin
        return future

    module.ThreadPoolExecutor.submit = carrying_submit
    for name in ("result", "exception"):
        _waiting(module._base.Future, name)


def _waiting(future, name):
    original = getattr(future, name)

    @wraps(original)
    def method(self, timeout=None):
        try:
            return original(self, timeout)
        finally:
            if self.done():
                site.wait_for(getattr(self, "_retrial_origin", None))

    setattr(future, name, method)


def _processes(module):
    original = module.waitpid

    @wraps(original)
    def waitpid(*args):
        ended, status = original(*args)
        if ended and (module.WIFEXITED(status) or module.WIFSIGNALED(status)):
            site.wait_for_process(ended)
        return ended, status

    module.waitpid = waitpid


def _pools(module):
    """multiprocessing.pool.ThreadPool; a pool of processes would have to pickle our wrapper."""
    base, pool = module.Pool, module.ThreadPool

    def carrying(name):
        original = getattr(base, name)

        @wraps(original)
        def method(self, func, *args, **kwargs):
            return original(self, _carried(func), *args, **kwargs)

        return method

    for name in ("apply_async", "_map_async", "imap", "imap_unordered"):
        setattr(pool, name, carrying(name))


def _tasks(module):
    create_task = module.BaseEventLoop.create_task

    @wraps(create_task)
    def carrying_create_task(self, coro, **kwargs):
        origin = _handed_to_this_loop(coro) or _origin()
        task = create_task(self, coro, **kwargs)
        try:
            site.set_task(task, origin)
        except Exception:
            pass
        return task

    module.BaseEventLoop.create_task = carrying_create_task


def _handed_to_this_loop(coro):
    try:
        return _to_a_loop.pop(coro, None)
    except TypeError:  # a coroutine of an extension, which nothing refers to weakly
        return None


def _threads_to_loops(module):
    run = module.run_coroutine_threadsafe

    @wraps(run)
    def carrying_run_coroutine_threadsafe(coro, loop):
        origin = _origin()
        try:
            if origin is not None:
                _to_a_loop[coro] = origin
        except TypeError:
            pass
        return run(coro, loop)

    module.run_coroutine_threadsafe = carrying_run_coroutine_threadsafe
