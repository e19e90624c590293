"""Faults of connections, by seccomp: what the program hears, and what the trace says of it."""
import sqlite3

import pytest

from conftest import like_docker, retrial
from test_serve import service, url  # noqa: F401 (a fixture)

ASK = """
import sys, time, urllib.request
began = time.monotonic()
for attempt in range(int(sys.argv[2])):
    try:
        print(urllib.request.urlopen(sys.argv[1], timeout=float(sys.argv[3])).status)
    except OSError as e:
        print(type(getattr(e, "reason", e)).__name__)
print("late" if time.monotonic() - began > 0.2 else "at once")
"""


@pytest.fixture(params=["the first way that works", "rewrite"])
def before(request):
    return like_docker if request.param == "rewrite" else None


def observe(tmp_path, fault, *args, before):
    out = tmp_path / "out"
    done = retrial("observe", "--no-reference", "--capture", "seccomp", "--inject", fault, "--out", out, "--", "python3", "-c", ASK, *args, cwd=tmp_path,
                   before=before)
    db = sqlite3.connect(out / "campaign.db")
    met = db.execute("SELECT fault, fired, evidence, times, exchange FROM connection_fault").fetchall()
    return done, met, db.execute("SELECT fault, fired, evidence, client_status FROM exchange ORDER BY id").fetchall()


def test_a_refused_connection_is_in_the_trace_also_where_no_request_followed(tmp_path, service, before):
    done, met, exchanges = observe(tmp_path, "refuse-connect", url(service()), "1", "5", before=before)
    assert done.stdout.splitlines()[0] == "ConnectionRefusedError", done.stderr
    assert met == [("refuse-connect", 1, "the connection was refused", 1, 0)]
    assert exchanges == []
    assert "refuse-connect: the connection was refused" in done.stderr


def test_the_next_request_carries_what_its_connections_met(tmp_path, service, before):
    done, met, exchanges = observe(tmp_path, "refuse-connect x 2, then pass", url(service()), "3", "5", before=before)
    assert done.stdout.splitlines() == ["ConnectionRefusedError", "ConnectionRefusedError", "200", "at once"], done.stderr
    assert met == [("refuse-connect", 1, "the connection was refused", 2, 1)]
    assert exchanges == [("refuse-connect", 1, "the connection was refused, 2 times", 200)]


def test_a_connect_that_is_never_answered_ends_with_the_client_s_patience(tmp_path, service, before):
    done, met, _ = observe(tmp_path, "connect-timeout x 1, then pass", url(service()), "2", "0.3", before=before)
    assert done.stdout.splitlines() == ["TimeoutError", "200", "late"], done.stderr
    assert met == [("connect-timeout", 1, "the connection was never answered", 1, 1)]


def test_a_slow_connect_is_answered_after_its_time(tmp_path, service, before):
    done, met, exchanges = observe(tmp_path, "slow-connect(300ms)", url(service()), "1", "5", before=before)
    assert done.stdout.splitlines() == ["200", "late"], done.stderr
    assert [m[1] for m in met] == [1] and [e[1] for e in exchanges] == [1]


def test_a_fault_of_tls_on_clear_text_says_why_it_did_not_fire(tmp_path, service, before):
    done, met, exchanges = observe(tmp_path, "tls-refuse", url(service()), "1", "5", before=before)
    assert met == [("tls-refuse", 0, "nothing of TLS was opened on it", 1, 0)], done.stderr
    assert exchanges == [("pass", 0, "", 200)]
    assert "tls-refuse: not fired: nothing of TLS was opened on it" in done.stderr
