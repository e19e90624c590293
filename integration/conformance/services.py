"""Services that answer 200 with a body, and say what a proxy sent them that it must not have sent: in HTTP/1.1 and in HTTP/2, the
latter in clear text or TLS."""
import http.server
import socketserver
import ssl
import threading

import h2.config
import h2.connection
import h2.events
import h2.exceptions

BODY = b"what the service says, in more than a frame of a byte"


class Service(socketserver.ThreadingTCPServer):
    allow_reuse_address, daemon_threads, request_queue_size = True, True, 128

    def __init__(self, handler, tls=None):
        super().__init__(("127.0.0.1", 0), handler)
        self.port, self.tls, self.answered, self.faults = self.server_address[1], tls, 0, []
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def handle_error(self, request, address):
        pass  # connections end in every way here

    def __exit__(self, *error):
        self.shutdown()
        super().__exit__(*error)


class Http1(http.server.BaseHTTPRequestHandler):
    protocol_version, wbufsize = "HTTP/1.1", -1

    def answer(self):
        if self.headers.get("Transfer-Encoding"):
            while size := int(self.rfile.readline(), 16):
                self.rfile.read(size + 2)
            while self.rfile.readline().strip():
                pass
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.send_response(200)
        self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(BODY)
        self.server.answered += 1

    do_GET = do_POST = do_HEAD = answer

    def send_error(self, code, message=None, explain=None):
        # The preface is no mistake: a service in clear text is asked in HTTP/2 first.
        if not self.raw_requestline.startswith(b"PRI * HTTP/2.0"):
            self.server.faults.append(f"{code}: {self.raw_requestline!r}")
        super().send_error(code, message, explain)

    def log_message(self, *_):
        pass


class Http2(socketserver.BaseRequestHandler):
    def handle(self):
        stream = self.server.tls.wrap_socket(self.request, server_side=True) if self.server.tls else self.request
        self.connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        self.left = {}  # of each answer under way, by its stream
        self.connection.initiate_connection()
        stream.sendall(self.connection.data_to_send())
        while heard := stream.recv(65536):
            try:
                events = self.connection.receive_data(heard)
            except h2.exceptions.ProtocolError as error:
                self.server.faults.append(repr(error))
                return stream.sendall(self.connection.data_to_send())
            for event in events:
                self.take(event)
            for event in events:  # after all of them: a stream may have been ended and reset in one go
                if isinstance(event, h2.events.StreamEnded) and event.stream_id in self.left:
                    self.connection.send_headers(event.stream_id, [(":status", "200"), ("content-length", str(len(BODY)))])
            self.write()
            stream.sendall(self.connection.data_to_send())

    def take(self, event):
        if isinstance(event, h2.events.DataReceived):
            self.connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
        elif isinstance(event, h2.events.StreamEnded):
            self.left[event.stream_id] = BODY
        elif isinstance(event, h2.events.StreamReset):
            self.left.pop(event.stream_id, None)

    def write(self):
        for stream, rest in list(self.left.items()):
            room = min(self.connection.local_flow_control_window(stream), self.connection.max_outbound_frame_size)
            if room <= 0:
                continue
            self.connection.send_data(stream, rest[:room], end_stream=len(rest) <= room)
            self.left[stream] = rest[room:]
            if len(rest) <= room:
                del self.left[stream]
                self.server.answered += 1


def tls(certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["h2"])
    return context
