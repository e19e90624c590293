"""What `retrial serve` takes up at most, as docs/limits.md says, where it takes the whole program to see it."""
import os
import resource
import signal
import socket
import threading
import time

import pytest

from conftest import retrial
from test_serve import Handler, get, serve, service, url  # noqa: F401: fixtures


@pytest.fixture
def silent():
    """A service that accepts, and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        kept = []

        def accept():
            try:
                while True:
                    kept.append(server.accept()[0])
            except OSError:
                pass

        threading.Thread(target=accept, daemon=True).start()
        yield "http://127.0.0.1:%d" % server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        for connection in kept:
            connection.close()


def asking(serving):
    """A request that is under way."""
    client = socket.create_connection(("127.0.0.1", serving.ports[-1]), timeout=20)
    client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    time.sleep(0.3)
    return client


def test_too_few_open_files_are_one_line(tmp_path):
    few = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (90, 90))  # noqa: E731
    done = retrial("serve", "--ca", "ca", "--record", "none", "--loops", "1", "--reverse", "127.0.0.1:0=http://127.0.0.1:1", cwd=tmp_path,
                   timeout=20, before=few)
    lines = [line for line in done.stderr.splitlines() if line.startswith("retrial: ")]
    assert done.returncode == 2 and len(lines) == 1, done
    assert "the limit on open files is 90: expected at least 99 open files, for 97 of our own" in lines[0], done


def test_as_many_open_files_are_taken_as_the_hard_limit_allows(serve, service):
    serving = serve("--reverse", f"127.0.0.1:0={url(service())}", "--record", "none")
    with open(f"/proc/{serving.process.pid}/limits") as limits:
        soft, hard = next(line for line in limits if line.startswith("Max open files")).split()[3:5]
    assert soft == hard, (soft, hard)


@pytest.mark.parametrize("options, loops", [((), len(os.sched_getaffinity(0))), (("--loops", "3"), 3)])
def test_threads_are_the_loops_and_one(serve, service, options, loops):
    serving = serve("--reverse", f"127.0.0.1:0={url(service())}", "--record", "none", *options)
    assert get(serving.client()) == (200, b"one")
    assert len(os.listdir(f"/proc/{serving.process.pid}/task")) == loops + 1


def test_the_drain_time_is_the_longest_that_it_goes_on(serve, silent, tmp_path):
    file = tmp_path / "retrial.toml"
    listener = f'[service.s]\naddress = "{silent}"\n[[listener]]\nmode = "reverse"\nlisten = "127.0.0.1:0"\nservice = "s"\n'
    file.write_text('[serve]\ndrain = "1h"\nbody = "10MiB"\n' + listener)
    serving = serve("--record", "none")
    file.write_text('[serve]\ndrain = "300ms"\nbody = "1MiB"\n' + listener)
    serving.process.send_signal(signal.SIGHUP)
    assert "[serve] stays as it was until the next start, but for drain" in serving.read_until("reloaded")
    client = asking(serving)
    began = time.monotonic()
    assert serving.end() == 0
    assert 0.3 <= time.monotonic() - began < 5
    assert any("the drain time is over: 1 connection is ended" in line for line in serving.log), serving.log
    client.close()


@pytest.mark.parametrize("first", [signal.SIGTERM, signal.SIGINT])
def test_a_second_signal_ends_it_at_once(serve, silent, first):
    serving = serve("--reverse", f"127.0.0.1:0={silent}", "--record", "none")
    client = asking(serving)
    began = time.monotonic()
    serving.process.send_signal(first)
    serving.read_until("draining: 1 open connection")
    serving.process.send_signal(signal.SIGINT)
    assert serving.process.wait(timeout=20) == 130
    assert time.monotonic() - began < 5
    client.close()
