import pytest
from support import Project, Server


@pytest.fixture
def server():
    with Server() as running:
        yield running


@pytest.fixture
def project(tmp_path, server):
    return Project(tmp_path, server.url)
