"""`retrial serve` as a user starts it, and `--capture` of `observe`."""
import contextlib
import http.client
import os
import pathlib
import signal
import socket
import subprocess
import threading

import pytest

from conftest import Answering, RETRIAL, retrial, serving


class Handler(Answering):
    def do_GET(self):
        self.server.seen.append(self.path)
        self.answer(self.server.body)


@pytest.fixture
def service():
    """service(body) -> a server on a port of its own that answers so, with the paths it has seen."""
    with contextlib.ExitStack() as made:

        def make(body=b"one"):
            server = made.enter_context(serving(Handler))
            server.body, server.seen = body, []
            return server

        yield make


def url(server):
    return "http://127.0.0.1:%d" % server.server_address[1]


class Serving:
    """A `retrial serve` with its log, from the moment on at which it listens."""

    def __init__(self, cwd, *options):
        self.process = subprocess.Popen([RETRIAL, "serve", "--ca", str(cwd / "ca"), *options], cwd=cwd, stdin=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True)
        self.log, self.ports = [], []
        self.read_until("listening on ")

    def read_until(self, part):
        patience = threading.Timer(120, self.process.kill)  # a line that never comes is a failure, and no wait
        patience.start()
        try:
            for line in self.process.stderr:
                self.log.append(line.rstrip())
                if "listening on " in line:
                    self.ports.append(int(line.split("listening on ")[1].split()[0].rsplit(":", 1)[1]))
                if part in line:
                    return line
        finally:
            patience.cancel()
        raise AssertionError(f"{part!r} never came: {self.log}")

    def client(self, n=-1):
        return http.client.HTTPConnection("127.0.0.1", self.ports[n], timeout=20)

    def end(self):
        self.process.terminate()
        self.log += self.process.stderr.read().splitlines()
        return self.process.wait(timeout=30)


@pytest.fixture
def serve(tmp_path):
    started = []

    def start(*options):
        started.append(Serving(tmp_path, *options))
        return started[-1]

    yield start
    for serving in started:
        if serving.process.poll() is None:
            serving.process.kill()
        serving.process.communicate()


def get(client, path="/"):
    client.request("GET", path)
    answer = client.getresponse()
    return answer.status, answer.read()


def test_it_works_without_a_file(serve, service):
    behind = service()
    serving = serve("--reverse", f"127.0.0.1:0={url(behind)}", "--inject", "error(503) x 2, then pass")
    client = serving.client()
    assert [get(client)[0] for _ in range(3)] == [503, 503, 200]
    assert behind.seen == ["/"]
    assert serving.end() == 0
    assert list((pathlib.Path(serving.process.args[3]).parent / ".retrial").glob("serve-*/*.seg")), serving.log


def test_a_file_is_read_again_on_sighup_and_a_keep_alive_connection_goes_on(serve, service, tmp_path):
    one, two = service(b"one"), service(b"two")
    file = tmp_path / "retrial.toml"

    def write(server, port, rule=""):
        file.write_text(f'[service.s]\naddress = "{url(server)}"\n[[listener]]\nmode = "reverse"\nlisten = "127.0.0.1:{port}"\n'
                        f'service = "s"\n{rule}')

    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    write(one, port)
    serving = serve("--record", "none", "--loops", "2")
    kept = serving.client()
    assert get(kept) == (200, b"one")
    write(two, port, '[[rule]]\nmatch = { path = "/bad" }\ninject = "error(500)"\n')
    serving.process.send_signal(signal.SIGHUP)
    serving.read_until("reloaded")
    assert get(kept) == (200, b"one")
    assert get(kept, "/bad")[0] == 500
    assert get(serving.client()) == (200, b"two")
    file.write_text("[[listener]]\nmode = 3\nlisten = \":1\"\n")
    serving.process.send_signal(signal.SIGHUP)
    assert "retrial.toml:2: [[listener]] mode" in serving.read_until("not reloaded")
    assert get(serving.client()) == (200, b"two")
    kept.close()
    assert serving.end() == 0


def test_it_ends_when_the_last_answer_has_gone(serve, service):
    serving = serve("--reverse", f"127.0.0.1:0={url(service())}", "--record", "none")
    client = serving.client()
    assert get(client)[0] == 200
    assert serving.end() == 0
    assert any("draining: 1 open connection" in line for line in serving.log), serving.log
    assert serving.log[-1].endswith("ended"), serving.log


def test_a_forward_proxy_takes_absolute_urls_and_http_inside_connect(serve, service):
    behind = service()
    serving = serve("--forward", "127.0.0.1:0", "--record", "none", "--inject", "error(503) x 1, then pass")
    client = serving.client()
    assert get(client, url(behind) + "/absolute")[0] == 503
    assert get(client, url(behind) + "/absolute") == (200, b"one")
    inside = serving.client()
    inside.set_tunnel(*behind.server_address)
    assert [get(inside, "/inside")[0] for _ in range(2)] == [503, 200]
    assert behind.seen == ["/absolute", "/inside"]


def test_a_forward_proxy_leads_to_loopback_alone_unless_it_is_opened(serve, service):
    behind = service()
    elsewhere = url(behind).replace("127.0.0.1", "0.0.0.0")  # by which Linux connects to loopback
    serving = serve("--forward", "127.0.0.1:0", "--record", "none")
    assert get(serving.client(), url(behind)) == (200, b"one")
    for target in (elsewhere, "http://169.254.169.254/latest/meta-data/", "http://10.0.0.9/"):
        status, body = get(serving.client(), target)
        assert status == 403 and b"--forward-to" in body and body.count(b"\n") == 1, body
    serving.end()
    assert sum("answered 403" in line for line in serving.log) == 3, serving.log
    opened = serve("--forward", "127.0.0.1:0", "--forward-to", "0.0.0.0/0", "--record", "none")
    assert any("leads everywhere" in line for line in opened.log), opened.log
    assert get(opened.client(), elsewhere) == (200, b"one")
    assert get(opened.client(), "http://169.254.169.254/latest/meta-data/")[0] == 403


