"""`pytest --retrial`: the same command line, put on trial by `retrial run`. Its options stand in pyproject.toml:

    [tool.retrial]
    options = ["--budget", "10m"]
"""
import os
import shutil
import sys
import sysconfig

import pytest


def pytest_addoption(parser):
    parser.getgroup("retrial").addoption("--retrial", action="store_true", help="put these tests on trial: retrial run -- pytest …")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    if not config.getoption("retrial") or "RETRIAL_EVENTS" in os.environ:  # within a run of Retrial, the tests themselves run
        return
    words = [str(word) for word in config.invocation_params.args if word != "--retrial"]
    command = [_binary(), "run", *_options(config.rootpath / "pyproject.toml"), "--", sys.executable, "-m", "pytest", *words]
    os.chdir(config.invocation_params.dir)
    sys.stdout.flush()
    os.execv(command[0], command)


def _binary():
    beside = os.path.join(sysconfig.get_path("scripts"), "retrial")
    found = beside if os.access(beside, os.X_OK) else shutil.which("retrial")
    if not found:
        raise pytest.UsageError("--retrial: the program retrial is not on PATH")
    return found


def _options(pyproject):
    if not pyproject.exists():
        return []
    try:
        import tomllib
    except ImportError:  # Python 3.10 and before, where pytest itself brings it
        import tomli as tomllib
    with open(pyproject, "rb") as file:
        options = tomllib.load(file).get("tool", {}).get("retrial", {}).get("options", [])
    if not isinstance(options, list) or not all(isinstance(word, str) for word in options):
        raise pytest.UsageError(f'{pyproject}: [tool.retrial] options: expected a list of words, such as ["--budget", "10m"]')
    return options
