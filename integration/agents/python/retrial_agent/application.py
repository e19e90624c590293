"""Which installed packages are the application: the project under test, where its tests run against the copy in
site-packages. Its name is what the user says (RETRIAL_APPLICATION), else what the project's own files say."""
import os
import re

from . import events

_NAME = re.compile(r"""^\s*name\s*=\s*["']?([A-Za-z0-9][\w.\-]*)["']?\s*,?\s*$""", re.MULTILINE)
_IN_SETUP_PY = re.compile(r"""\bname\s*=\s*["']([A-Za-z0-9][\w.\-]*)["']""")
_FILES = {  # file -> how the part that holds the name begins, and the name in it
    "pyproject.toml": (re.compile(r"^\[(?:project|tool\.poetry)\]\s*$", re.MULTILINE), _NAME),
    "setup.cfg": (re.compile(r"^\[metadata\]\s*$", re.MULTILINE), _NAME),
    "setup.py": (re.compile(r"\bsetup\("), _IN_SETUP_PY),
    "PKG-INFO": (re.compile(r"^Name:", re.MULTILINE), re.compile(r":\s*([\w.\-]+)")),
}
_MOST = 1 << 20  # bytes of such a file that are read
_PARENTS = 4  # tests run in the project's folder, or a little below it


def plain(name):
    return re.sub(r"[-_.]+", "_", name).lower()


def text_of(*path):
    try:
        with open(os.path.join(*path), encoding="utf-8", errors="replace") as file:
            return file.read(_MOST)
    except OSError:
        return ""


def _name_in(folder):
    for file, (begins, name) in _FILES.items():
        text = text_of(folder, file)
        part = begins.search(text)
        if not part:
            continue
        text = text[part.start() if file == "PKG-INFO" else part.end():]
        end = re.search(r"^\[", text, re.MULTILINE) if file != "setup.py" else None
        found = name.search(text[: end.start()] if end else text)
        if found:
            return found.group(1)
    return ""


def _names(folder):
    said = os.environ.get("RETRIAL_APPLICATION")
    if said:
        return {plain(name) for name in said.split(",")}
    for _ in range(_PARENTS):
        name = _name_in(folder)
        if name:
            return {plain(name)}
        parent = os.path.dirname(folder)
        if parent == folder or os.path.isdir(os.path.join(folder, ".git")):
            break
        folder = parent
    return set()


class Application:
    def __init__(self, folder):
        self._folder = folder
        self._known = None  # names, once somebody asks
        self._told = set()
        self._tops = {}  # a folder of installed packages -> what in it is the application's

    def owns(self, installed, top):
        """Is `top` (a package's folder, or a module's file) of `installed`, a folder that packages are installed in,
        the application's?"""
        if self._known is None:
            self._known = _names(self._folder)
        if not self._known:
            return False
        if installed not in self._tops:
            self._tops[installed] = self._tops_of(installed)
        name = top.removesuffix(".py")
        if name not in self._tops[installed]:
            return False
        if name not in self._told:
            self._told.add(name)
            events.write({"ev": "application", "package": name})
        return True

    def _tops_of(self, installed):
        tops = set()
        for name in os.listdir(installed):
            project, dash, rest = name.partition("-")
            if name.endswith((".dist-info", ".egg-info")):
                if plain(project.removesuffix(".egg-info")) in self._known:
                    tops.update(self._modules(os.path.join(installed, name)))
            elif plain(name.removesuffix(".py")) in self._known:
                tops.add(name.removesuffix(".py"))
        return tops

    @staticmethod
    def _modules(info):
        said = text_of(info, "top_level.txt").split()
        if said:
            return said
        firsts = {line.split("/", 1)[0].split(",", 1)[0] for line in text_of(info, "RECORD").splitlines()}
        return {first.removesuffix(".py") for first in firsts if first.isidentifier() or first.endswith(".py")}
