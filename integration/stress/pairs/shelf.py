"""A small service for the samples: items in one list, in pages, and one by one. It runs in a thread of the program that uses it,
at a port of its own."""
import http.client
import http.server
import json
import threading
import urllib.parse

ITEMS = [{"id": f"item-{n}", "name": f"thing {n}", "price": 10 + n} for n in range(12)]
PAGE = 5


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version, wbufsize = "HTTP/1.1", -1

    def log_message(self, *_):
        pass

    def do_GET(self):
        path, _, query = self.path.partition("?")
        asked = dict(urllib.parse.parse_qsl(query))
        if path == "/all":
            return self.answer(200, {"items": ITEMS, "count": len(ITEMS)})
        if path == "/items":
            at = int(asked.get("cursor", "0"))
            after = at + PAGE
            return self.answer(200, {"items": ITEMS[at:after], "next_cursor": str(after) if after < len(ITEMS) else None})
        if path == "/pages":
            page = int(asked.get("page", "1"))
            rest = ITEMS[(page - 1) * PAGE:page * PAGE]
            return self.answer(200, {"items": rest, "page": page, "has_more": page * PAGE < len(ITEMS)})
        if path == "/export.csv":
            return self.answer(200, "".join(f"{item['id']},{item['price']}\n" for item in ITEMS).encode(), "text/csv")
        for item in ITEMS:
            if path == "/items/" + item["id"]:
                return self.answer(200, item)
        self.answer(404, {"error": "there is none"})

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.answer(200, {"done": True})

    do_PUT = do_POST

    def answer(self, status, value, kind="application/json"):
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def start():
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


class Failed(Exception):
    pass


def send(port, method, path, body=None, timeout=60):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        connection.request(method, path, json.dumps(body) if body is not None else None, {"Content-Type": "application/json"})
        response = connection.getresponse()
        data = response.read()
    finally:
        connection.close()
    if response.status >= 500:
        raise Failed(response.status)
    return json.loads(data)
