"""Java's agent, in JVMs of their own against real services: the clients of Clients.java, the runners of Suites.java."""
import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import threading
import urllib.parse

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "python"))
import statements  # noqa: E402
from support import Certificates, Server  # noqa: E402

JARS = os.environ["RETRIAL_TEST_JARS"]


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """The agent, a project, and a library beside it."""
    folder = tmp_path_factory.mktemp("java")
    agent = HERE.parents[2] / "integration/agents/java/build.sh"
    subprocess.run([agent, "javac", "jar", folder / "compiled", folder / "agent.jar"], check=True)
    sources = folder / "project/src/main/java/demo"
    sources.mkdir(parents=True)
    for name in ("Chains.java", "Clients.java", "Suites.java"):
        shutil.copy(HERE / name, sources)
    tests = folder / "project/src/test/java/demo"
    tests.mkdir(parents=True)
    for name in ("Within.java", "Statements.java"):
        shutil.copy(HERE / name, tests)
    subprocess.run(["javac", "-d", folder / "library", HERE / "Asking.java"], check=True)
    subprocess.run(["jar", "cf", folder / "library.jar", "-C", folder / "library", "."], check=True)
    path = f"{folder / 'library.jar'}:{JARS}/*"
    subprocess.run(["javac", "-g", "-nowarn", "-cp", path, "-d", folder / "project/target/classes", *sources.glob("*.java")], check=True)
    subprocess.run(["javac", "-g", "-cp", f"{folder / 'project/target/classes'}:{path}", "-d", folder / "project/target/test-classes", *tests.glob("*.java")], check=True)
    return folder


class Project:
    def __init__(self, built, folder):
        self.built, self.folder, self.events_file = built, folder, folder / "events"
        self.variables = {}

    def run(self, *words, agent=True):
        environment = {**os.environ, "RETRIAL_EVENTS": str(self.events_file), **self.variables}
        path = f"target/test-classes:target/classes:{self.built / 'library.jar'}:{JARS}/*"
        loaded = [f"-javaagent:{self.built / 'agent.jar'}"] if agent else []
        if "RETRIAL_CA" in self.variables:
            store = self.folder / "trust.p12"
            if not store.exists():
                subprocess.run(["keytool", "-importcert", "-noprompt", "-keystore", store, "-storepass", "secret", "-file", self.variables["SSL_CERT_FILE"]],
                               check=True, capture_output=True)
            loaded += [f"-Djavax.net.ssl.trustStore={store}", "-Djavax.net.ssl.trustStorePassword=secret"]
        return subprocess.run(["java", "-XX:TieredStopAtLevel=1", *loaded, "-cp", path, *words], cwd=self.built / "project", env=environment,
                              capture_output=True, text=True, timeout=120)

    def ask(self, clients, url, *end):
        done = self.run("demo.Clients", clients, url, *end)
        assert done.returncode == len(end), done.stderr
        assert not [e for e in self.events() if "error" in e]
        return done

    def suite(self, runner, url, *ids, **variables):
        only, properties = self.folder / "only", self.folder / "properties"
        only.write_text("".join(id + "\n" for id in ids))
        properties.write_text("of.the.build=kept\n")
        self.variables = {"RETRIAL_ONLY": str(only), "SERVICE": url, **variables}
        done = self.run("retrial.start.Tests", runner, str(properties))
        assert not [e for e in self.events() if "error" in e], self.events()
        return done

    def events(self, kind=None):
        lines = self.events_file.read_text().splitlines() if self.events_file.exists() else []
        return [e for e in map(json.loads, lines) if kind in (None, e["ev"])]

    def results(self):
        return {e["id"].partition("$")[2]: e["outcome"] for e in self.events("result")}


@pytest.fixture
def project(built, tmp_path):
    return Project(built, tmp_path)


@pytest.fixture
def server():
    with Server() as running:
        yield running


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    return Certificates(tmp_path_factory.mktemp("certificates"))


