"""Ruby's agent, in processes of their own against a real service: whence each request comes, and what RSpec's hook tells."""
import json
import os
import pathlib
import shutil
import subprocess
import textwrap

import pytest

import statements
from support import Server

AGENT = pathlib.Path(__file__).resolve().parents[3] / "integration/agents/ruby/retrial.rb"
rspec = pytest.mark.skipif(not shutil.which("rspec"), reason="there is no rspec here")


class Project:
    def __init__(self, folder, url):
        self.folder, self.url, self.variables = folder, url, {}

    def write(self, name, text):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text))
        return self

    def run(self, *words, agent=True, check=True):
        loaded = {"RETRIAL_EVENTS": str(self.folder / "events"), "RUBYOPT": f"-r{AGENT}"} if agent else {}
        done = subprocess.run(words, cwd=self.folder, env={**os.environ, "URL": self.url, **loaded, **self.variables}, capture_output=True, text=True, timeout=60)
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    @property
    def events(self):
        file = self.folder / "events"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def of(self, kind):
        return [event for event in self.events if event["ev"] == kind]


@pytest.fixture
def project(tmp_path, server):
    return Project(tmp_path, server.url)


BASE = """\
    require 'net/http'

    def ask(path = '/')
      Net::HTTP.get(URI(ENV['URL'] + path))
    end
    """


def test_a_chain_is_the_applications_functions_and_a_function_of_the_interpreter_is_none(project, server):
    project.write("base.rb", BASE).write("main.rb", """\
        require_relative 'base'
        class Tracker
          def track = [1].each { |n| ask }
        end
        def twice = ask && ask
        Tracker.new.track
        twice
        """)
    project.run("ruby", "main.rb")
    assert [tag["site"] for tag in server.tags] == ["base.rb:4:ask"] * 3
    assert [tag["callers"] for tag in server.tags] == ["main.rb:3:track,,main.rb:6:<main>"] + ["main.rb:5:twice,main.rb:7:<main>"] * 2
    assert len({tag["call"] for tag in server.tags}) == 3
    assert all(tag["libraries"].split(":")[1].endswith("%20net/http") for tag in server.tags)
    assert [e["language"] for e in project.of("agent")] == ["ruby"]


@pytest.mark.parametrize("loop, goes_on", [
    ("while true\n  break if ask(PATH) == ''\nend", True),
    ("begin\n  ask(PATH)\nrescue StandardError\n  retry\nend", True),
    ("3.times do\n  ask(PATH)\nend", True),
    ("loop { ask(PATH); break }", True),
    ("begin\n  ask(PATH)\nrescue StandardError\n  nil\nend", False),
    ("[2].then { ask(PATH) }", False)])
def test_a_function_that_calls_from_within_a_loop_is_the_one_that_goes_on(loop, goes_on, project, server):
    project.write("base.rb", BASE).write("main.rb", "require_relative 'base'\nPATH = '/'\ndef outer\n" + loop + "\nend\nouter\n")
    project.run("ruby", "main.rb")
    assert {tag["callers"].split(",")[1] == "" for tag in server.tags} == {goes_on}, server.tags


def test_what_net_http_sends_again_belongs_to_the_same_call(project, tmp_path):
    """It repeats a GET once whose connection was closed."""
    project.write("main.rb", """\
        require 'net/http'
        require 'socket'
        heads = []
        server = TCPServer.new('127.0.0.1', 0)
        Thread.new do
          2.times do |n|
            client = server.accept
            heads << client.readpartial(4096)
            client.write("HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n") if n == 1
            client.close
          end
        end
        Net::HTTP.get(URI("http://127.0.0.1:#{server.addr[1]}/"))
        puts heads.map { |head| head[/x-retrial-call: (.*)\\r/, 1] }
        """)
    first, second = project.run("ruby", "main.rb").stdout.split()
    assert first == second


def test_work_of_a_thread_comes_from_who_made_it_and_of_a_librarys_thread_from_nobody(project, server):
    project.write("base.rb", BASE).write("main.rb", """\
        require_relative 'base'
        require 'timeout'
        def hand_over = Thread.new { ask }.join
        def limited = Timeout.timeout(5) { ask }
        hand_over
        limited
        """)
    project.run("ruby", "main.rb")
    assert [tag["callers"] for tag in server.tags] == ["main.rb:3:hand_over,main.rb:5:<main>", "main.rb:4:limited,main.rb:6:<main>"]


