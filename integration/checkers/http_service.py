"""What both services have in common: a thread each connection, a port of their own, JSON."""
import http.client
import http.server
import json
import threading
import urllib.parse


class Answer:
    def __init__(self, status, body=None, headers=None):
        self.status, self.body, self.headers = status, body, headers or {}


class Service:
    """METHOD /kind/name/rest... is `method_kind(name, rest, body)`; a service that wants the query reads `self.query`."""

    def __init__(self):
        self.lock, self.query = threading.Lock(), {}

    def serve(self):
        handler = type("Handler", (Handler,), {"service": self})
        kind = type("Server", (http.server.ThreadingHTTPServer,), {"daemon_threads": True, "request_queue_size": 128})
        server = kind(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version, wbufsize, service = "HTTP/1.1", -1, None

    def log_message(self, *_):
        pass

    def act(self):
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        url = urllib.parse.urlsplit(self.path)
        kind, *rest = url.path.strip("/").split("/")
        act = getattr(self.service, f"{self.command.lower()}_{kind}", None)
        with self.service.lock:
            self.service.query = dict(urllib.parse.parse_qsl(url.query))
            name, rest = (rest[0], rest[1:]) if rest else (None, [])
            answer = act(name, rest, json.loads(data) if data else None) if act else Answer(404, {"error": "no such kind"})
        data = b"" if answer.body is None else json.dumps(answer.body).encode()
        self.send_response(answer.status)
        for key, value in answer.headers.items():
            self.send_header(key, value)
        if data:
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_PUT = do_POST = do_DELETE = do_PATCH = act


def call(port, method, path, body=None):
    """Status and answer."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        data = None if body is None else json.dumps(body)
        connection.request(method, path, data, {"Content-Type": "application/json"} if data else {})
        answer = connection.getresponse()
        text = answer.read().decode()
        return answer.status, json.loads(text) if text else None
    finally:
        connection.close()