def line_of(client):
    """Where Clients.java says that its request is sent."""
    lines = (HERE / "Clients.java").read_text().splitlines()
    (found,) = [n for n, line in enumerate(lines, 1) if re.search(rf"// {client}$", line)]
    return f"src/main/java/demo/Clients.java:{found}"


LIBRARIES = ["jdk", "jdk-async", "url-connection", "apache4", "apache5", "okhttp", "okhttp-async"]
HANDED_OVER = ["thread", "pool", "scheduled", "fork-join", "future"]


@pytest.fixture(scope="module")
def asked(built, tmp_path_factory):
    """What each client's two requests are tagged with."""
    with Server() as server:
        Project(built, tmp_path_factory.mktemp("asked")).ask(",".join(2 * [*LIBRARIES, *HANDED_OVER, "netty"]), server.url)
    return lambda client: [tag for tag in server.tags if tag["path"] == "/" + client]


@pytest.mark.parametrize("client", LIBRARIES + HANDED_OVER)
def test_a_request_says_which_line_of_the_application_it_comes_from_and_each_call_has_an_id(asked, client):
    first, second = asked(client)
    assert first["site"].rpartition(":")[0] == second["site"].rpartition(":")[0] == line_of(client)
    assert first["site"].rpartition(":")[2].startswith("Clients.")
    assert first["call"] != second["call"]


def test_a_request_of_netty_has_a_call_site_and_no_call_id(asked):
    tag, _ = asked("netty")
    assert tag["site"].startswith(line_of("netty")) and "call" not in tag


def test_a_body_that_looks_like_a_request_is_left_as_it_is(asked):
    assert len(asked("url-connection")) == 2  # the 19 bytes of each were a body


def test_what_a_library_sends_again_has_the_id_of_its_call(project, server):
    project.ask("apache5", server.url + "/flaky")
    assert len(server.tags) == 3
    assert len({tag["call"] for tag in server.tags}) == 1
    assert {tag["site"].rpartition(":")[0] for tag in server.tags} == {line_of("apache5")}
    assert len({tag["libraries"] for tag in server.tags}) == 1


def test_what_the_jdk_asks_again_by_itself_after_a_loss_has_the_id_of_its_call(project):
    heads = []

    def serve(listening):
        for answer in (b"", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"):
            client, _ = listening.accept()
            with client:
                heads.append(client.recv(65536).decode().lower())
                client.sendall(answer)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=serve, args=(listening,), daemon=True).start()
        project.ask("url-connection", f"http://127.0.0.1:{listening.getsockname()[1]}")
    first, second = (dict(line.split(": ", 1) for line in head.splitlines() if line.startswith("x-retrial")) for head in heads)
    assert first == second and first["x-retrial-call"] and "httpurlconnection" in first["x-retrial-libraries"]


def test_a_call_of_grpc_carries_its_tag_as_metadata(project):
    said = dict(line.split(" ", 1) for line in project.ask("grpc", "unused").stdout.splitlines())
    assert said["site"].startswith(line_of("grpc")) and said["call"]


@pytest.mark.parametrize("authority", ["ours", "other"])
def test_over_tls_a_tag_goes_to_retrials_own_authority_alone(project, certificates, authority):
    project.variables = certificates.trusting(authority)
    with Server(certificates.leaf(authority)) as server:
        project.ask(",".join(LIBRARIES), server.url)
    assert {tag["path"]: "site" in tag for tag in server.tags} == {"/" + client: authority == "ours" for client in LIBRARIES}


@pytest.mark.parametrize("authority", ["ours", "other"])
def test_a_request_of_http2_is_tagged_likewise(project, certificates, authority):
    project.variables = certificates.trusting(authority)
    server = subprocess.Popen(["node", HERE / "http2.mjs", certificates.leaf(authority)], stdout=subprocess.PIPE, text=True)
    try:
        project.ask("jdk-http2,okhttp", f"https://127.0.0.1:{int(server.stdout.readline())}")
        for client in ("jdk-http2", "okhttp"):
            said = json.loads(server.stdout.readline())
            assert said["version"] == "2.0"
            assert said.get("site", "").startswith(line_of(client)) == ("call" in said) == (authority == "ours")
    finally:
        server.kill()
        server.wait()


