"""What `export --parquet` writes, as DuckDB and pyarrow read it: the same values in both, and in the access log of who recorded them."""
import json
import pathlib
import subprocess

READ = """
import json, sys
import duckdb, pyarrow.parquet as pq
file, log = sys.argv[1:]
table = pq.read_table(file)
meta = pq.ParquetFile(file).metadata
assert meta.num_rows == table.num_rows and meta.created_by == "retrial" , meta
assert json.loads(table.schema.metadata[b"retrial.fleet"])["version"] == 1
names = table.schema.names
mine = table.set_column(names.index("begun"), "begun", table["begun"].cast("int64")).to_pylist()
assert str(table.schema.field("begun").type) == "timestamp[us, tz=UTC]"
db = duckdb.connect()
theirs = db.sql(f"SELECT * REPLACE (epoch_us(begun) AS begun) FROM '{file}'").fetchall()
assert len(mine) == len(theirs)
for row, other in zip(mine, theirs):
    assert tuple(row[name] for name in names) == other, (row, other)
said = {line["id"]: line for line in map(json.loads, open(log))}
assert len(said) == len(mine)
for row in mine:
    line = said[row["exchange"]]
    assert row["begun"] == row["begun_ns"] // 1000
    assert (row["method"], row["target"], row["service"], row["operation"]) == (line["method"], line["target"], line["service"], line["operation"])
    assert str(row["status"]) == line["status"] and row["ending"] == line["ending"] and row["evidence"] == line.get("evidence"), (row, line)
    assert row["call"] == line["call"] and row["attempt"] == line["attempt"] and abs(row["ms"] - line["ms"]) < 0.001
    assert row["fault"] == line.get("fault") and row["fired"] == (line.get("fired") == "yes")
for column in range(meta.num_columns):
    group = meta.row_group(0).column(column)
    if group.statistics and group.statistics.has_min_max:
        values = [row[group.path_in_schema] for row in mine[: meta.row_group(0).num_rows] if row[group.path_in_schema] is not None]
        low, high = (x.value if hasattr(x, "value") else x for x in (group.statistics.min, group.statistics.max))
        if group.path_in_schema != "begun":
            assert (low, high) == (min(values), max(values)), group
print(len(mine), "rows the same in both")
"""


def run(place):
    import http.client
    import signal
    import threading
    import http.server

    from otel import Service, accepting
    folder = pathlib.Path(place.work) / "parquet"
    subprocess.run(["rm", "-rf", folder], check=True)
    folder.mkdir(parents=True)
    service = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Service)
    threading.Thread(target=service.serve_forever, daemon=True).start()
    (folder / "retrial.toml").write_text(
        f'[serve]\nrecord = "trace"\n[service.s]\naddress = "127.0.0.1:{service.server_address[1]}"\n[[listener]]\nmode = "reverse"\nlisten = "127.0.0.1:8901"\n'
        'service = "s"\n[[rule]]\nmatch = { service = "s", path = "/bad*" }\ninject = "error(503)"\n[telemetry]\naccess_log = "access.log"\n')
    process = subprocess.Popen([place.retrial, "serve", "--ca", folder / "ca"], cwd=folder, stderr=subprocess.DEVNULL)
    accepting(8901, process)
    words = ["/good", "/bad", "/caf\u00e9", "/a b", "/" + "x" * 300]
    connection = http.client.HTTPConnection("127.0.0.1", 8901, timeout=20)
    for n in range(400):
        target = words[n % 5].encode().decode("latin-1").replace(" ", "%20") + f"?n={n}"
        connection.putrequest("GET", target.encode("ascii", "ignore").decode() or "/")
        connection.putheader("traceparent", f"00-{n + 1:032x}-{n + 1:016x}-01")
        connection.endheaders()
        connection.getresponse().read()
    connection.close()
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0
    done = subprocess.run([place.retrial, "export", "--parquet", "t.parquet", "trace"], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0 and json.dumps(done.stdout).startswith('"t.parquet: 400 exchanges of 1 recording'), done
    read = subprocess.run([place.cache / "python/bin/python", "-c", READ, "t.parquet", "access.log"], cwd=folder, capture_output=True, text=True)
    assert read.returncode == 0, read.stderr[-3000:]
    print("  ", read.stdout.strip())
