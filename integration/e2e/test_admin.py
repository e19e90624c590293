"""The admin side of `retrial serve`: who may speak to it, rules by hand, and everything that turns faults off."""
import contextlib
import datetime
import http.client
import json
import os
import pathlib
import resource
import signal
import socket
import stat
import subprocess

import pytest

from conftest import Answering, RETRIAL, retrial, serving


class Handler(Answering):
    def do_GET(self):
        self.answer(b"one", self.server.answers)

    do_POST = do_GET


@pytest.fixture
def service():
    with serving(Handler) as server:
        server.answers = 200
        yield server


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=20)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(20)
        self.sock.connect(self.path)


class Serving:
    """A `retrial serve` with an admin side, from the moment on at which it listens."""

    def __init__(self, cwd, service, *options, file="", rules="", serve='record = "none"\n', admin="unix:admin.sock", begin=None, armed=False, environment=None):
        (cwd / "retrial.toml").write_text(
            f'[serve]\nloops = 2\n{serve}'
            f'[service.s]\naddress = "127.0.0.1:{service.server_address[1]}"\n'
            '[[listener]]\nmode = "reverse"\nlisten = "127.0.0.1:0"\nservice = "s"\n' + rules + file)
        self.cwd, self.log, self.service_port = cwd, [], service.server_address[1]
        words = ["--admin", admin] if admin else []
        self.process = subprocess.Popen([RETRIAL, "serve", "--ca", str(cwd / "ca"), *words, *options], cwd=cwd, stdin=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True, preexec_fn=begin, env={**os.environ, **(environment or {})})
        self.at = self.read_until("admin on ").split("admin on ")[1].split(chr(34))[0].strip()
        self.port = int(self.read_until("listening on ").split("listening on ")[1].split()[0].rsplit(":", 1)[1])
        if armed:
            assert self.ask("POST", "/v1/resume")[2]["mode"] == "armed"

    def read_until(self, part):
        for line in self.log:
            if part in line:
                return line
        for line in self.process.stderr:
            self.log.append(line.rstrip())
            if part in line:
                return line.rstrip()
        raise AssertionError(f"{part!r} never came: {self.log}")

    def connection(self):
        return UnixConnection(str(self.cwd / self.at[5:])) if self.at.startswith("unix:") else \
            http.client.HTTPConnection(*self.at.rsplit(":", 1), timeout=20)

    def ask(self, method, path, body=None, **headers):
        """Status, headers, and the answer's JSON (or text)."""
        connection = self.connection()
        text = body if body is None or isinstance(body, str) else json.dumps(body)
        connection.request(method, path, text, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        said = answer.read().decode()
        connection.close()
        is_json = (answer.getheader("Content-Type") or "").startswith("application/json")
        return answer.status, answer.headers, json.loads(said) if is_json else said

    def status(self, path="/", **headers):
        """What a client of the service is told."""
        client = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        client.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        answer = client.getresponse()
        answer.read()
        client.close()
        return answer.status

    def ctl(self, *words):
        return retrial("ctl", "--admin", self.at, *words, cwd=self.cwd, timeout=30)

    def mode(self):
        return self.ask("GET", "/v1/state")[2]["mode"]

    def end(self):
        self.process.terminate()
        self.log += self.process.stderr.read().splitlines()
        return self.process.wait(timeout=30)


@pytest.fixture
def serve(tmp_path, service):
    started = []

    def start(*options, **more):
        started.append(Serving(tmp_path, service, *options, **more))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.process.kill()
        one.process.communicate()


RULE = '[[rule]]\nname = "bad"\nmatch = { service = "s", path = "/bad" }\ninject = "error(503)"\n'


def test_it_observes_until_an_operator_resumes_and_is_off_again_at_once_when_halted(serve):
    s = serve(file=RULE)
    assert s.mode() == "observing" and s.status("/bad") == 200
    assert s.ask("POST", "/v1/resume", {"ttl": "5m"})[2]["mode"] == "armed"
    assert s.status("/bad") == 503 and s.status("/good") == 200
    assert s.ask("POST", "/v1/halt", {"why": "enough"})[2]["mode"] == "halted"
    assert s.status("/bad") == 200
    assert "enough" in s.ask("GET", "/v1/state")[2]["why"]
    assert s.ask("POST", "/v1/renew")[0] == 409
    assert s.end() == 0


def test_no_start_turns_faults_on_and_none_is_remembered_by_a_restart(serve):
    for _ in range(2):  # the second after a death
        s = serve("--inject", "error(503)", file=RULE)
        assert s.mode() == "observing" and s.status("/bad") == 200 and s.status() == 200
        assert s.ctl("resume").returncode == 0
        assert s.status("/bad") == 503 and s.status() == 503
        s.process.kill()
        s.process.wait()


def test_an_admin_side_without_an_address_is_where_ctl_looks_by_itself(serve, tmp_path):
    s = serve("--admin", admin=None)
    assert s.at == "unix:.retrial/admin.sock"
    assert retrial("ctl", "resume", cwd=tmp_path).stdout.startswith("armed, for 1")
    assert "retrial_armed 1\n" in retrial("ctl", "metrics", cwd=tmp_path).stdout
    assert s.end() == 0
    s = serve("--admin", admin=None, file='[admin]\nlisten = "unix:other.sock"\n')
    assert s.at == "unix:other.sock" and retrial("ctl", "state", cwd=tmp_path).stdout.startswith("observing")
    assert s.end() == 0
    s = serve("--admin", admin=None, environment={"RETRIAL_ADMIN": "unix:said.sock"})
    assert s.at == "unix:said.sock"
    said = retrial("ctl", "state", cwd=tmp_path, env={**os.environ, "RETRIAL_ADMIN": "unix:said.sock"})
    assert said.stdout.startswith("observing"), said


def test_without_an_admin_side_rules_of_the_file_are_in_force_at_once_and_a_signal_turns_them_off(tmp_path, service):
    (tmp_path / "retrial.toml").write_text(f'[service.s]\naddress = "127.0.0.1:{service.server_address[1]}"\n[[listener]]\nmode = "reverse"\n'
                                           'listen = "127.0.0.1:0"\nservice = "s"\n[[rule]]\ninject = "error(503)"\n')
    with subprocess.Popen([RETRIAL, "serve", "--ca", "ca", "--record", "none"], cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        try:
            read = lambda part: next(line for line in process.stderr if part in line)
            port = int(read("listening on ").split("listening on ")[1].split()[0].rsplit(":", 1)[1])

            def status():
                client = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
                client.request("GET", "/")
                return client.getresponse().status

            assert status() == 503
            process.send_signal(signal.SIGUSR2)
            assert "SIGUSR2" in read("audit: halt")
            assert status() == 200
        finally:
            process.kill()


def test_signal_and_removed_file_turn_faults_off_and_a_restart_leaves_them_off(serve, tmp_path):
    file = RULE + '[safety]\narmed_file = "armed"\naudit = "audit.log"\n'
    s = serve(file=file, armed=True)
    assert s.status("/bad") == 503 and (tmp_path / "armed").exists()
    s.process.send_signal(signal.SIGUSR2)
    s.read_until("audit: halt")
    assert s.status("/bad") == 200 and not (tmp_path / "armed").exists()
    s.ask("POST", "/v1/resume")
    assert s.status("/bad") == 503
    (tmp_path / "armed").unlink()
    s.read_until("armed was removed")
    assert s.status("/bad") == 200
    s.ask("POST", "/v1/resume")
    s.process.kill()
    again = serve(file=file)
    assert again.mode() == "observing" and again.status("/bad") == 200 and not (tmp_path / "armed").exists()
    assert again.ask("POST", "/v1/resume")[2]["mode"] == "armed"
    said = [json.loads(line)["what"] for line in (tmp_path / "audit.log").read_text().splitlines()]
    assert said == ["resume", "halt", "resume", "halt", "resume", "resume"], said


def test_a_stalled_client_is_let_go_when_faults_are_halted(serve):
    s = serve("--inject", "stall", armed=True)
    with socket.create_connection(("127.0.0.1", s.port), 20) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: s\r\n\r\n")
        while s.ask("GET", "/v1/rules")[2]["rules"][0]["counts"]["planned"] == 0:
            pass
        s.ask("POST", "/v1/halt")
        with contextlib.suppress(ConnectionResetError):
            assert client.recv(100) == b""


def test_rules_are_put_read_switched_and_deleted_and_two_operators_do_not_overwrite_each_other(serve):
    s = serve(file=RULE, armed=True)
    mine = {"match": {"service": "s", "path": "/mine"}, "inject": "error(500)"}
    status, headers, rule = s.ask("PUT", "/v1/rules/mine", mine, If_None_Match="*")
    assert status == 201 and rule["from"] == "operators" and s.status("/mine") == 500
    assert s.ask("PUT", "/v1/rules/mine", mine)[0] == 200
    first = headers["ETag"]
    assert s.ask("PUT", "/v1/rules/mine", {**mine, "inject": "error(502)"}, If_Match=first)[0] == 200
    status, _, said = s.ask("PUT", "/v1/rules/mine", {**mine, "inject": "error(504)"}, If_Match=first)
    assert status == 412 and "changed meanwhile" in said["error"]
    assert s.status("/mine") == 502
    assert s.status("/bad") == 503
    off = s.ask("POST", "/v1/rules/bad/disable")[2]
    assert off["enabled"] is False and off["counts"]["fired"] == 1, "what came of it stays"
    assert s.status("/bad") == 200
    assert 'retrial_rule_faults_fired_total{rule="bad"} 1\n' in s.ask("GET", "/metrics")[2]
    assert s.ask("POST", "/v1/rules/bad/enable")[2]["counts"]["fired"] == 1 and s.status("/bad") == 503
    counts = {rule["name"]: rule["counts"] for rule in s.ask("GET", "/v1/rules")[2]["rules"]}
    assert counts["mine"]["fired"] == 2 and counts["bad"]["fired"] == 2
    assert [s.ask("DELETE", "/v1/rules/mine")[0] for _ in range(2)] == [204, 204]
    assert s.status("/mine") == 200


@pytest.mark.parametrize("body, said", [
    ({"inject": "eror(503)", "match": {"service": "s"}}, 'rule "r" inject: '),
    ({"inject": "error(503)"}, "expected match.service"),
    ({"inject": "error(503)", "match": {"servise": "s"}}, 'did you mean "service"?'),
    ({"inject": "error(503)", "match": {"service": "t"}}, 'found "t"'),
    ("{", "expected JSON"),
])
def test_a_broken_rule_changes_nothing_and_the_answer_names_what_is_wrong(serve, body, said):
    s = serve(file=RULE)
    before = s.ask("GET", "/v1/rules")[1]["ETag"]
    status, _, answer = s.ask("PUT", "/v1/rules/r", body)
    assert status == 400 and said in answer["error"], answer
    assert s.ask("GET", "/v1/rules")[1]["ETag"] == before


def test_the_file_is_read_again_while_operators_have_rules_of_their_own(serve, tmp_path):
    s = serve(file=RULE, armed=True)
    s.ask("PUT", "/v1/rules/mine", {"match": {"service": "s", "path": "/mine"}, "inject": "error(500)"})
    s.ask("POST", "/v1/rules/bad/disable")
    file = tmp_path / "retrial.toml"
    file.write_text(file.read_text() + '[[rule]]\nname = "more"\nmatch = { service = "s", path = "/more" }\ninject = "error(507)"\n')
    s.process.send_signal(signal.SIGHUP)
    s.read_until("reloaded")
    assert [s.status(path) for path in ("/mine", "/bad", "/more")] == [500, 200, 507]
    etag = s.ask("GET", "/v1/rules")[1]["ETag"]
    file.write_text(file.read_text() + "[[rule]]\n")
    s.process.send_signal(signal.SIGHUP)
    s.read_until("not reloaded")
    assert s.ask("GET", "/v1/rules")[1]["ETag"] == etag and s.status("/more") == 507
    assert sum("listening on" in line for line in s.log) == 1, "what stays is not told again"


def test_ten_thousand_rules_are_put_at_once_and_requests_go_on(serve):
    s = serve(file=RULE, armed=True)
    rules = [{"name": f"r{i}", "match": {"service": f"10.0.0.{i % 250}:{1 + i // 250}"}, "inject": "error(500)"} for i in range(10000)]
    assert s.ask("PUT", "/v1/rules", rules)[0] == 200
    assert s.status("/bad") == 503 and s.status() == 200
    assert len(s.ask("GET", "/v1/rules")[2]["rules"]) == 10001
    assert s.ask("PUT", "/v1/rules/more", {"match": {"service": "s"}, "inject": "error(500)"})[0] == 409


def test_a_budget_and_an_opt_in_hold_faults_back(serve):
    s = serve(file='[safety]\nfaults_per_minute = 2\n[[rule]]\nname = "asked"\nmatch = { opt_in = true }\ninject = "error(503)"\n', armed=True)
    assert s.status() == 200
    assert [s.status(x_retrial_opt_in="1") for _ in range(4)] == [503, 503, 200, 200]
    assert s.ask("GET", "/v1/rules")[2]["rules"][0]["counts"] == {"matched": 4, "planned": 2, "withheld": 2, "fired": 2}


def test_a_service_that_fails_by_itself_halts_faults(serve, service):
    s = serve(file=RULE + '[safety]\nown_errors = "10%"\n', armed=True)
    service.answers = 500
    for _ in range(25):
        s.status()
    s.read_until("faults are halted")
    assert s.mode() == "halted"


def test_what_a_forward_proxy_refuses_by_itself_halts_nothing(serve):
    s = serve(file=RULE + '[[listener]]\nmode = "forward"\nlisten = "127.0.0.1:0"\n', armed=True)
    port = int(s.read_until("(forward").split("listening on ")[1].split()[0].rsplit(":", 1)[1])
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    for _ in range(30):
        client.request("GET", "http://192.0.2.7/x")
        answer = client.getresponse()
        assert answer.status == 403, answer.read()
        answer.read()
    s.ask("POST", "/v1/renew", {"ttl": "1h"})
    assert s.mode() == "armed"
    assert 'retrial_service_errors_total{service="192.0.2.7:80"} 0\n' in s.ask("GET", "/metrics")[2]


def test_a_resume_that_is_refused_leaves_no_file_behind(serve, tmp_path):
    s = serve(file=RULE + '[safety]\narmed_file = "armed"\n', begin=lambda: signal.signal(signal.SIGXFSZ, signal.SIG_IGN))
    resource.prlimit(s.process.pid, resource.RLIMIT_FSIZE, (0, 0))  # as of a disk that is full
    status, _, said = s.ask("POST", "/v1/resume")
    assert status == 409 and "cannot be written" in said["error"], said
    assert s.mode() == "observing" and not (tmp_path / "armed").exists()


def test_faults_that_cannot_be_audited_stay_off(serve):
    s = serve(file=RULE + '[safety]\naudit = "/dev/full"\n')
    status, _, said = s.ask("POST", "/v1/resume")
    assert status == 409 and "the audit log could not be written" in said["error"], said
    assert s.mode() == "halted" and s.status("/bad") == 200
    assert s.ctl("resume").returncode == 1


def test_nobody_is_told_that_faults_are_on_once_their_time_is_over(serve, tmp_path):
    s = serve(file=RULE + '[safety]\narmed_file = "armed"\n')
    s.ask("POST", "/v1/resume", {"ttl": "300ms"})
    while True:
        asked = datetime.datetime.now(datetime.timezone.utc)
        state = s.ask("GET", "/v1/state")[2]
        if state["mode"] == "halted":
            break
        assert datetime.datetime.fromisoformat(state["until"].replace("Z", "+00:00")) > asked - datetime.timedelta(milliseconds=2)
    assert "its time of 300 ms is over" in state["why"] and not (tmp_path / "armed").exists()


def test_whoever_idles_keeps_no_operator_out(serve, tmp_path):
    s = serve()
    idle = []
    for _ in range(200):
        idle.append(socket.socket(socket.AF_UNIX))
        idle[-1].connect(str(tmp_path / "admin.sock"))
    assert s.ctl("halt").returncode == 0
    assert retrial("health", "--admin", s.at, cwd=tmp_path, timeout=20).returncode == 0
    for one in idle:
        one.close()


def test_a_token_guards_a_port_and_pages_of_other_origins_are_refused(serve, tmp_path):
    s = serve(admin="127.0.0.1:0", file='[admin]\ntoken = "secret/token"\n')
    token = tmp_path / "secret/token"
    assert stat.S_IMODE(token.stat().st_mode) == 0o600
    good = {"Authorization": "Bearer " + token.read_text().strip()}
    assert s.ask("GET", "/v1/state", **good)[0] == 200
    assert s.ask("GET", "/v1/state")[0] == 401
    assert s.ask("POST", "/v1/resume", Authorization="Bearer " + "0" * 64)[0] == 401
    s.read_until("a wrong token was sent by 127.0.0.1:")
    assert s.ask("GET", "/health")[0] == 200
    assert s.ask("GET", "/v1/state", Host="attacker.example", **good)[0] == 421
    assert s.ask("POST", "/v1/halt", Origin="http://attacker.example", **good)[0] == 403
    done = retrial("ctl", "--admin", s.at, "--token", str(token), "state", cwd=tmp_path, timeout=30)
    assert done.returncode == 0 and done.stdout.startswith("observing"), done


@pytest.mark.parametrize("options, said", [
    (("--admin", "0.0.0.0:0"), "spoken to over TLS alone"),
    (("--admin", ":0"), "spoken to over TLS alone"),
    (("--admin", "nowhere"), "expected unix:PATH"),
    (("--admin", "unix:a.sock", "--forward", "127.0.0.1:0", "--inject", "error(503)"), "expected a percentage"),
])
def test_what_would_be_careless_is_refused_at_the_start(tmp_path, options, said):
    done = retrial("serve", "--ca", "ca", "--record", "none", "--reverse", "127.0.0.1:0=http://127.0.0.1:9", *options, cwd=tmp_path, timeout=20)
    assert done.returncode == 2 and said in done.stderr and len(done.stderr.strip().splitlines()) == 1, done


def test_a_rule_of_the_file_that_is_for_everything_is_refused_where_there_is_an_admin_side(tmp_path):
    (tmp_path / "retrial.toml").write_text('[admin]\n[[rule]]\ninject = "error(503)"\n')
    done = retrial("check", cwd=tmp_path)
    assert done.returncode == 2 and "[[rule]] 1: expected match.service" in done.stderr, done


def test_health_is_one_line_and_a_status(serve, tmp_path):
    s = serve()
    done = retrial("health", "--admin", s.at, cwd=tmp_path, timeout=20)
    assert (done.returncode, done.stdout) == (0, "ok: observing\n"), done
    done = retrial("health", "--listener", f"127.0.0.1:{s.port}", cwd=tmp_path, timeout=20)
    assert done.returncode == 0 and "accepts connections" in done.stdout, done
    s.end()
    for words in (("--admin", s.at), ("--listener", f"127.0.0.1:{s.port}")):
        done = retrial("health", *words, cwd=tmp_path, timeout=20)
        assert done.returncode == 1 and len(done.stdout.splitlines()) == 1, done
    assert retrial("health", "--listener", "nowhere", cwd=tmp_path).returncode == 2


def test_a_time_to_live_has_a_bound(serve, tmp_path):
    s = serve(file=RULE)
    for ttl in ("1000000h", "3000000h", "24h 1s", "0s", "-5m"):
        status, _, said = s.ask("POST", "/v1/resume", {"ttl": ttl})
        assert status == 400 and "ttl: expected a duration of at most 24h" in said["error"] and ttl in said["error"], said
        assert s.mode() == "observing"
    assert s.ask("POST", "/v1/resume", {"ttl": "24h"})[0] == 200
    (tmp_path / "retrial.toml").write_text('[safety]\nttl = "25h"\n')
    assert 'ttl: expected at most 24h' in retrial("check", cwd=tmp_path).stderr.replace('"', "")
    (tmp_path / "retrial.toml").write_text('[admin]\n[safety]\nttl = "none"\n')
    assert "with an admin side faults have an end" in retrial("check", cwd=tmp_path).stderr


def test_the_audit_log_says_what_a_rule_was_and_is(serve, tmp_path):
    s = serve(file=RULE + '[safety]\naudit = "audit.log"\n')
    for fault in ("error(500)", "error(502)"):
        s.ask("PUT", "/v1/rules/mine", {"match": {"service": "s"}, "inject": fault})
    s.ask("POST", "/v1/rules/bad/disable")
    s.ask("DELETE", "/v1/rules/mine")
    file = tmp_path / "retrial.toml"
    file.write_text(file.read_text().replace("error(503)", "error(507)"))
    s.process.send_signal(signal.SIGHUP)
    s.read_until("reloaded")
    told = [(l["what"], l["on"], (l["was"] or {}).get("inject"), (l["is"] or {}).get("inject"), (l["is"] or {}).get("enabled"))
            for l in map(json.loads, (tmp_path / "audit.log").read_text().splitlines()) if "was" in l]
    assert told == [("put rule", "mine", None, "error(500)", True), ("put rule", "mine", "error(500)", "error(502)", True),
                    ("disable rule", "bad", "error(503)", "error(503)", False), ("delete rule", "mine", "error(502)", None, None),
                    ("read the file again", "bad", "error(503)", "error(507)", True)], told
    assert 'audit: put rule: mine, by uid' in s.read_until('"inject":"error(500)"}, is {"name":"mine"')


def test_ctl_does_what_the_api_does(serve):
    s = serve(file=RULE)
    assert s.ctl("state").stdout.startswith("observing")
    assert "armed, for 4 min 59 s more" in s.ctl("resume", "--ttl", "5m").stdout.replace("5 min 0 s", "4 min 59 s")
    done = s.ctl("rules", "put", "mine", "--inject", "error(500)", "--match", "service=s", "--match", "path=/mine")
    assert done.returncode == 0 and "mine" in done.stdout, done
    assert s.status("/mine") == 500
    assert "fired 1 of 1 planned" in s.ctl("rules").stdout
    assert "fired 1 of 1 planned" in s.ctl("rules", "get", "mine").stdout
    assert "2 rules" in s.ctl("state").stdout
    done = s.ctl("rules", "look", "mine")
    assert done.returncode == 2 and "test command" not in done.stderr, done
    assert s.ctl("rules", "disable", "mine").returncode == 0 and s.status("/mine") == 200
    assert s.ctl("rules", "delete", "mine").returncode == 0
    done = s.ctl("rules", "put", "bad", "--inject", "error(500)", "--match", "service=s")
    assert done.returncode == 1 and "is of the file" in done.stderr, done
    assert "127.0.0.1:" in s.ctl("top", "--once").stdout
    assert s.ctl("halt", "--why", "tea").stdout.startswith("halted: halted by uid")
    assert s.ctl("drain").returncode == 0
    assert s.process.wait(timeout=30) == 0


def test_tail_prints_what_happens_a_line_each(serve, tmp_path):
    s = serve(file=RULE)
    with subprocess.Popen([RETRIAL, "ctl", "--admin", s.at, "tail"], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as tail:
        try:
            assert tail.stdout.readline().startswith('state {"mode":"observing"')
            s.ask("POST", "/v1/resume")
            assert tail.stdout.readline().startswith('state {"mode":"armed"')
            s.ask("POST", "/v1/rules/bad/disable")
            assert tail.stdout.readline().startswith('rules {"etag":')
            s.ask("POST", "/v1/halt", {"why": "tea"})
            assert "tea" in tail.stdout.readline()
        finally:
            tail.kill()


def test_events_are_told_as_they_happen(serve):
    s = serve(file=RULE)
    listening = s.connection()
    listening.request("GET", "/v1/events")
    events = listening.getresponse()
    assert events.getheader("Content-Type") == "text/event-stream"
    assert events.readline() == b"event: state\n"
    s.ask("POST", "/v1/resume")

    def next_of(kind):
        for line in events:
            if line == b"event: %s\n" % kind:
                return json.loads(events.readline()[6:])

    assert next_of(b"state")["mode"] == "armed"
    s.ask("PUT", "/v1/rules/mine", {"match": {"service": "s"}, "inject": "error(500)"})
    assert next_of(b"rules")["etag"] == s.ask("GET", "/v1/rules")[1]["ETag"]


def test_tls_and_a_token_let_it_be_elsewhere(serve, tmp_path):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "key.pem", "-out", "cert.pem",
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], cwd=tmp_path, check=True, capture_output=True)
    s = serve(admin="127.0.0.1:0", file='[admin]\ntoken = "token"\ncertificate = "cert.pem"\nkey = "key.pem"\n')
    assert s.at.startswith("https://127.0.0.1:")
    known = ("--token", "token", "--admin-ca", "cert.pem")
    done = retrial("ctl", "--admin", s.at, *known, "state", cwd=tmp_path, timeout=30)
    assert done.returncode == 0 and done.stdout.startswith("observing"), done
    done = retrial("ctl", "--admin", s.at, "--token", "token", "state", cwd=tmp_path, timeout=30)
    assert done.returncode == 2 and "not trusted" in done.stderr, done
