import os
import pathlib
import socket
import subprocess
import time
import urllib.request
import uuid

import pytest

from etcd_inventory.connection import Etcd
from etcd_inventory.leader import Election, Leases
from etcd_inventory.settings import Settings
from etcd_inventory.stock import Stock

ETCD = pathlib.Path(__file__).resolve().parents[1] / ".venv/bin/etcd"


def _free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def _is_healthy(url):
    try:
        with urllib.request.urlopen(url + "/health", timeout=1) as answer:
            return answer.status == 200
    except OSError:
        return False


@pytest.fixture(scope="session")
def target(tmp_path_factory):
    """An etcd of this session alone, but for one that ETCD_TARGET names."""
    if "ETCD_TARGET" in os.environ:
        yield os.environ["ETCD_TARGET"]
        return
    folder = tmp_path_factory.mktemp("etcd")
    client, peer = (f"http://127.0.0.1:{port}" for port in _free_ports(2))
    command = [ETCD, "--data-dir", folder / "data", "--listen-client-urls", client, "--advertise-client-urls", client]
    command += ["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", f"default={peer}"]
    with open(folder / "log", "wb") as log:
        etcd = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        deadline = time.monotonic() + 20
        while not _is_healthy(client):
            if etcd.poll() is not None or time.monotonic() > deadline:
                pytest.fail("etcd does not start: " + (folder / "log").read_text()[-2000:])
            time.sleep(0.05)
        yield client.removeprefix("http://")
    finally:
        etcd.terminate()
        etcd.wait()


@pytest.fixture
def etcd(target):
    etcd = Etcd(target)
    yield etcd
    etcd.close()


@pytest.fixture
def warehouse():
    """Each test has a warehouse of its own: one etcd serves all."""
    return uuid.uuid4().hex[:12]


@pytest.fixture
def stock(etcd, warehouse):
    return Stock(etcd, warehouse)


@pytest.fixture
def settings(etcd, warehouse):
    return Settings(etcd, warehouse)


@pytest.fixture
def election(etcd, warehouse):
    return Election(etcd, warehouse)


@pytest.fixture
def leases(etcd):
    return Leases(etcd)
