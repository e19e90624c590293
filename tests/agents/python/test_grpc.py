"""The metadata of gRPC calls, blocking and asyncio."""
from textwrap import dedent

import pytest

pytest.importorskip("grpc")
from grpc_service import GrpcService  # noqa: E402
from support import AGENT  # noqa: E402

HEAD = """
    import asyncio, grpc, os
    target, roots = os.environ["TARGET"], os.environ.get("ROOTS")
    options = [("grpc.service_config", os.environ.get("CONFIG", "{}"))]
    def credentials():
        return grpc.ssl_channel_credentials(open(roots, "rb").read() if roots != "default" else None)
    def channel(*interceptors):
        made = grpc.secure_channel(target, credentials(), options) if roots else grpc.insecure_channel(target, options)
        return grpc.intercept_channel(made, *interceptors) if interceptors else made
    def waiting(*interceptors):
        more = dict(options=options, interceptors=list(interceptors) or None)
        return grpc.aio.secure_channel(target, credentials(), **more) if roots else grpc.aio.insecure_channel(target, **more)
    """

EVERY_FORM = """
    c = channel()
    one, down = c.unary_unary("/test.Plain/One"), c.unary_stream("/test.Plain/Down")
    up, both = c.stream_unary("/test.Plain/Up"), c.stream_stream("/test.Plain/Both")
    parts = lambda: iter([b"a", b"bc"])
    assert one(b"abc") == b"3"  # one
    assert one.with_call(b"abc", 5)[0] == b"3"  # one with_call
    assert one.future(b"abc", metadata=[("x-mine", "1")]).result() == b"3"  # one future
    assert list(down(b"abc", 5, (("x-mine", "2"),))) == [b"3", b"end"]  # down
    assert up(parts()) == b"3"  # up
    assert up.with_call(request_iterator=parts(), metadata=None)[0] == b"3"  # up with_call
    assert up.future(parts()).result() == b"3"  # up future
    assert list(both(parts())) == [b"3", b"end"]  # both
    alone = [(grpc.experimental.ChannelOptions.SingleThreadedUnaryStream, 1)]
    c = grpc.insecure_channel(target, alone)
    assert list(c.unary_stream("/test.Plain/Down")(b"abc")) == [b"3", b"end"]  # alone
    """

EVERY_FORM_WAITING = """
    async def main():
        async def parts():
            yield b"a"
            yield b"bc"
        async with waiting() as c:
            one, down = c.unary_unary("/test.Plain/One"), c.unary_stream("/test.Plain/Down")
            up, both = c.stream_unary("/test.Plain/Up"), c.stream_stream("/test.Plain/Both")
            assert await one(b"abc") == b"3"  # one
            assert await one(b"abc", metadata=grpc.aio.Metadata(("x-mine", "1"))) == b"3"  # one with Metadata
            assert [m async for m in down(b"abc", metadata=(("x-mine", "2"),))] == [b"3", b"end"]  # down
            assert await up(parts()) == b"3"  # up
            assert [m async for m in both(parts())] == [b"3", b"end"]  # both
            call = both()  # both written
            await call.write(b"abc")
            await call.done_writing()
            assert await call.read() == b"3"
            assert await asyncio.gather(one(b"a"), one(b"b")) == [b"1", b"1"]  # gathered
    asyncio.run(main())
    """


@pytest.fixture
def service():
    running = GrpcService()
    yield running
    running.stop()


def run(project, target, text, **variables):
    project.write("main.py", dedent(HEAD) + dedent(text))
    return project.run("main.py", TARGET=target, **variables)


def lines(project):
    """mark -> the number of the line that ends in it."""
    numbered = enumerate((project.folder / "main.py").read_text().splitlines(), 1)
    return {text.rpartition("# ")[2]: number for number, text in numbered if "  # " in text}


@pytest.mark.parametrize("text", [EVERY_FORM, EVERY_FORM_WAITING], ids=["blocking", "asyncio"])
def test_each_form_of_a_call_tells_its_line_and_is_a_call_of_its_own(text, project, service):
    run(project, service.target, text)
    expected = [line for mark, line in lines(project).items() for _ in range(1 + (mark == "gathered"))]
    assert [int(tag["site"].split(":")[1]) for tag in service.tags] == expected
    assert len({tag["call"] for tag in service.tags}) == len(service.tags)
    assert [tag["mine"] for tag in service.tags if "mine" in tag] == ["1", "2"]


POLICY = (
    '{"methodConfig":[{"name":[{}],"retryPolicy":{"maxAttempts":5,"initialBackoff":"0.02s","maxBackoff":"0.02s",'
    '"backoffMultiplier":1,"retryableStatusCodes":["UNAVAILABLE"]}}]}'
)
TWICE = {
    "blocking": """
        c = channel()
        one = c.unary_unary("/test.Flaky/One")
        for _ in range(2):
            one(b"abc")  # here
        """,
    "asyncio": """
        async def main():
            async with waiting() as c:
                for _ in range(2):
                    await c.unary_unary("/test.Flaky/One")(b"abc")  # here
        asyncio.run(main())
        """,
}


