"""A service of documents in 20 collections, 200 checkers of it, and a load that meets them: for what checkers cost `serve`.

The ten checkers of a collection are of the kinds that `retrial learn` makes of `integration/checkers/stock.py` and its tests."""
import subprocess
import threading

import peers
from process import Process, free_port

COLLECTIONS, DOCUMENTS = 20, 50
WRITES = 10  # one request in so many
# (rule, its operations and fields); {c} is a collection
RULES = (
    ("reads-back", 'after = "POST /{c}/{{id}}"\nthen = "GET /{c}/{{id}}"\nfields = ["title = title", "state = state"]'),
    ("agrees", 'after = "POST /{c}/{{id}}"\nthen = "GET /{c}/{{id}}"\nfields = ["version = version"]'),
    ("becomes", 'after = "POST /{c}/{{id}}"\nthen = "GET /{c}/{{id}}"\nfields = ["\'open\' = state"]'),
    ("keeps", 'after = "POST /{c}/{{id}}"\nthen = "GET /{c}/{{id}}"\nfields = ["owner"]'),
    ("adds", 'after = "POST /{c}/{{id}}"\nthen = "GET /{c}"\nfields = ["+1 = written"]'),
    ("gone", 'after = "DELETE /{c}/{{id}}"\nthen = "GET /{c}/{{id}}"'),
    ("listed", 'after = "POST /{c}/{{id}}"\nthen = "GET /{c}"\nfields = ["{{path}} = rows[].id"]'),
    ("never-falls", 'then = "GET /{c}/{{id}}"\nfields = ["version"]'),
    ("same-answer", 'then = "GET /{c}/{{id}}"'),
    ("echoes", 'then = "GET /{c}/{{id}}"\nfields = ["{{path}} = id"]'),
)
HTTP = r"""server {{ listen 127.0.0.1:{port}; default_type application/json;
  location ~ ^/c\d+/(\d+)$ {{ return 200 '{{"id":"$1","title":"a title of a document","state":"open","owner":"ann","version":1,"text":"{text}"}}'; }}
  location / {{ return 200 "{body}"; }} }}"""


def checkers():
    parts = []
    for c in range(COLLECTIONS):
        for rule, operations in RULES:
            parts.append(f'[[checker]]\nname = "{rule}-c{c}"\nrule = "{rule}"\nservice = "*"\n{operations.format(c=f"c{c}")}\n')
    return "\n".join(parts)


def service(directory):
    port = free_port()
    http = HTTP.format(port=port, text="w" * 400, body="x" * 1024)
    process = Process("documents", peers.nginx_command(directory, "documents", http), directory)
    process.port = port
    process.answers(port)
    return process


class Load:
    """Reads and writes of documents at once, by h2load, at a rate that `serve` puts in order (docs/limits.md)."""

    def __init__(self, directory):
        self.body = directory / "document.json"
        self.body.write_text('{"title":"a title of a document","state":"open"}')
        self.paths = directory / "paths"
        self.paths.write_text("".join(f"http://127.0.0.1/c{n % COLLECTIONS}/{n}\n" for n in range(DOCUMENTS)))

    def ask(self, port, count, rate=None):
        writes = count // WRITES
        ask = lambda n, clients, *more: subprocess.run(
            [peers.need("h2load"), "--h1", "-t1", f"-c{clients}", f"-n{n}", "-B", f"http://127.0.0.1:{port}", "-i", self.paths,
             *([f"--rps={rate * n // count // clients}"] if rate else []), *more], check=True, capture_output=True)
        other = threading.Thread(target=ask, args=(writes, 1, "-d", self.body, "-H", "content-type: application/json"))
        other.start()
        ask(count - writes, 7)
        other.join()
