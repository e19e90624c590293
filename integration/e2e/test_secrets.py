"""What a campaign leaves behind holds no secret: of the traffic, of the command, of what tests threw."""
import os
import re
import sys

import pytest

from conftest import Answering, retrial, serving

SECRET = "hunter2-x9"
SUITE = """
import http.client, json, os

def test_order():
    open("made", "w").close()
    for attempt in range(2):
        c = http.client.HTTPConnection("127.0.0.1", int(os.environ["PORT"]), timeout=5)
        try:
            c.request("POST", "/orders?token=%(s)s", json.dumps({"name": "password", "value": "%(s)s"}),
                      {"Content-Type": "application/json", "X-Functions-Key": "%(s)s", "X-Any": "Bearer %(s)s", "X-Tax-Id": "DE811", "User-Agent": "me/7"})
            answer = c.getresponse()
            text = answer.read().decode()
        except OSError:
            continue
        if answer.status < 500:
            return
    raise RuntimeError("no answer from http://me:%(s)s@127.0.0.1/orders?token=%(s)s")
""" % {"s": SECRET}


class Handler(Answering):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(b"<Order><Id>1</Id><AccessToken>%s</AccessToken></Order>" % SECRET.encode(), 201, [("Set-Cookie", "sid=" + SECRET)])


@pytest.fixture
def project(tmp_path):
    (tmp_path / "test_order.py").write_text(SUITE)
    (tmp_path / "conftest.py").write_text("def pytest_addoption(parser): parser.addoption('--api-key')\n")
    with serving(Handler) as server:
        yield tmp_path, {"PORT": str(server.server_port)}


def ours(folder):
    """All files but the logs, which hold what the command itself writes."""
    return [f for f in folder.rglob("*") if f.is_file() and f.parent.name not in ("logs", "agents") and "agents" not in f.parts]


def test_no_file_of_ours_holds_a_secret_and_replay_asks_for_those_of_the_command(project):
    folder, env = project
    command = [sys.executable, "-m", "pytest", "-q", "test_order.py", "--api-key", SECRET]
    (folder / "out").mkdir(mode=0o755)
    done = retrial("run", "--policies", "p1,k1", "--out", "out", "--", *command, cwd=folder, env=env, before=lambda: os.umask(0))
    assert done.returncode == 1, done.stdout + done.stderr
    files = ours(folder / "out")
    assert {"campaign.db", "report.html", "findings.json", "junit.xml"} <= {f.name for f in files}
    held = [str(f) for f in files if SECRET.encode() in f.read_bytes()]
    assert not held
    assert SECRET not in done.stdout
    for path in [folder / "out", *(folder / "out").rglob("*")]:
        marks_a_process = path.parent.name == "stand-ins" and path.name.startswith("process-")  # empty, the agent's: the command's umask
        assert path.is_symlink() or marks_a_process or path.stat().st_mode & 0o077 == 0, path
    assert (folder / "made").stat().st_mode & 0o777 == 0o666, "the command's own umask"
    again = re.search(r"retrial\s+replay\s+([0-9a-f]{8})\s+--from\s+out\s+--\s", done.stdout)  # lines are broken where they are long
    assert again, done.stdout
    asked = retrial("replay", again[1], "--from", "out", cwd=folder, env=env)
    assert asked.returncode == 2 and "held secrets, which are not kept" in asked.stderr
    shown = retrial("replay", again[1], "--from", "out", "--", *command, cwd=folder, env=env)
    assert "is shown again" in shown.stdout, shown.stdout + shown.stderr


def test_a_project_names_what_else_is_a_secret_and_keeps_bodies_off_the_disk(project):
    folder, env = project
    (folder / "retrial.toml").write_text('[redact]\nnames = ["x-tax-id", "user-agent"]\nbodies = false\n')
    done = retrial("run", "--policies", "k1", "--out", "out", "--", sys.executable, "-m", "pytest", "-q", "test_order.py", cwd=folder, env=env)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    held = [(str(f), word) for f in ours(folder / "out") for word in (b"DE811", b"me/7", b"<Order>", b'"name": "password"')
            if word in f.read_bytes()]
    assert not held