def chain(tag):
    """Functions, the innermost first; those of Chains by their names alone."""
    frames = [tag["site"], *filter(None, tag.get("callers", "").split(","))]
    return " ".join(frame.split(":")[2].removeprefix("Chains.") for frame in frames)


def chain_of(project, server, program, *words):
    done = project.run(f"demo.{program}", *words, server.url)
    assert done.returncode == 0, done.stderr
    assert not [e for e in project.events() if "error" in e]
    [tag] = server.tags
    return chain(tag)


WAYS = {
    "functions": "ask send track main",
    "recursive": "ask recursive main",
    "mutual": "ask mutual other main",
    "lambda": "ask lambda main",
    "thread": "thread ask main",  # of a library: where it was handed over
    "pool": "pool ask main",
    "pools": "ask send pools pool main",
    "future": "ask send future main",
    "future-of-a-pool": "futureOfAPool ask main",
}


@pytest.mark.parametrize("way", WAYS)
def test_a_chain_goes_from_the_request_to_where_the_program_began(project, server, way):
    assert chain_of(project, server, "Chains", way) == WAYS[way]


@pytest.mark.parametrize("way, expected", [("itself", "Within.main"), ("functions", "ask send track"), ("pools", "ask send pools pool"),
                                           ("thread", "ask send track")])
def test_a_tests_own_frames_are_no_part_of_a_chain(project, server, way, expected):
    assert chain_of(project, server, "Within", way) == expected


@pytest.mark.parametrize("way, told", [("looping", "send looping  main"), ("looping-itself", " ask main"), ("choosing", "send choosing main")])
def test_an_empty_frame_stands_behind_the_innermost_that_calls_from_within_a_loop(project, server, way, told):
    chain_of(project, server, "Chains", way)
    [tag] = server.tags
    assert re.sub(r"[^,]*Chains\.", "", tag["callers"]) == told.replace(" ", ",")


def test_the_lines_are_those_of_the_calls_and_files_are_named_from_where_the_program_began(project, server):
    chain_of(project, server, "Chains", "functions")
    lines = (HERE / "Chains.java").read_text().splitlines()
    (at,) = [n for n, line in enumerate(lines, 1) if "return send(url); }" in line]
    assert server.tags[0]["callers"].split(",")[1] == f"src/main/java/demo/Chains.java:{at}:Chains.track"


@pytest.mark.parametrize("length, told", [(1, 7), (300, 3)])
def test_a_chain_has_eight_frames_and_1024_bytes_of_callers_at_most_and_they_are_the_innermost(built, project, server, length, told):
    name = "f" * length
    calls = "".join(f"static void {name}{n}(String url) throws Exception {{ {name}{n - 1}(url); }}\n" for n in range(1, 20))
    (built / "project/src/main/java/Deep.java").write_text(
        f"public class Deep {{ static void {name}0(String url) throws Exception {{ new java.net.URL(url).openConnection().getInputStream().close(); }}\n"
        f"{calls} public static void main(String[] a) throws Exception {{ {name}19(a[0]); }} }}\n")
    subprocess.run(["javac", "-g", "-d", "target/classes", "src/main/java/Deep.java"], cwd=built / "project", check=True)
    assert project.run("Deep", server.url).returncode == 0
    [tag] = server.tags
    assert [part.split(":")[2] for part in tag["callers"].split(",")] == [f"Deep.{name}{n}" for n in range(1, told + 1)]
    assert len(tag["callers"]) <= 1024


