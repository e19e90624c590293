"""Loaded by Python at start-up (PYTHONPATH=<this directory>): starts the Retrial agent where
RETRIAL_EVENTS is set, then runs the sitecustomize that this file hides."""
import os
import sys


def _run_hidden_sitecustomize(here):
    from importlib.machinery import PathFinder, ModuleSpec  # frozen: no file is read

    others = [p for p in sys.path if os.path.abspath(p or ".") != here]
    spec = PathFinder.find_spec("sitecustomize", others)
    if not isinstance(spec, ModuleSpec) or spec.loader is None:
        return
    from importlib.util import module_from_spec

    ours = sys.modules.get("sitecustomize")
    hidden = module_from_spec(spec)
    sys.modules["sitecustomize"] = hidden
    try:
        spec.loader.exec_module(hidden)  # what it raises, `site` reports as it would have
    except BaseException:
        sys.modules["sitecustomize"] = ours
        raise


_here = os.path.dirname(os.path.abspath(__file__))
if os.environ.get("RETRIAL_EVENTS"):
    try:
        import retrial_agent

        retrial_agent.start()
    except Exception:  # an agent never fails the program it is in
        pass
_run_hidden_sitecustomize(_here)