def test_whoever_writes_a_head_to_a_socket_is_tagged_and_told_what_it_has_written(project, server):
    project.write("main.rb", """\
        require 'socket'
        host, port = ENV['URL'].delete_prefix('http://').split(':')
        head = "GET / HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n"
        ways = [->(s) { s.write(head) }, ->(s) { s.write('GET / ', "HTTP/1.0\\r\\n\\r\\n") }, ->(s) { s.syswrite(head) },
                ->(s) { s.write_nonblock(head) }, ->(s) { s.send(head, 0) }, ->(s) { s << head; head.size },
                ->(s) { s.write("X-Retrial-Site: mine\\r\\n".prepend("GET / HTTP/1.1\\r\\n"), "Connection: close\\r\\n\\r\\n") }]
        puts(ways.map { |way| TCPSocket.open(host, port.to_i) { |s| way.call(s).tap { s.read } } }.join(' '))
        """)
    written = project.run("ruby", "main.rb").stdout.split()
    length = str(len("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"))
    assert [written[at] for at in (0, 2, 3, 4, 5)] == [length] * 5
    assert [tag.get("site") for tag in server.tags] == ["main.rb:4:<anonymous>", None, "main.rb:4:<anonymous>", "main.rb:5:<anonymous>", "main.rb:5:<anonymous>",
                                                        "main.rb:5:<anonymous>", "mine"]
    assert all("call" not in tag for tag in server.tags)


def test_a_tls_connection_is_tagged_where_it_was_opened_by_our_authority_alone(project, certificates):
    project.write("base.rb", BASE).write("main.rb", "require_relative 'base'\nask\n")
    for shown, site in (("ours", "base.rb:4:ask"), ("other", None)):
        with Server(certificates.leaf(shown)) as server:
            project.url = server.url
            project.variables = certificates.trusting(shown)
            project.run("ruby", "main.rb")
            assert [tag.get("site") for tag in server.tags] == [site]


def test_near_are_loopback_and_private_addresses(project):
    addresses = {"127.0.0.1": True, "10.1.2.3": True, "172.31.0.1": True, "172.32.0.1": False, "192.168.1.1": True, "8.8.8.8": False, "169.254.1.1": False,
                 "::1": True, "fd00::1": True, "fe80::1": False, "::ffff:10.0.0.1": True}
    project.write("main.rb", f"puts({json.dumps(list(addresses))}.map {{ |one| RetrialAgent::Peer.near_address?(one) }})")
    assert project.run("ruby", "main.rb").stdout.split() == [str(near).lower() for near in addresses.values()]


def test_what_ends_a_program_is_told_with_its_causes(project, server):
    project.write("base.rb", BASE).write("main.rb", """\
        require_relative 'base'
        ask
        begin
          raise Errno::ECONNRESET, 'lost'
        rescue SystemCallError
          raise ArgumentError, 'no "answer"'
        end
        """)
    assert project.run("ruby", "main.rb", check=False).returncode == 1
    [event] = project.of("uncaught")
    outer, inner = event["chain"]
    assert (outer["type"], outer["msg"], outer["link"], outer["file"], outer["line"]) == ("ArgumentError", 'no "answer"', "raised", "main.rb", 6)
    assert (inner["type"], inner["code"], inner["link"]) == ("Errno::ECONNRESET", "ECONNRESET", "cause")


def test_a_program_that_sends_nothing_says_nothing_and_is_as_it_was_without_us(project):
    project.write("main.rb", "puts $LOADED_FEATURES.grep(/json|openssl|net/).grep_v(/agents/), Thread.new(3) { |n| n + 1 }.value")
    assert project.run("ruby", "main.rb").stdout == project.run("ruby", "main.rb", agent=False).stdout
    assert not project.events


SUITE = """\
    require 'net/http'
    def ask = Net::HTTP.get(URI(ENV['URL']))
    RSpec.describe 'a suite' do
      before(:context) { ask }
      before { ask if RSpec.current_example.description == 'passes' }
      after { ask if RSpec.current_example.description == 'passes' }
      it('passes') { ask }
      it('passes twice') { ask }
      it('passes twice') { ask }
      it('is left out', skip: 'why') {}
      it('fails') do
        begin
          raise IOError, 'lost'
        rescue IOError
          raise 'not loaded'
        end
      end
      it('asserts') { expect(1).to eq 2 }
      it('has several', :aggregate_failures) { expect(1).to eq 2; expect(3).to eq 4 }
      it { ask }
      context 'whose set-up fails' do
        before(:context) { raise 'no service' }
        it('is hit') {}
      end
      context 'whose own set-up fails' do
        before { raise 'no data' }
        it('is hit') {}
      end
    end
    """


@rspec
def test_rspec_tells_of_its_examples_and_of_what_each_sends(project, server):
    project.write("spec/a_spec.rb", SUITE)
    assert project.run("rspec", check=False).returncode == 1
    own = "spec/a_spec.rb > a suite > "
    results = {e["id"].removeprefix(own): e for e in project.of("result")}
    assert {id: (e["phase"], e["outcome"]) for id, e in results.items()} == {
        "passes": ("test", "passed"), "passes twice [1:2]": ("test", "passed"), "passes twice [1:3]": ("test", "passed"), "is left out": ("test", "skipped"),
        "fails": ("test", "failed"), "asserts": ("test", "failed"), "has several": ("test", "failed"), "spec/a_spec.rb > a suite [1:8]": ("test", "passed"),
        "whose set-up fails > is hit": ("setup", "error"), "whose own set-up fails > is hit": ("setup", "error")}
    assert [(one["msg"], one["link"], one["in_test"]) for one in results["fails"]["chain"]] == [("not loaded", "raised", True), ("lost", "cause", True)]
    assert results["asserts"]["chain"][0]["in_test"] and results["asserts"]["chain"][0]["line"] == 18
    assert [one["link"] for one in results["has several"]["chain"]] == ["raised", "member", "member"]
    asked = [(tag.get("test", "").replace("%20", " ").removeprefix(own), tag["phase"]) for tag in server.tags]
    assert asked[:5] == [("", "shared"), ("passes", "setup"), ("passes", "test"), ("passes", "teardown"), ("passes twice [1:2]", "test")]
    assert {tag["site"].split(":")[0] for tag in server.tags} == {"spec/a_spec.rb"}
    assert [(e["runner"]) for e in project.of("agent")] == ["RSpec"]
    ends = [e for e in project.events if e["ev"] in ("start", "end")]
    assert len(ends) == 2 * len([e for e in ends if e["ev"] == "start"])