@pytest.mark.parametrize("kind", TWICE)
def test_retries_of_the_service_configuration_share_a_call_id_and_two_calls_do_not(kind, project, service):
    run(project, service.target, TWICE[kind], CONFIG=POLICY)
    calls = [tag["call"] for tag in service.tags]
    assert len(calls) == 6 and calls[0] == calls[1] == calls[2] != calls[3] == calls[4] == calls[5]
    assert {tag["site"] for tag in service.tags} == {"main.py:%d:%s" % (
        project.line("main.py", "here"), {"blocking": "<module>", "asyncio": "main"}[kind])}


def test_a_loop_of_the_application_makes_several_calls(project, service):
    run(project, service.target, """
        c = channel()
        one = c.unary_unary("/test.Flaky/One")
        while True:
            try:
                one(b"abc")  # here
                break
            except grpc.RpcError:
                pass
        """)
    assert len({tag["call"] for tag in service.tags}) == 3
    assert {tag["site"] for tag in service.tags} == {"main.py:%d:<module>" % project.line("main.py", "here")}


INTERCEPTED = {
    "blocking": """
        class Retry(grpc.UnaryUnaryClientInterceptor):
            def intercept_unary_unary(self, go_on, details, request):
                assert not details.metadata, details.metadata
                for _ in range(3):
                    answer = go_on(details, request)
                    if answer.code() is grpc.StatusCode.OK:
                        return answer
        class Count(grpc.UnaryUnaryClientInterceptor):
            def intercept_unary_unary(self, go_on, details, request):
                refreshed = token(b"")  # token
                return go_on(details, request)
        plain, c = channel(), channel(Retry(), Count())
        token, one = plain.unary_unary("/test.Plain/One"), c.unary_unary("/test.Flaky/One")
        for form in (one, lambda r: one.with_call(r), lambda r: one.future(r).result()):
            form(b"abc")
        """,
    "asyncio": """
        class Retry(grpc.aio.UnaryUnaryClientInterceptor):
            async def intercept_unary_unary(self, go_on, details, request):
                assert not list(details.metadata or ()), details.metadata
                for _ in range(3):
                    answer = await go_on(details, request)
                    if await answer.code() is grpc.StatusCode.OK:
                        return answer
        class Count(grpc.aio.UnaryUnaryClientInterceptor):
            async def intercept_unary_unary(self, go_on, details, request):
                refreshed = await self.token(b"")  # token
                return await go_on(details, request)
        async def main():
            async with waiting() as plain:
                Count.token = plain.unary_unary("/test.Plain/One")
                async with waiting(Retry(), Count()) as c:
                    one = c.unary_unary("/test.Flaky/One")
                    for _ in range(3):
                        await one(b"abc")
        asyncio.run(main())
        """,
}


@pytest.mark.parametrize("kind", INTERCEPTED)
def test_an_interceptor_that_repeats_a_call_is_part_of_it_and_one_that_makes_another_is_not(kind, project, service):
    run(project, service.target, INTERCEPTED[kind])
    flaky = [tag for tag in service.tags if tag["path"] == "/test.Flaky/One"]
    tokens = [tag for tag in service.tags if tag["path"] == "/test.Plain/One"]
    assert len(flaky) == len(tokens) == 9
    assert [[tag["call"] for tag in flaky].count(tag["call"]) for tag in flaky] == [3] * 9
    assert not [tag for tag in flaky if "intercept" in tag["site"]]
    assert len({tag["call"] for tag in tokens}) == 9
    assert {tag["site"] for tag in tokens} == {
        "main.py:%d:Count.intercept_unary_unary" % project.line("main.py", "token")
    }


def test_a_call_that_is_passed_on_when_its_entry_has_returned_is_told_by_its_own_line(project, service):
    run(project, service.target, """
        kept = []
        class Keep(grpc.UnaryUnaryClientInterceptor):
            def intercept_unary_unary(self, *given):
                kept.append(given)
                return given[0](*given[1:])
        c = channel(Keep())
        c.unary_unary("/test.Plain/One")(b"abc")  # here
        [(go_on, details, request)] = kept
        go_on(details, request)  # later
        """)
    at = [int(tag["site"].split(":")[1]) for tag in service.tags]
    assert at == [project.line("main.py", "here"), project.line("main.py", "later")]
    assert service.tags[0]["call"] != service.tags[1]["call"]


BOTH = """
    c = channel()
    assert c.unary_unary("/test.Plain/One")(b"abc", metadata=[("x-mine", "1")]) == b"3"
    async def main():
        async with waiting() as c:
            assert await c.unary_unary("/test.Plain/One")(b"abc", metadata=(("x-mine", "1"),)) == b"3"
    asyncio.run(main())
    """