def test_faults_reach_no_service_elsewhere_unless_it_is_allowed(serve, service):
    behind = service()
    elsewhere = url(behind).replace("127.0.0.1", "0.0.0.0")
    options = ("--reverse", f"127.0.0.1:0={elsewhere}", "--record", "none", "--inject", "error(503)")
    serving = serve(*options)
    assert any("no fault will reach it: 0.0.0.0 is neither loopback nor private" in line for line in serving.log), serving.log
    assert get(serving.client()) == (200, b"one")
    serving.end()
    assert any("error(503) was not fired: 0.0.0.0 is neither" in line for line in serving.log), serving.log
    assert get(serve(*options, "--allow", "0.0.0.0").client())[0] == 503


def test_a_service_that_does_not_answer_is_answered_for_in_time(serve, tmp_path):
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full, socket.create_connection(full.getsockname()):
        (tmp_path / "retrial.toml").write_text('[service.s]\naddress = "127.0.0.1:%d"\nconnect_timeout = "50ms"\n[[listener]]\n'
                                               'mode = "reverse"\nlisten = "127.0.0.1:0"\nservice = "s"\n' % full.getsockname()[1])
        status, body = get(serve("--record", "none").client())
    assert status == 504 and b"connect: no answer within 50 ms" in body, body


@pytest.mark.parametrize("options, said", [
    ((), "no listener is named"),
    (("--reverse", "127.0.0.1:0"), "expected LISTEN=URL"),
    (("--reverse", "127.0.0.1=http://127.0.0.1:1"), "expected an address and a port"),
    (("--reverse", "127.0.0.1:0=queue"), "expected the service's URL"),
    (("--forward", "203.0.113.7:80"), "203.0.113.7:80: cannot listen"),
    (("--reverse", "127.0.0.1:0=http://127.0.0.1:1", "--inject", "eror(503)"), "did you mean `error`?"),
    (("--forward", "127.0.0.1:0", "--protocol", "udp"), "expected http, auto or tcp"),
    (("--forward", "127.0.0.1:0", "--forward-to", "10.0.0.0/99"), "expected a prefix from 0 to 32"),
    (("--reverse", "127.0.0.1:0=http://127.0.0.1:1", "--forward-to", "*"), "expected --forward LISTEN beside it"),
    (("--reverse", "127.0.0.1:0=http://127.0.0.1:1", "--allow", "http://x"), "expected a name, an address or a network"),
    (("-c", "none.toml"), "none.toml: cannot be read"),
])
def test_what_cannot_be_is_one_line(tmp_path, options, said):
    done = retrial("serve", "--ca", "ca", "--record", "none", *options, cwd=tmp_path, timeout=20)
    lines = [line for line in done.stderr.splitlines() if line.startswith("retrial: ")]
    assert done.returncode == 2 and len(lines) == 1 and said in lines[0], done


def test_a_port_in_use_is_one_line(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = retrial("serve", "--ca", "ca", "--record", "none", "--forward", f"127.0.0.1:{port}", cwd=tmp_path, timeout=20)
    assert done.returncode == 2 and f"127.0.0.1:{port}: cannot listen: Address already in use" in done.stderr, done


def test_an_unknown_service_is_named_with_the_nearest(tmp_path):
    (tmp_path / "retrial.toml").write_text('[service.queue]\naddress = "127.0.0.1:1"\n[[listener]]\nmode = "reverse"\n'
                                           'listen = "127.0.0.1:0"\nservice = "quue"\n')
    done = retrial("serve", "--ca", "ca", cwd=tmp_path, timeout=20)
    assert done.returncode == 2 and 'retrial.toml:6: [[listener]] service: ' in done.stderr and '"queue"' in done.stderr, done


def test_a_command_can_be_led_through_a_forward_proxy(tmp_path, service, python):
    behind = service()
    code = f"import urllib.request as r; print(r.urlopen('{url(behind)}/x').status)"
    done = retrial("observe", "--capture", "forward", "--inject", "delay(1ms)", "--", python, "-c", code, cwd=tmp_path,
                   env={k: "" for k in os.environ if k.lower() == "no_proxy"})
    assert done.returncode == 0 and "200" in done.stdout, done
    assert "GET /x" in done.stderr, done


def test_doctor_says_one_line_for_each_way(tmp_path):
    done = retrial("doctor", cwd=tmp_path)
    for way in ("seccomp (getfd)", "seccomp (rewrite)", "redirect", "forward", "reverse"):
        assert sum(line.startswith(way + ": ") for line in done.stdout.splitlines()) == 1, done
    assert "`retrial run` will use " in done.stdout, done


def test_where_nothing_can_be_written_the_way_out_is_named(tmp_path):
    (tmp_path / ".retrial").write_text("in the way of the folder, as a read-only root is")
    (tmp_path / "trace").write_text("likewise")
    for options in ([], ["--record", "trace"], ["--record", "/proc/trace"]):
        done = retrial("serve", "--reverse", "127.0.0.1:0=http://127.0.0.1:9", *options, cwd=tmp_path)
        assert done.returncode == 2 and len(done.stderr.strip().splitlines()) == 1, done
        assert "--record none" in done.stderr, done
    done = retrial("observe", "--", "true", cwd=tmp_path)
    assert done.returncode == 2 and "--out" in done.stderr, done