def test_of_each_call_the_library_that_it_was_given_to_is_told(asked):
    version = subprocess.run(["java", "-XshowSettings:properties", "-version"], capture_output=True, text=True).stderr.split("java.version = ")[1].split()[0]
    jar = {name: next(pathlib.Path(JARS).glob(f"{name}-[0-9]*.jar")).stem.replace("-", "%20", 1) for name in ("httpclient", "httpclient5")}
    named = {"jdk": f"Java%20{version}%20java.net.http", "jdk-async": f"Java%20{version}%20java.net.http", "apache4": jar["httpclient"],
             "url-connection": f"Java%20{version}%20HttpURLConnection", "apache5": jar["httpclient5"]}
    for client, name in named.items():
        first, second = ([tag["call"].split("-")[1], tag["libraries"]] for tag in asked(client))
        assert (first[1], second[1]) == (f"{first[0]}:{name}", f"{second[0]}:{name}")


@pytest.mark.parametrize("client", ["okhttp", "okhttp-async"])
def test_no_library_is_told_where_an_interceptor_of_the_application_may_be_who_sends_again(asked, client):
    assert ["libraries" in tag for tag in asked(client)] == [False, False]


def test_without_events_nothing_is_tagged(project, server):
    project.variables = {"RETRIAL_EVENTS": ""}
    project.run("demo.Clients", "jdk", server.url)
    assert server.tags == [{"path": "/jdk"}]


def test_what_ends_a_program_is_told_with_its_causes(project, server):
    done = project.ask("jdk", server.url, "end")
    (event,) = project.events("uncaught")
    assert [(e["type"], e["msg"], e["link"]) for e in event["chain"]] == [
        ("java.lang.IllegalStateException", "the end", "raised"), ("java.io.IOException", "of it", "cause")]
    assert event["chain"][0]["file"] == "src/main/java/demo/Clients.java" and event["chain"][0]["function"] == "Clients.main"
    assert "java.lang.IllegalStateException: the end" in done.stderr  # and still to whom it was told before


JUPITER = ["good", "wrong", "chained", "left_out", "limited", "many(java.lang.String)[1]", "made[1]"]


def test_tests_of_jupiter_are_told_with_their_phases_and_results(project, server):
    done = project.suite("junit", server.url, *[f"demo.Suites$Jupiter#{name}" for name in JUPITER], "demo.Suites$Jupiter$Deep#deeper",
                         RETRIAL_NO_TIME_LIMIT="1")
    assert done.returncode == 1
    assert project.results() == {
        "Jupiter#good": "passed", "Jupiter#wrong": "failed", "Jupiter#chained": "failed", "Jupiter#left_out": "skipped", "Jupiter#limited": "passed",
        "Jupiter#many(java.lang.String)[1]": "passed", "Jupiter#many(java.lang.String)[2]": "passed", "Jupiter#made[1]": "passed",
        "Jupiter$Deep#deeper": "passed"}
    phases = {(tag["path"], tag.get("test"), tag["phase"]) for tag in server.tags}
    assert ("/all", None, "shared") in phases
    for phase, path in (("setup", "/before"), ("test", "/good"), ("teardown", "/after")):
        assert (path, "demo.Suites$Jupiter#good", phase) in phases
    assert ("/deeper", "demo.Suites$Jupiter$Deep#deeper", "test") in phases
    chains = {e["id"].partition("#")[2]: e for e in project.events("result")}
    assert [(e["type"], e.get("code"), e["link"], e["in_test"]) for e in chains["chained"]["chain"]] == [
        ("demo.Suites$Refused", "503", "raised", False), ("java.io.IOException", None, "cause", False)]
    assert chains["wrong"]["chain"][0]["in_test"] and chains["wrong"]["phase"] == "test"


def test_an_exception_that_a_test_of_jupiter_expects_and_gets_is_told(project, server):
    project.suite("junit", server.url, "demo.Suites$Jupiter#expects", "demo.Suites$Jupiter#good")
    assert [(e["id"], [t["type"] for t in e["chain"]]) for e in project.events("expected")] == [
        ("demo.Suites$Jupiter#expects", ["java.io.IOException"])]


def test_a_time_limit_of_jupiter_stands_where_it_is_not_to_be_lifted(project, server):
    project.suite("junit", server.url, "demo.Suites$Jupiter#limited")
    assert project.results() == {"Jupiter#limited": "failed"}


