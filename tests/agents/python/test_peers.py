"""The tag is sent only where Retrial takes it out again."""
import pytest
from support import AGENT

EVERY_HOOK = """
    import asyncio, os, urllib.request
    import aiohttp, httpx, requests
    url = os.environ["URL"]
    async def waits():
        async with aiohttp.ClientSession() as session: await session.get(url)
        async with httpx.AsyncClient() as client: await client.get(url)
    def ask():
        urllib.request.urlopen(url).read()
        requests.get(url)
        httpx.get(url)
        asyncio.run(waits())
    """


def ask(project, more=""):
    project.write("ask.py", EVERY_HOOK).write("main.py", "from ask import ask\n" + more + "\nask()\n")
    return project.run("main.py")


@pytest.mark.parametrize("known", [True, False])
def test_a_tunnel_whose_service_shows_its_own_certificate_is_never_tagged(known, project, over_tls):
    server = over_tls("other")
    if not known:
        del project.variables["RETRIAL_CA"]
    ask(project)
    assert server.tags == [{"path": "/"}] * 5


def test_a_connection_that_is_opened_by_one_of_several_authorities_is_tagged_also_without_verification(
    project, over_tls, certificates
):
    server = over_tls("ours")
    both = [(certificates.folder / name).read_text() for name in ("other.pem", "ours.pem")]
    (project.folder / "both.pem").write_text("".join(both))
    project.variables["RETRIAL_CA"] = str(project.folder / "both.pem")
    del project.variables["SSL_CERT_FILE"], project.variables["REQUESTS_CA_BUNDLE"]
    project.write(
        "main.py",
        """
        import os, ssl, urllib.request, requests
        requests.get(os.environ["URL"], verify=False)
        urllib.request.urlopen(os.environ["URL"], context=ssl._create_unverified_context())
        """,
    )
    project.run("main.py")
    assert [tag["site"].split(":")[1] for tag in server.tags] == ["3", "4"]


def test_clear_text_to_an_outside_address_is_never_tagged(project, server):
    ask(project, "import retrial_agent.peer as peer; peer.is_near = lambda address: False")
    assert server.tags == [{"path": "/"}] * 5


def test_near_are_loopback_and_private_addresses(monkeypatch):
    monkeypatch.syspath_prepend(str(AGENT))
    from retrial_agent.peer import is_near

    near = "127.0.0.1 127.9.9.9 10.0.0.1 172.16.0.1 172.31.255.1 192.168.1.1 ::1 ::ffff:10.0.0.1 fd00::1 FC12::1"
    far = "8.8.8.8 172.15.0.1 172.32.0.1 192.169.0.1 169.254.169.254 100.64.0.1 2001:db8::1 fe80::1%lo ::2 ::ffff:8.8.8.8 fc::1"
    assert [a for a in near.split() if not is_near(a)] == []
    assert [a for a in far.split() if is_near(a)] == []


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_an_authority_that_cannot_be_read_is_told_once_and_harms_nothing(content, project, server):
    if content:
        project.write("ca.pem", content)
    project.variables = {"RETRIAL_CA": str(project.folder / "ca.pem")}
    ask(project)
    assert len(server.tags) == 5 and all("site" in tag for tag in server.tags)
    assert len([event for event in project.of("agent") if "RETRIAL_CA" in event.get("error", "")]) == 1


def test_a_connect_that_fails_fails_as_without_the_agent(project, over_tls):
    server = over_tls("ours")
    project.variables = {}
    project.write(
        "main.py",
        """
        import http.client, os
        for address in (os.environ["URL"][8:], "127.0.0.1:1"):
            connection = http.client.HTTPSConnection(address)
            try:
                connection.request("POST", "/", b"body")
            except OSError as error:
                print(type(error).__name__, connection.sock, connection._buffer, error.strerror)
            try:
                connection.request("GET", "/")
            except Exception as error:
                print(type(error).__name__, error)
        """,
    )
    told = [project.run("main.py", agent=agent).stdout for agent in (True, False)]
    assert told[0] == told[1] and len(told[0].splitlines()) == 4
    assert server.tags == []
