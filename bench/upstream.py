"""Suites that we did not write: packages with their own tests, as the registry has them, each in a folder below build/bench/upstream
that is made when it is first asked for."""
import html, re, subprocess, sys, tarfile, urllib.parse, urllib.request, venv
from pathlib import Path

INDEX = "https://pypi.org/simple/"
PYTEST = ["-m", "pytest", "-q", "-p", "no:cacheprovider"]
ETCD = """[service.etcd]
address = "127.0.0.1:2379"
start = "rm -rf .data && exec etcd --data-dir .data --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 --listen-peer-urls http://127.0.0.1:2380"
reset = "restart"
"""
# What is fetched, what it needs beside itself, its pytest's arguments, and a retrial.toml where a service has to be started.
SUITES = {
    "webdav4": ("0.11.0", ["fsspec", "pytest<9", "pytest-cov", "pytest-xdist", "cheroot", "wsgidav"], ["tests", "--ignore", "tests/test_cli.py"], ""),
    "caldav": ("3.6.0a1", ["pytest", "pytest-asyncio", "radicale", "niquests", "manuel", "proxy.py", "pyfakefs", "tornado"],
               ["tests/test_caldav.py", "-k", "Radicale", "-o", "asyncio_default_fixture_loop_scope=function"], ""),
    "twine": ("7.0.0", ["pytest", "pytest-services", "pytest-socket", "pypiserver", "pretend", "munch", "build", "jaraco.envs"],
              ["tests/test_integration.py", "-k", "pypiserver"], ""),
    "etcd3gw": ("2.7.0", ["pytest", "testtools", "oslotest"], ["etcd3gw/tests"], ETCD),
}


def fetch(name, version, to):
    page = urllib.request.urlopen(urllib.parse.urljoin(INDEX, name + "/")).read().decode()
    links = [html.unescape(link) for link, file in re.findall(r'<a[^>]*href="([^"]+)"[^>]*>([^<]+)</a>', page) if file == f"{name}-{version}.tar.gz"]
    if not links:
        sys.exit(f"bench: {INDEX}{name}/ has no {name}-{version}.tar.gz")
    archive = to / "source.tar.gz"
    archive.write_bytes(urllib.request.urlopen(urllib.parse.urljoin(INDEX + name + "/", links[0])).read())
    with tarfile.open(archive) as source:
        source.extractall(to, filter="data")


def prepared(name, below):
    """Its folder, and the command of its suite."""
    version, needs, arguments, services = SUITES[name]
    folder = below / name
    source, python = folder / f"{name}-{version}", folder / "venv/bin/python"
    if not (folder / "ready").exists():
        folder.mkdir(parents=True, exist_ok=True)
        fetch(name, version, folder)
        venv.create(folder / "venv", with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", f"{name}=={version}", *needs], check=True, stdout=sys.stderr)
        if services:
            (source / "retrial.toml").write_text(services)
        (folder / "ready").touch()
    return source, [str(python), *PYTEST, *arguments]