def test_a_set_up_for_all_that_fails_is_an_error_of_each_test(project, server):
    project.suite("junit", server.url, "demo.Suites$NeverSetUp#one")
    (result,) = project.events("result")
    assert (result["id"], result["outcome"], result["phase"]) == ("demo.Suites$NeverSetUp#one", "error", "setup")
    assert result["chain"][0]["msg"] == "no service"


@pytest.mark.parametrize("runner, type", [("junit4", "Four"), ("testng", "Ng")])
def test_tests_of_junit_4_and_testng_are_told_and_chosen(project, server, runner, type):
    project.suite(runner, server.url, f"demo.Suites${type}#good")
    assert project.results() == {f"{type}#good": "passed"}
    assert [(tag["path"], tag.get("test")) for tag in server.tags] == [("/all", None), ("/good", f"demo.Suites${type}#good")]
    project.suite(runner, server.url, f"demo.Suites${type}#wrong")
    assert project.results()[f"{type}#wrong"] == "failed"


@pytest.mark.parametrize("runner, type, test", [("junit", "Jupiter", "good"), ("junit", "Jupiter", "many(java.lang.String)[1]"), ("junit4", "Four", "good"), ("testng", "Ng", "good")])
def test_a_test_that_is_named_again_is_executed_again(project, server, runner, type, test):
    once, again = f"demo.Suites${type}#{test}", f"demo.Suites${type}#wrong [again 3]"
    done = project.suite(runner, server.url, once, once + " [again 2]", again)
    of_it = [(e["id"], e["outcome"]) for e in project.events("result") if "many" not in e["id"] or "[1]" in e["id"]]
    assert of_it == [(once, "passed"), (once + " [again 2]", "passed"), (again, "failed")] and done.returncode == 1
    begun = dict.fromkeys(e["id"] for e in project.events("start") if e["phase"] == "test")
    assert [id for id in begun if id in (once, once + " [again 2]", again)] == [once, once + " [again 2]", again]
    assert {urllib.parse.unquote(tag["test"]) for tag in server.tags if tag["path"] == "/good"} == ({once, once + " [again 2]"} if test == "good" else set())


def test_before_the_test_that_is_named_the_client_rests(project, server):
    again = "demo.Suites$Jupiter#good [again 2]"
    project.suite("junit", server.url, "demo.Suites$Jupiter#good", again, RETRIAL_REST="0.25", RETRIAL_REST_BEFORE=again)
    began = {e["id"]: e["at"] for e in project.events("start")}
    assert began[again] - began["demo.Suites$Jupiter#good"] >= 250


def statements_of(type):
    """Of each path that a test's own lines ask for, as their comments say, one a request."""
    lines = (HERE / "Statements.java").read_text().splitlines()
    start = next(n for n, line in enumerate(lines) if f"class {type} " in line)
    end = next(n for n, line in enumerate(lines) if n > start and line == "  }")
    found = {}
    for n in range(start, end):
        if "// " in lines[n]:
            at = statements.at("src/test/java/demo/Statements.java", n + 1, f"Statements.{type}.asks")
            found.setdefault("/" + lines[n].split("// ")[1], []).extend(lines[n].count("i < 2") * [at] + [at])
    return found


@pytest.mark.parametrize("runner, type", [("junit", "Jupiter"), ("junit4", "Four"), ("testng", "Ng")])
def test_a_request_says_which_statement_of_the_test_it_comes_from(project, server, runner, type):
    expected = {**({"/shared": [None]} if type == "Jupiter" else {}), **statements_of(type)}
    for _ in range(2):
        server.tags.clear()
        project.suite(runner, server.url, f"demo.Statements${type}#asks")
        assert statements.by_path(server.tags) == expected


def test_where_no_test_is_known_to_run_there_is_no_statement(project, server):
    chain_of(project, server, "Within", "functions")
    assert "statement" not in server.tags[0]
