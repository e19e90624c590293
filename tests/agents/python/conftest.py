import pytest
from support import Certificates, Project, Server


@pytest.fixture
def server():
    with Server() as running:
        yield running


@pytest.fixture
def project(tmp_path, server):
    return Project(tmp_path, server.url)


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    return Certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture
def over_tls(certificates, project):
    """over_tls(name): points the project at a server with that authority's leaf, and trusts it."""
    running = []

    def point(name):
        running.append(Server(certificates.leaf(name)).__enter__())
        project.url = running[-1].url
        project.variables = certificates.trusting(name)
        return running[-1]

    yield point
    for server in running:
        server.__exit__()
