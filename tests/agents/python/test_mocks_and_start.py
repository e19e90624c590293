"""Mocks never see the tag; start-up keeps what the project has, and stays out of helpers."""
import pytest

MOCKS = {
    "responses": """
        import requests, responses
        with responses.RequestsMock() as mock:
            mock.get("http://service.test/x")
            requests.get("http://service.test/x")
            seen = mock.calls[0].request.headers
        """,
    "requests_mock": """
        import requests, requests_mock
        with requests_mock.Mocker() as mock:
            mock.get("http://service.test/x")
            requests.get("http://service.test/x")
            seen = mock.last_request.headers
        """,
    "moto": """
        import boto3, moto
        seen = {}
        with moto.mock_aws():
            client = boto3.client("s3", region_name="us-east-1", endpoint_url=None)
            client.meta.events.register_first("before-send.s3", lambda request, **kw: seen.update(request.headers))
            client.create_bucket(Bucket="bucket")
        """,
    "unittest.mock": """
        import http.client
        from unittest import mock
        with mock.patch.object(http.client.HTTPConnection, "send") as send:
            http.client.HTTPConnection("service.test").request("GET", "/")
        seen = [str(call) for call in send.mock_calls]
        """,
    "httpx": """
        import httpx
        seen = {}
        def answer(request):
            seen.update(request.headers)
            return httpx.Response(200)
        httpx.Client(transport=httpx.MockTransport(answer)).get("http://service.test/")
        """,
}


@pytest.mark.parametrize("mock", MOCKS)
def test_a_mock_never_sees_the_tag(mock, project):
    pytest.importorskip(mock)
    project.write("main.py", MOCKS[mock]).write("check.py", "from main import seen\nassert seen and 'retrial' not in str(seen).lower()\n")
    project.run("check.py", AWS_ACCESS_KEY_ID="a", AWS_SECRET_ACCESS_KEY="b")


def test_a_recorded_cassette_does_not_hold_the_tag_while_the_wire_does(project, server):
    pytest.importorskip("vcr")
    project.write("main.py", "import os, requests, vcr\nwith vcr.use_cassette('c.yaml'): requests.get(os.environ['URL'])\n")
    project.run("main.py")
    assert "retrial" not in (project.folder / "c.yaml").read_text()
    assert server.tags[0]["site"] == "main.py:2:<module>"


def test_a_hidden_sitecustomize_runs_with_the_agent_and_without(project):
    (project.folder / "theirs").mkdir()
    project.write("theirs/sitecustomize.py", "import builtins; builtins.theirs = __file__\n").write("main.py", "print(theirs)\n")
    for events in ("events", ""):
        done = project.run("main.py", path=[project.folder / "theirs"])
        assert done.stdout.strip().endswith("theirs/sitecustomize.py")


def test_a_helper_process_stays_silent(project):
    done = project.run("-c", "import http.client, threading, asyncio, unittest")
    assert (done.stdout, done.stderr, project.events) == ("", "", [])


def test_a_failing_events_file_is_swallowed(project, server):
    project.write("test_a.py", "import os, requests\ndef test_a(): requests.get(os.environ['URL'])\n")
    (project.folder / "events").mkdir()
    assert "1 passed" in project.pytest().stdout
    assert server.tags[0]["test"] == "test_a.py::test_a"
