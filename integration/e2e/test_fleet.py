"""Recordings of several `retrial serve` brought together: judged as one, on one clock, and as a table that DuckDB reads."""
import http.client
import json
import pathlib
from types import SimpleNamespace

import duckdb
import pytest

from conftest import retrial
from test_admin import Serving, serve, service  # noqa: F401 (fixtures)

FAULT = '[[rule]]\nname = "pay"\nmatch = { service = "s", path = "/pay" }\ninject = "error(503) x 1, then pass"\n'


def ask(port, method, path, number):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request(method, path, b"{}" if method == "POST" else None,
                       {"traceparent": f"00-{number:032x}-{number:016x}-01", "x-retrial-call": f"call-{path}-{number // 10}"})
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status


@pytest.fixture
def fleet(tmp_path, service):  # noqa: F811
    """What a client sends through the sidecar of `shop` to that of `bank`, and on; with what both recorded."""
    for name in ("shop", "bank"):
        (tmp_path / name).mkdir()
    bank = Serving(tmp_path / "bank", service, "--record", "trace", serve="", rules=FAULT, armed=True)
    shop = Serving(tmp_path / "shop", SimpleNamespace(server_address=("127.0.0.1", bank.port)), "--record", "trace", serve="")
    for number in range(1, 21):
        assert ask(shop.port, "GET", "/stock", number) == 200
    assert [ask(shop.port, "POST", "/pay", number) for number in (30, 31)] == [503, 200]
    assert shop.end() == 0 and bank.end() == 0
    return tmp_path


def test_a_fleet_is_judged_together_and_its_clocks_are_tied(fleet):
    done = retrial("merge", "shop/trace", "bank/trace", "--out", "together", cwd=fleet)
    assert done.returncode in (0, 1), done
    assert "clocks: 2 of 2 are tied together by 2" in done.stdout, done.stdout
    said = json.loads((fleet / "together/fleet.json").read_text())
    assert [m["folder"] for m in said["members"]] == ["shop/trace", "bank/trace"]
    assert [m["exchanges"] for m in said["members"]] == [22, 22] and said["contradicted"] == 0
    for member in said["members"]:
        clock, = member["clocks"]
        assert clock["tied"] and abs(clock["offset_ms"]) <= clock["error_ms"] + 0.001, "both have the clock of this machine"
    findings = json.loads((fleet / "together/findings.json").read_text())
    alone = retrial("judge", "bank/trace", cwd=fleet)
    of_bank = json.loads((fleet / "bank/trace/findings.json").read_text())
    assert {f["id"] for f in of_bank["findings"]} <= {f["id"] for f in findings["findings"]}, alone
    for finding in findings["findings"] + findings["notes"]:
        assert "2 members: " in finding["message"]


def test_an_export_is_read_by_duckdb_with_the_times_of_one_clock(fleet):
    done = retrial("export", "--parquet", "fleet.parquet", "shop/trace", "bank/trace", cwd=fleet)
    assert done.returncode == 0 and done.stdout.startswith("fleet.parquet: 44 exchanges of 2 recordings\nclocks: 2 of 2"), done
    db = duckdb.connect()
    table = f"'{fleet / 'fleet.parquet'}'"
    assert db.sql(f"SELECT member, count(*), count(DISTINCT trace_id), count(call) FROM {table} GROUP BY 1 ORDER BY 1").fetchall() == \
        [("bank/trace", 22, 22, 22), ("shop/trace", 22, 22, 22)]
    assert db.sql(f"SELECT status, service_status, fault, fired, failed, attempt FROM {table} WHERE member = 'bank/trace' AND target = '/pay' "
                  "ORDER BY begun").fetchall() == [(503, None, "error(503)", True, True, 1), (200, 200, None, False, False, 2)]
    types = dict(db.sql(f"SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM {table})").fetchall())
    assert (types["begun"], types["ms"], types["failed"], types["call"], types["evidence"]) == \
        ("TIMESTAMP WITH TIME ZONE", "DOUBLE", "BOOLEAN", "BIGINT", "VARCHAR")
    # Where both saw an exchange, the one that sent it saw it first, give or take what is said.
    crossed = db.sql(f"SELECT count(*) FROM {table} a JOIN {table} b USING (trace_id) WHERE a.member = 'shop/trace' AND b.member = 'bank/trace' "
                     "AND b.begun_ns + a.begun_error_ns + b.begun_error_ns < a.begun_ns").fetchall()
    assert crossed == [(0,)]


def test_the_questions_of_the_page_are_answered(fleet):
    retrial("export", "--parquet", "fleet.parquet", "shop/trace", "bank/trace", cwd=fleet)
    page = (pathlib.Path(__file__).parents[2] / "docs/fleet.md").read_text()
    hot, gaps = (query.split("```")[0].replace("'fleet.parquet'", f"'{fleet / 'fleet.parquet'}'") for query in page.split("```sql\n")[1:])
    db = duckdb.connect()
    assert {row[1:3] for row in db.sql(hot).fetchall()} == {(2, 2)}, "each trace by both"
    assert [row[:2] for row in db.sql(gaps).fetchall()] == [("POST /pay", 2)]


def test_what_cannot_be_read_is_named_and_left_out(fleet):
    (fleet / "empty").mkdir()
    done = retrial("export", "--parquet", "fleet.parquet", "shop/trace", "empty", cwd=fleet)
    assert done.returncode == 4 and "empty: holds no trace of ours: neither campaign.db nor segments; it is left out" in done.stderr, done
    assert done.stdout.startswith("fleet.parquet: 22 exchanges of 1 recording\n")
    done = retrial("export", "--parquet", "no/such/folder.parquet", "shop/trace", cwd=fleet)
    assert done.returncode == 2 and "no/such/folder.parquet.part: cannot be written" in done.stderr, done
    done = retrial("merge", "shop/trace", "empty", cwd=fleet)
    assert done.returncode == 2 and "empty: expected a recording of `serve`, as the other folders are, found none" in done.stderr, done
    assert retrial("export", "--parquet", "x.parquet", "nowhere", cwd=fleet).returncode == 2
