"""The service behind the shop: everything in memory, on a free port of loopback."""
import http.server
import itertools
import json
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        shelf = self.server.shelf
        if self.path == "/orders":
            return self.answer(200, shelf["orders"])
        if self.path == "/parcels/next":  # takes it off the belt
            return self.answer(200, shelf["parcels"].pop(0))
        if self.path in shelf["pages"]:
            return self.answer(200, shelf["pages"][self.path])
        return self.answer(404, {"error": "not found"})

    def do_POST(self):
        order = dict(self.body(), number=next(self.server.numbers))
        self.server.shelf["orders"].append(order)
        return self.answer(201, order)

    def do_PUT(self):
        self.server.shelf["pages"][self.path] = self.body()
        return self.answer(200, {"stored": self.path})

    def body(self):
        text = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        return json.loads(text) if text else None

    def answer(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


def full():
    return {
        "orders": [],
        "parcels": ["bread", "milk", "tea"],
        "pages": {
            "/stock/tea": {"left": 3},
            "/prices/tea": {"pence": 240},
            "/menu": {"today": "soup"},
            "/customers/7": {"name": "Ada", "discount": 10},
            "/hours": {"open": "8 to 6"},
        },
    }


def start():
    """A new service; .server_address says where it is."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.numbers = itertools.count(1)
    server.shelf = full()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
