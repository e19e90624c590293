"""Completion as it is typed: each shell at a terminal of its own, and the tab key. In place of Retrial stands a program that tells what
it was called with, so that what a line had become is seen."""
import contextlib
import os
import pty
import select
import shutil
import signal
import threading

import pytest

from conftest import retrial

# How each is started without its user's files, and what it is told first.
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source {script}"),
    "zsh": (["zsh", "-f", "-i"], "autoload -Uz compinit; compinit -D -u; source {script}"),
    "fish": (["fish", "--no-config", "-i"], "source {script}"),
}
PATIENCE = 60


class Shell:
    def __init__(self, name, folder):
        script, self.called = folder / f"completion.{name}", folder / "called"
        script.write_text(retrial("completion", name, cwd=folder).stdout)
        os.mkfifo(self.called)
        self.calls = os.open(self.called, os.O_RDWR)  # both ends: no end of file between two calls
        programs = folder / "programs"
        programs.mkdir()
        for program in ("retrial", "of-the-users-own"):
            (programs / program).write_text(f'#!/bin/sh\necho "$*" > "{self.called}"\n')
            (programs / program).chmod(0o755)
        argv, told = SHELLS[name]
        environment = {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(folder), "TERM": "xterm", "LANG": "C.UTF-8"}
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.chdir(folder)
            os.execvpe(argv[0], argv, environment)
        self.shown = b""
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        assert self.typed(told.format(script=script) + "; retrial ready") == "ready"

    def read(self):
        """A terminal takes what is shown."""
        with contextlib.suppress(OSError):
            while part := os.read(self.terminal, 65536):
                self.shown += part

    def typed(self, keys):
        """What retrial is called with once that is typed."""
        os.write(self.terminal, keys.encode() + b"\r")
        ready, _, _ = select.select([self.calls], [], [], PATIENCE)
        assert ready, f"{keys!r} called nothing: {self.shown[-2000:]!r}"
        return os.read(self.calls, 65536).decode().rstrip("\n").rstrip()

    def end(self):
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        self.reader.join()
        os.close(self.terminal)
        os.close(self.calls)


@pytest.fixture(params=[pytest.param(name, marks=pytest.mark.skipif(not shutil.which(name), reason=f"there is no {name} here")) for name in SHELLS])
def shell(request, tmp_path):
    shell = Shell(request.param, tmp_path)
    shell.name = request.param
    yield shell
    shell.end()


def test_the_tab_key_completes_commands_options_values_and_files(shell, tmp_path):
    (tmp_path / "of-this-project.toml").touch()
    assert shell.typed("retrial comple\t") == "completion"
    assert shell.typed("retrial run --cov\t") == "run --coverage"
    assert shell.typed("retrial run --coverage \t3") == "run --coverage c3", "what all of its values begin with"
    assert shell.typed("retrial completion fi\t") == "completion fish"
    assert shell.typed("retrial ctl resu\t") == "ctl resume", "a command within one"
    assert shell.typed("retrial check of-th\t") == "check of-this-project.toml"
    assert shell.typed("retrial run -c of-th\t") == "run -c of-this-project.toml"
    assert shell.typed("retrial run -- --cov\t") == "run -- --cov", "behind -- stands the user's own command"


def test_behind_the_dashes_the_users_own_command_is_completed(shell):
    if shell.name == "bash":
        pytest.skip("what completes another's command line is bash-completion's, which is not loaded here")
    assert shell.typed("retrial run -- of-the-u\t") == "run -- of-the-users-own"
