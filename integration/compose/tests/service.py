"""Takes orders, each of them as often as it comes."""
import http.server
import itertools

numbers = itertools.count(1)


class Orders(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = f'{{"order": {next(numbers)}}}'.encode()
        self.send_response(201)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


http.server.ThreadingHTTPServer(("0.0.0.0", 8080), Orders).serve_forever()
