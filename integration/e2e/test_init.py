"""`retrial init`: a first retrial.toml, of the samples and of what may be met instead."""
import http.server
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import tomllib

import pytest

from conftest import APPS, ROOT, Answering, retrial
from test_doctor import TEST

SHOP = """
import http.server
class Shop(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()
http.server.ThreadingHTTPServer(("127.0.0.1", {port}), Shop).serve_forever()
"""
NOT_COPIED = (".venv", ".retrial", "node_modules", "target", "retrial.toml", "__pycache__")


@pytest.fixture
def sample(tmp_path):
    """A copy of a sample without its retrial.toml; what was installed for it is linked to."""

    def copied(folder):
        to = tmp_path / folder.name
        shutil.copytree(folder, to, ignore=shutil.ignore_patterns(*NOT_COPIED))
        for installed in (".venv", "node_modules"):
            if (folder / installed).exists():
                (to / installed).symlink_to(folder / installed)
        return to

    return copied


def init(cwd, *command, status=0, env=None):
    done = retrial("init", *(["--", *command] if command else []), cwd=cwd, env={"VIRTUAL_ENV": "", **(env or {})})
    assert done.returncode == status, done
    return done


def written(cwd):
    """What was written, which check accepts."""
    checked = retrial("check", cwd=cwd)
    assert checked.returncode == 0 and checked.stdout == "retrial.toml: fine\n", checked
    return tomllib.loads((cwd / "retrial.toml").read_text())


def refused(cwd, *command, status, env=None):
    """The one line that says why nothing was written."""
    before = sorted(cwd.rglob("retrial.toml"))
    done = init(cwd, *command, status=status, env=env)
    assert sorted(cwd.rglob("retrial.toml")) == before, "nothing was written"
    return done.stderr.strip().splitlines()[-1]


def free_port():
    """Steady: below those that the kernel picks."""
    for port in range(21000, 22000):
        with socket.socket() as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                s.bind(("127.0.0.1", port))
                return port
            except OSError:
                continue
    raise AssertionError("no port is free")


@pytest.fixture
def steady():
    class Service(Answering):
        def do_GET(self):
            self.answer(b"one")

    server = http.server.ThreadingHTTPServer(("127.0.0.1", free_port()), Service)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_port
    server.shutdown()
    server.server_close()