STATEMENTS = """\
    require_relative '../base'
    require 'rspec/autorun'
    def helper
      ask
    end
    RSpec.describe 'a suite' do
      before(:context) { ask '/shared' }
      around do |example|
        ask '/around'
        example.run
      end
      it 'asks' do
        ask '/one'
        ask '/two'
        2.times { ask '/loop' }
        ask '/helper' if helper
        helper
        [
          Thread.new(&method(:ask)),
          in_a_thread('/thread'),
          Thread.new { ask '/own' }].each(&:join)
      end
      it 'asks by itself' do
        sleep 0; expect { ask '/block' }.not_to raise_error
      end
    end
    """


@rspec
@pytest.mark.parametrize("command", [["rspec"], ["ruby", "spec/a_spec.rb"]])
def test_a_request_says_which_statement_of_the_test_it_comes_from(command, project, server):
    project.write("base.rb", BASE + "    def in_a_thread(path) = Thread.new { ask(path) }\n").write("spec/a_spec.rb", STATEMENTS)
    runs = []
    for _ in range(2):
        server.tags.clear()
        project.run(*command)
        runs.append(statements.by_path(server.tags))
    assert runs[0] == runs[1]
    of = runs[0]
    lines = {line: statements.at("spec/a_spec.rb", line) for line in (9, 13, 14, 15, 16, 17, 19, 20, 21, 24)}
    assert of.pop("/shared") == [None]
    assert sorted(of.pop("/")) == sorted(lines[at] for at in (16, 17, 19))
    assert of == {"/around": [lines[9]] * 2, "/one": [lines[13]], "/two": [lines[14]], "/loop": [lines[15]] * 2, "/helper": [lines[16]], "/thread": [lines[20]],
                  "/own": [lines[21]], "/block": [lines[24]]}


@pytest.mark.parametrize("file", ["main.rb", "spec/main_spec.rb"])
def test_where_no_test_is_known_to_run_there_is_no_statement(file, project, server):
    project.write("base.rb", BASE).write(file, "require_relative '/base'\nask\n".replace("/base", "base" if "/" not in file else "../base"))
    project.run("ruby", file)
    assert ["statement" in tag for tag in server.tags] == [False]


@rspec
@pytest.mark.parametrize("command", [["rspec", "--fail-fast"], ["rspec", "--order", "random"], ["ruby", "-S", "rspec", "spec"]])
def test_rspec_runs_the_chosen_examples_and_no_other(command, project, server):
    project.write("spec/a_spec.rb", SUITE)
    (project.folder / "only").write_text("spec/a_spec.rb > a suite > fails\nspec/a_spec.rb > a suite > passes twice [1:3]\nspec/a_spec.rb > a suite [1:8]\n")
    project.variables["RETRIAL_ONLY"] = str(project.folder / "only")
    project.run(*command, check=False)
    assert sorted(e["id"] for e in project.of("result")) == [
        "spec/a_spec.rb > a suite > fails", "spec/a_spec.rb > a suite > passes twice [1:3]", "spec/a_spec.rb > a suite [1:8]"]


@rspec
def test_a_file_that_rspec_cannot_load_is_told(project):
    project.write("spec/a_spec.rb", "raise 'no such thing'\n").write("spec/b_spec.rb", "RSpec.describe('b') { it('passes') {} }")
    project.run("rspec", check=False)
    assert [(e["file"], e["msg"]) for e in project.of("broken")] == [("spec/a_spec.rb", "RuntimeError: no such thing")]


@rspec
def test_rspec_tells_what_an_example_expects_to_be_raised(project, server):
    project.write("spec/a_spec.rb", """\
        RSpec.describe 'a suite' do
          it('raises') { expect { raise IOError, 'lost' }.to raise_error(IOError) }
          it('raises another') { expect { raise IOError, 'lost' }.to raise_error(ArgumentError) }
          it('does not') { expect { 1 }.not_to raise_error }
        end
        """)
    project.run("rspec", check=False)
    assert [(e["id"], e["chain"][0]["type"], e["chain"][0]["msg"]) for e in project.of("expected")] == [("spec/a_spec.rb > a suite > raises", "IOError", "lost")]
