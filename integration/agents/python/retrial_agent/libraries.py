"""The libraries that a request passes, by name and version as they were installed: "urllib3 2.8.0"; of the standard
library "Python 3.11.2 xmlrpc"."""
import os
import sys

from .application import plain, text_of
from .frames import absolute, installed_in, standard_module
from .wire import encode

_names = {}  # code -> the name of its library, None where it is none
_of_folder = {}  # (folder of installed packages, what lies in it) -> name


def name_of(code):
    """Encoded; None of what is no library."""
    try:
        return _names[code]
    except KeyError:
        pass
    file = absolute(code.co_filename)
    installed, within = installed_in(file)
    top = within.split(os.sep, 1)[0].removesuffix(".py")
    if installed and top:
        found = _of_folder.get((installed, top))
        if found is None:
            found = _of_folder[installed, top] = _installed_name(installed, top)
    else:
        module = standard_module(file)
        found = "Python %d.%d.%d %s" % (*sys.version_info[:3], module) if module else None
    found = _names[code] = encode(found, ",") if found else None
    return found


def is_standard(name):
    return name.startswith("Python%20")


def _installed_name(installed, top):
    """By the names of the folders that say what is installed; of a package of another name, by what they list."""
    try:
        infos = sorted(name for name in os.listdir(installed) if name.endswith((".dist-info", ".egg-info")))
    except OSError:
        return top
    for info in infos:
        project, version = _parts(info)
        if plain(project) == plain(top):
            return _shown(project, version)
    for info in infos:
        folder = os.path.join(installed, info)
        tops = text_of(folder, "top_level.txt").split() or text_of(folder, "RECORD").splitlines()
        if any(line == top or line.startswith((top + "/", top + ".py,")) for line in tops):
            return _shown(*_parts(info))
    return top


def _parts(info):
    project, _, rest = info.rsplit(".", 1)[0].partition("-")
    return project, rest.split("-", 1)[0]  # an egg's is followed by Python's version


def _shown(project, version):
    return ("%s %s" % (project, version)).strip()