def test_order_sync(sample):
    project, port = sample(APPS / "order-sync"), free_port()
    moto = subprocess.Popen([project / ".venv/bin/moto_server", "-p", str(port)], cwd=project, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        for line in moto.stderr:
            if "Running on" in line:
                break
        done = init(project, env={"AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}"})
    finally:
        moto.terminate()
        moto.communicate()
    assert done.stdout.startswith(".venv/bin/python -m pytest, by pyproject.toml: [tool.pytest.ini_options]\n"), done
    assert "25 of 25 tests can be put on trial: retrial run -- .venv/bin/python -m pytest" in done.stdout, done
    assert written(project) == {"run": {}, "service": {"aws": {"address": f"127.0.0.1:{port}"}}}
    text = (project / "retrial.toml").read_text()
    assert "pytest; 25 tests, of which 25 can be put on trial" in text and 'profile = "aws"' in text, text
    assert (project / "retrial.toml").stat().st_mode & 0o777 == 0o666 & ~umask(), "as others of the user's files"


def umask():
    was = os.umask(0)
    os.umask(was)
    return was


@pytest.mark.parametrize("folder, command, because", [
    (APPS / "corner-shop", "python3 -m unittest", "tests/test_shop.py"),
    (APPS / "etcd-inventory", ".venv/bin/python -m pytest", "pyproject.toml"),
    (ROOT / "integration/runners/go", "go test ./...", "go.mod"),
    (ROOT / "integration/runners/cargo", "cargo test", "Cargo.toml"),
    (ROOT / "integration/runners/vitest", "npm test", "package.json: scripts.test"),
], ids=lambda value: getattr(value, "name", None))
def test_a_sample_whose_services_its_tests_start(sample, folder, command, because):
    if not shutil.which(command.split()[0]) and not command.startswith("."):
        pytest.skip(f"there is no {command.split()[0]} here")
    project = sample(folder)
    done = init(project)
    assert done.stdout.startswith(f"{command}, by {because}"), done
    assert re.search(rf"^[1-9]\d* of \d+ tests can be put on trial: retrial run -- {re.escape(command)}$", done.stdout, re.M), done
    assert written(project) == {"run": {}}
    assert "on a port that changes from run to run" in (project / "retrial.toml").read_text()


def test_a_file_that_is_there_is_left_as_it_is_and_nothing_is_run(suite):
    project = suite(retrial_DOT_toml="[run]\n", test_a_DOT_py="open('ran', 'w')\n")
    assert "retrial.toml: is there already" in refused(project, "python3", "test_a.py", status=2)
    assert (project / "retrial.toml").read_text() == "[run]\n" and not (project / "ran").exists()
    (project / "retrial.toml").unlink()
    (project / "retrial.toml").symlink_to("nowhere.toml")
    assert "is there already" in refused(project, "python3", "test_a.py", status=2)
    assert not (project / "nowhere.toml").exists()


def test_a_file_that_comes_while_the_tests_run_is_left_too(suite, steady):
    project = suite(test_a_DOT_py=TEST.format(port=steady) + "    def test_write(self): open('retrial.toml', 'x').write('# mine\\n')\n")
    assert "File exists" in init(project, status=2).stderr
    assert (project / "retrial.toml").read_text() == "# mine\n"


def test_a_service_at_a_steady_port_is_called_as_the_compose_file_calls_it(suite, steady):
    project = suite(test_a_DOT_py=TEST.format(port=steady), compose_DOT_yaml=f"services:\n  shop:\n    image: shop\n    ports: ['{steady}:80']\n")
    init(project)
    assert written(project)["service"] == {"shop": {"address": f"127.0.0.1:{steady}"}}
    assert re.search(r'^# start +=  ?"docker compose up shop"', (project / "retrial.toml").read_text(), re.M)


def test_a_service_that_is_not_up_has_a_place_in_the_file(suite):
    port = free_port()
    project = suite(test_a_DOT_py=TEST.format(port=port))
    done = init(project, status=3)
    assert f"nobody was at 127.0.0.1:{port}: if the tests need it, say in retrial.toml how it is started" in done.stdout, done
    assert "No HTTP request was seen" in done.stderr, done
    assert written(project) == {"run": {}}
    text = (project / "retrial.toml").read_text()
    said = text.replace(f"# [service.port-{port}]", f"[service.port-{port}]").replace("# address", "address").replace("# start", "start")
    assert tomllib.loads(said)["service"] == {f"port-{port}": {"address": f"127.0.0.1:{port}", "start": "COMMAND"}}, text

    (project / "shop.py").write_text(SHOP.format(port=port))
    (project / "retrial.toml").write_text(said.replace("COMMAND", f"{sys.executable} shop.py"))
    seen = json.loads(retrial("doctor", "--json", "--", sys.executable, "-m", "unittest", cwd=project).stdout)
    assert (seen["on_trial"], [s["name"] for s in seen["services"]]) == (2, [f"port-{port}"]), ("what was left to fill in is enough", seen)


def test_what_is_spoken_to_in_another_protocol_has_a_place_too(suite, steady):
    other = socket.create_server(("127.0.0.1", free_port()))
    port = other.getsockname()[1]

    def answer():
        while True:
            try:
                connection, _ = other.accept()
            except OSError:
                return
            connection.sendall(b"220 ready\r\n")
            connection.close()

    threading.Thread(target=answer, daemon=True).start()
    project = suite(test_a_DOT_py=TEST.format(port=steady) +
                    f"    def test_mail(self):\n        import socket\n        self.assertEqual(socket.create_connection(('127.0.0.1', {port})).recv(3), b'220')\n")
    done = init(project)
    other.close()
    assert f"no HTTP was spoken at 127.0.0.1:{port}" in done.stdout, done
    assert f"# [service.port-{port}]" in (project / "retrial.toml").read_text()
    assert written(project)["service"] == {f"port-{steady}": {"address": f"127.0.0.1:{steady}"}}


def test_where_there_is_nothing_to_say_there_is_one_line(suite, tmp_path):
    assert "no file here says how this project is tested; name its command: retrial init -- COMMAND" in refused(tmp_path, status=2)
    assert "no-such-runner" in refused(tmp_path, "no-such-runner", status=2)
    project = suite(test_a_DOT_py="import unittest\nclass A(unittest.TestCase):\n    def test_a(self): pass\n")
    assert "No HTTP request was seen" in refused(project, status=3)
    (project / "pom.xml").write_text("<project/>\n")
    (project / "test_a.py").unlink()
    line = refused(project, status=2, env={"PATH": "/nonexistent"})
    assert "mvn" in line and "by pom.xml" in line, line


def test_a_folder_that_cannot_be_written_to_is_said_before_anything_is_run(suite):
    if os.getuid() == 0:
        pytest.skip("root may write anywhere")
    project = suite(test_a_DOT_py="open('/tmp/ran', 'w')\n")
    project.chmod(0o555)
    assert "no file can be made in this folder" in refused(project, "python3", "test_a.py", status=2)
