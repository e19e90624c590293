"""A small service for the samples of this folder: values, locks and jobs, by path. It runs in a thread of the program that
uses it, at a port of its own."""
import http.client
import http.server
import json
import threading


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version, wbufsize = "HTTP/1.1", -1

    def log_message(self, *_):
        pass

    def act(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        with self.server.lock:
            status, answer = self.answer(self.path.strip("/"), body)
        data = b"" if status == 204 else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_PUT = do_POST = do_DELETE = act

    def answer(self, path, body):
        values, held = self.server.values, self.server.held
        known = path in values
        if self.command == "GET":
            if known:
                return 200, {"value": values[path]}
            inside = sorted(name[len(path) + 1:] for name in values if name.startswith(path + "/"))
            return (200, {"names": inside}) if inside or path.endswith("s") else (404, {"error": "nothing there"})
        if self.command == "PUT":
            if known and self.headers.get("If-None-Match") == "*":
                return 412, {"error": "it is there", "value": values[path]}
            values[path] = body
            return 200 if known else 201, {}
        if self.command == "DELETE":
            return (204, None) if values.pop(path, None) is not None else (404, {"error": "nothing there"})
        thing, _, action = path.rpartition("/")
        if action in ("acquire", "take"):
            if held.get(thing) not in (None, body):
                return 409, {"error": "held", "by": held[thing]}
            held[thing] = body
            return 200, {"by": body}
        if action in ("release", "complete"):
            if held.pop(thing, None) is None:
                return 409, {"error": "nobody holds it"}
            if action == "complete":
                values.pop(thing, None)
            return 200, {}
        values[path] = str(int(values.get(path, "0")) + 1)
        return 200, {"value": values[path]}


class Server(http.server.ThreadingHTTPServer):
    daemon_threads, request_queue_size = True, 64


def serve(values=()):
    """The port at which it answers from now on."""
    server = Server(("127.0.0.1", 0), Handler)
    server.lock, server.values, server.held = threading.Lock(), dict(values), {}
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_port


class Refused(Exception):
    def __init__(self, status, what):
        super().__init__(f"{status} {what}")
        self.status = status


def call(port, method, path, body=None, headers=()):
    """What the service says; Refused where it refuses."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request(method, path, body, dict(headers))
        answer = connection.getresponse()
        text = answer.read().decode()
    finally:
        connection.close()
    if answer.status >= 400:
        raise Refused(answer.status, text)
    return json.loads(text) if text else None


def value(port, path):
    """What stands there, or None."""
    try:
        return call(port, "GET", path)["value"]
    except Refused as refused:
        if refused.status != 404:
            raise
        return None
