"""Runs a hook right after the module that it changes was executed."""
import sys

_hooks = {}  # module name -> names of the modules of ours with apply(module), blanks between them


def install(hooks):
    _hooks.update(hooks)
    for name in list(hooks):
        if name in sys.modules:
            _apply(name, sys.modules[name])
    sys.meta_path.insert(0, _Finder())


def _apply(name, module):
    from importlib import import_module

    for hook in _hooks[name].split():
        try:
            import_module("retrial_agent." + hook).apply(module)
        except Exception as error:
            from . import events

            events.failed(hook + " (" + name + ")", error)


class _Finder:
    """Asks the other finders, and wraps exec_module of the one loader instance found.

    The instance's own attribute is set, and taken away again before the module runs: the module's
    __loader__ stays what it was. Asked twice (`python -m unittest` does so), it wraps twice.
    """

    def find_spec(self, name, path=None, target=None):
        if name not in _hooks:
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                _wrap(name, spec.loader)
                return spec
        return None


def _wrap(name, loader):
    original = getattr(loader, "exec_module", None)
    if original is None or isinstance(loader, type):
        return

    def exec_module(module):
        try:
            del loader.exec_module
        except AttributeError:
            pass
        original(module)
        _apply(name, module)

    loader.exec_module = exec_module
