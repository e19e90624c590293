"""A small service for the samples: blobs, jobs, locks and files that are written in parts. It runs in a thread of the program
that uses it, at a port of its own."""
import http.client
import http.server
import itertools
import json
import threading


class State:
    def __init__(self):
        self.lock, self.blobs, self.jobs, self.locks, self.files = threading.Lock(), {}, {}, {}, {}
        self.numbers = itertools.count(1)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version, wbufsize = "HTTP/1.1", -1

    def log_message(self, *_):
        pass

    def act(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        kind, *rest = self.path.strip("/").split("/")
        with self.server.state.lock:
            status, answer, headers = getattr(self, kind)(rest, body)
        data = b"" if status == 204 else json.dumps(answer).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_PUT = do_POST = do_DELETE = act

    def blobs(self, rest, body):
        blobs = self.server.state.blobs
        if not rest:
            return 200, {"names": sorted(blobs)}, {}
        name, known = rest[0], rest[0] in blobs
        if self.command == "PUT":
            blobs[name] = body.decode()
            return 200 if known else 201, {}, {}
        if not known:
            return 404, {"error": "no such blob"}, {}
        if self.command == "DELETE":
            del blobs[name]
            return 204, None, {}
        return 200, {"text": blobs[name]}, {}

    def jobs(self, rest, body):
        jobs = self.server.state.jobs
        if self.command == "POST" and not rest:
            number = f"job-{next(self.server.state.numbers):05}"
            jobs[number] = {"id": number, "state": "open", "what": json.loads(body)["what"], "completed": 0}
            return 201, jobs[number], {"Location": f"/jobs/{number}"}
        if not rest:
            return 200, {"jobs": list(jobs.values())}, {}
        job = jobs.get(rest[0])
        if job is None:
            return 404, {"error": "no such job"}, {}
        if rest[1:] == ["complete"]:
            job["state"] = "done"
            job["completed"] += 1
            return 200, job, {}
        if self.command == "DELETE":
            del jobs[rest[0]]
            return 204, None, {}
        return 200, job, {}

    def locks(self, rest, body):
        held = self.server.state.locks
        name, action = rest[:2]
        if self.command == "PUT":  # an entry, under the lock
            return (200, {}, {}) if held.get(name) else (412, {"error": "the lock is not held"}, {})
        if (action == "acquire") == bool(held.get(name)):
            return 409, {"error": "held" if held.get(name) else "not held"}, {}
        held[name] = action == "acquire"
        return 200, {}, {}

    def files(self, rest, body):
        files = self.server.state.files
        file = files.setdefault(rest[0], {"parts": {}, "closed": False})
        if rest[1:2] == ["parts"] and self.command == "PUT":
            if file["closed"]:
                return 409, {"error": "it is closed"}, {}
            file["parts"][rest[2]] = body.decode()
            return 200, {}, {}
        if rest[1:] == ["close"]:
            file["closed"] = True
            return 200, {"parts": len(file["parts"])}, {}
        return 200, {"text": "".join(file["parts"][key] for key in sorted(file["parts"])), "closed": file["closed"]}, {}


class Server(http.server.ThreadingHTTPServer):
    daemon_threads, request_queue_size = True, 64


def serve():
    """The port at which it answers from now on."""
    server = Server(("127.0.0.1", 0), Handler)
    server.state = State()
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
