"""What a frame is: application, library, runtime (hands work on without meaning anything by it),
an event loop's edge, ours, or a library's relay: what an interceptor of the application calls to
pass on the very call that it was asked about."""
import os
import sys

from .application import Application

APPLICATION, LIBRARY, RUNTIME, LOOP, AGENT, RELAY = range(6)

start_directory = os.getcwd()  # tests change directories; `file` is relative to where we began
_ours = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_standard = os.path.dirname(os.path.abspath(os.__file__)) + os.sep

_here = start_directory.rstrip(os.sep) + os.sep

_INSTALLED = ("site-packages", "dist-packages", "node_modules", ".venv", ".tox", ".nox", ".eggs")
_INSTALLED_PARTS = tuple(os.sep + name + os.sep for name in _INSTALLED)
_RUNTIME_STANDARD = ("asyncio", "concurrent", "threading.py", "multiprocessing", "contextvars.py")
_RUNTIME_INSTALLED = ("anyio", "sniffio", "trio", "uvloop")
_LOOPS = {  # below these lies whoever started the loop, not whoever made the call
    ("asyncio", "events.py"): ("_run",),
    ("asyncio", "runners.py"): ("run", "_run"),
    ("trio", "_run.py"): ("unrolled_run", "run"),
}
_RELAYS = {  # file, as it ends -> its function that an interceptor calls
    os.sep + os.path.join("grpc", "_interceptor.py"): "continuation",
    os.sep + os.path.join("grpc", "aio", "_interceptor.py"): "_run_interceptor",
}

_application = Application(start_directory)
_kinds = {}  # by identity: code objects of two files that say the same are equal
_files = {}


def kind(code):
    """The kind of a code object, kept for the life of the process."""
    return of_code(_kinds, code, _classify)


def of_code(known, code, find):
    """What was found of a code object; it is kept, so that no other takes its identity."""
    entry = known.get(id(code))
    if entry is None or entry[0] is not code:
        entry = known[id(code)] = (code, find(code))
    return entry[1]


def _classify(code):
    name = code.co_filename
    if name[:1] == "<":
        typed_in = name == "<stdin>" or (name == "<string>" and sys.argv[:1] == ["-c"])
        return APPLICATION if typed_in else LIBRARY
    file = absolute(name)
    if file.startswith(_ours):
        return AGENT
    parts = file.split(os.sep)
    for package in ("asyncio", "trio"):
        if package in parts and code.co_name in _LOOPS.get((package, parts[-1]), ()):
            if is_library(file):
                return LOOP
    if not is_library(file):
        return APPLICATION
    if any(part in file for part in _INSTALLED_PARTS) or installed_in(file)[0]:
        if any(file.endswith(end) and code.co_name == name for end, name in _RELAYS.items()):
            return RELAY
        after = _after_installed(file)
        return RUNTIME if after in _RUNTIME_INSTALLED else LIBRARY
    if file.startswith(_standard):
        first = file[len(_standard):].split(os.sep, 1)[0]
        return RUNTIME if first in _RUNTIME_STANDARD else LIBRARY
    return LIBRARY


def standard_module(file):
    """The top module of the standard library that a file is of, or ""."""
    if not file.startswith(_standard):
        return ""
    return file[len(_standard):].split(os.sep, 1)[0].removesuffix(".py")


def _after_installed(file):
    return installed_in(file)[1].split(os.sep, 1)[0]


def installed_in(file):
    """The folder of installed packages that a file lies in, and where in it."""
    for part in _INSTALLED_PARTS[:2]:
        if part in file:
            before, after = file.rsplit(part, 1)
            return before + part[:-1], after
    folder = _vendored(os.path.dirname(file))
    return (folder, file[len(folder) + 1:]) if folder else ("", "")


def _vendored(folder, known={}):
    """The folder below the working directory that packages were put into (pip install --target), if this lies in one."""
    if not folder.startswith(_here):
        return ""
    if folder not in known:
        try:
            holds = any(name.endswith(".dist-info") for name in os.listdir(folder))
        except OSError:
            holds = False
        known[folder] = folder if holds else _vendored(os.path.dirname(folder))
    return known[folder]


def _is_of_application(file):
    installed, within = installed_in(file)
    return bool(installed) and _application.owns(installed, within.split(os.sep, 1)[0])


def absolute(name):
    return name if os.path.isabs(name) else os.path.join(start_directory, name)


def is_library(file):
    """True for a file that is installed, standard, or a launcher such as bin/pytest. A file below
    the working directory is the application's, even of a package installed in editable mode; so is
    the package under test where it is installed."""
    file = absolute(file)
    if _is_of_application(file):
        return False
    if any(part in file for part in _INSTALLED_PARTS) or ".egg" + os.sep in file or installed_in(file)[0]:
        return True
    if file.startswith(_standard) or file.startswith("<"):
        return True
    return os.path.dirname(file) in _launchers()


def _launchers(cache=[]):
    if not cache:
        prefixes = {sys.prefix, sys.exec_prefix, sys.base_prefix, "/usr", "/usr/local"}
        prefixes.add(os.path.join(os.path.expanduser("~"), ".local"))
        cache.append({os.path.join(prefix, "bin") for prefix in prefixes})
    return cache[0]


def relative(name):
    """`name` relative to the working directory where it lies below it; of the application's own
    package where it is installed, relative to that place; else absolute."""
    try:
        return _files[name]
    except KeyError:
        pass
    result = file = os.path.normpath(absolute(name))
    if _is_of_application(file):
        result = _files[name] = installed_in(file)[1]
        return result
    for candidate in (file, os.path.realpath(file)):
        if candidate.startswith(_here):
            result = candidate[len(_here):]
            break
    _files[name] = result
    return result


def function(code):
    """The function's qualified name; a comprehension counts as the function it is in."""
    name = getattr(code, "co_qualname", code.co_name)
    while name.endswith(("<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>")):
        if "." not in name:
            return "<module>"
        name = name.rsplit(".", 1)[0]
        name = name[: -len(".<locals>")] if name.endswith(".<locals>") else name
    return "<anonymous>" if name.endswith("<lambda>") else name


_test_files = set()
_in_tests = {}  # code -> is it of a test file


def add_test_file(name):
    _test_files.add(relative(str(name)))
    _in_tests.clear()


def is_test(code):
    return of_code(_in_tests, code, lambda code: is_test_file(code.co_filename))


def is_test_file(name):
    """True for a file that the runner collected, or that is named or placed like a test."""
    if name[:1] == "<" or is_library(name):
        return False
    file = relative(name)
    if file in _test_files:
        return True
    folder, base = os.path.split(file)
    if base.startswith("test_") or base.endswith("_test.py") or base in ("conftest.py", "tests.py"):
        return True
    return not os.path.isabs(file) and bool({"test", "tests"} & set(folder.split(os.sep)))