@pytest.mark.parametrize("roots", ["default", "own"])
@pytest.mark.parametrize("name", ["ours", "other"])
def test_over_tls_only_a_channel_that_trusts_our_authority_is_tagged(name, roots, project, certificates):
    service = GrpcService(certificates.leaf(name))
    file = str(certificates.folder / (name + ".pem"))
    more = {"GRPC_DEFAULT_SSL_ROOTS_FILE_PATH": file} if roots == "default" else {}
    run(project, service.target, BOTH, RETRIAL_CA=str(certificates.folder / "ours.pem"),
        ROOTS=file if roots == "own" else "default", **more)
    service.stop()
    assert [("site" in tag, tag["mine"]) for tag in service.tags] == [(name == "ours", "1")] * 2


def test_composite_credentials_count_as_those_that_they_are_made_of(project, certificates):
    service = GrpcService(certificates.leaf("ours"))
    file = str(certificates.folder / "ours.pem")
    run(project, service.target, """
        both = grpc.composite_channel_credentials(credentials(), grpc.access_token_call_credentials("secret"))
        c = grpc.secure_channel(target, both)
        c.unary_unary("/test.Plain/One")(b"abc")
        """, RETRIAL_CA=file, ROOTS=file)
    service.stop()
    assert "site" in service.tags[0]


def test_an_outside_target_is_never_tagged_nor_a_socket_of_the_file_system(project, service, tmp_path):
    run(project, service.target, "import retrial_agent.peer as peer; peer.is_near = lambda address: False\n" + dedent(BOTH))
    local = GrpcService(address="unix:%s/socket" % tmp_path)
    run(project, "unix:%s/socket" % tmp_path, BOTH)
    local.stop()
    assert service.tags + local.tags == [{"path": "/test.Plain/One", "mine": "1"}] * 4


def test_near_targets_are_those_that_name_no_outside_host(monkeypatch):
    monkeypatch.syspath_prepend(str(AGENT))
    from retrial_agent.peer import is_near_target

    near = "localhost localhost:1 127.0.0.1:1 [::1]:1 ::1 dns:localhost:1 dns:///etcd:2379 dns://127.0.0.53/etcd:1 " \
        "ipv4:10.0.0.1:1,127.0.0.1:2 ipv6:[fd00::1]:1 etcd:2379 db.test:1 a.default.svc:1 a.svc.cluster.local:1 A.LOCALHOST.:1"
    far = "example.com:443 dns:///example.com 8.8.8.8:1 ipv4:10.0.0.1:1,8.8.8.8:1 ipv6:[2001:db8::1]:1 unix:/tmp/x " \
        "unix-abstract:x xds:///a vsock:1:2 notlocal.com:1 169.254.169.254:80 http://localhost:1"
    assert [t for t in near.split() if not is_near_target(t)] == []
    assert [t for t in far.split() if is_near_target(t)] == []


def test_metadata_that_carries_a_site_is_left_as_it_is(project, service):
    run(project, service.target, BOTH.replace("x-mine", "x-retrial-site"))
    assert service.tags == [{"path": "/test.Plain/One", "site": "1"}] * 2


def test_a_call_that_fails_fails_as_without_the_agent(project, service):
    text = dedent(HEAD) + dedent("""
    c = channel()
    one = c.unary_unary("/test.Plain/One")
    def told(*args, **kwargs):
        try:
            print(one(*args, **kwargs))
        except Exception as error:
            print(type(error).__name__, str(error).split("debug_error")[0])
    told(b"abc", metadata=3)
    told(b"abc", metadata=[("No", "1")])
    told(b"abc", 1, [("a", "1")], None, None, None, None)
    told(metadata=())
    told(b"abc", nothing=1)
    told("abc")
    one = c.unary_unary("/test.Plain/None")
    told(b"abc")
    """)
    project.write("main.py", text)
    outputs = [project.run("main.py", agent=agent, TARGET=service.target).stdout for agent in (True, False)]
    assert outputs[0] == outputs[1] and "UNIMPLEMENTED" in outputs[0]


def test_a_test_of_pytest_stands_in_the_metadata(project, service):
    project.write("test_it.py", """
        import grpc, os, pytest
        @pytest.fixture(scope="module")
        def one():
            with grpc.insecure_channel(os.environ["TARGET"]) as channel:
                made = channel.unary_unary("/test.Plain/One")
                made(b"")
                yield made
        def test_ö(one):
            one(b"")
        """)
    project.pytest(TARGET=service.target)
    assert [(tag.get("test"), tag["phase"]) for tag in service.tags] == [
        (None, "shared"), ("test_it.py::test_%C3%B6", "test")]


def test_a_program_without_grpc_does_not_import_it(project):
    project.run("-c", "import sys, urllib.request; assert not [m for m in sys.modules if m.startswith('grpc')]")
