"""A small JSON service on 127.0.0.1 for the sample programs: routes are path patterns and functions."""
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit


class Request:
    def __init__(self, base, query, groups, body):
        self.base = base
        self.query = query
        self.groups = groups
        self.body = body

    def number(self, name, default):
        try:
            return int(self.query.get(name, default))
        except ValueError:
            return default


def serve(routes):
    """Starts the service in a thread of its own and returns its address."""
    table = [(re.compile(pattern + r"\Z"), function) for pattern, function in routes.items()]

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 65536
        disable_nagle_algorithm = True

        def answer(self):
            parts = urlsplit(self.path)
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length) if length else b""
            status, value = 404, {"error": "not found"}
            for pattern, function in table:
                found = pattern.match(parts.path)
                if found:
                    base = "http://" + self.headers.get("Host", "127.0.0.1")
                    request = Request(base, dict(parse_qsl(parts.query)), found.groups(), body)
                    status, value = 200, function(request)
                    break
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = answer
        do_POST = answer

        def log_message(self, *args):
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 64

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return "http://127.0.0.1:%d" % server.server_address[1]
