"""tox gives its commands an environment of its own. What Retrial has added to tox's, it adds to theirs too: no file has to
be changed for that."""
import os

_SEPARATORS = {"PYTHONPATH": ":", "PYTEST_PLUGINS": ",", "NODE_OPTIONS": " ", "LD_PRELOAD": " ", "GOFLAGS": " ", "JAVA_TOOL_OPTIONS": " "}


def apply(api):
    told = api.ToxEnv.environment_variables

    def environment_variables(self):
        result = told.fget(self)
        for name, value in _added().items():
            present = result.get(name, "")
            if not present:
                result[name] = value
            elif name in _SEPARATORS and value not in present:
                both = (value, present) if name == "PYTHONPATH" else (present, value)
                result[name] = _SEPARATORS[name].join(both)
            elif name.startswith("RETRIAL_"):
                result[name] = value
        return result

    api.ToxEnv.environment_variables = property(environment_variables, doc=told.__doc__)


def _added():
    from json import loads

    added = loads(os.environ.get("RETRIAL_ADDED", "{}"))
    return {**added, "RETRIAL_ADDED": os.environ["RETRIAL_ADDED"]} if added else {}
