"""Answers every request: 201 to what is posted, else 200, and "12". Says where."""
import http.server


class Shop(http.server.BaseHTTPRequestHandler):
    protocol_version, wbufsize = "HTTP/1.1", -1

    def do_GET(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(201 if self.command == "POST" else 200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"12")

    do_POST = do_GET

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Shop)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
