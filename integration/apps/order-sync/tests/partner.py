"""A stand-in for the partners' web services, on a thread of the test's own process."""

import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

PRODUCTS = {
    "lamp-1": {"sku": "lamp-1", "title": "Desk lamp", "weight_g": 800},
    "lamp-2": {"sku": "lamp-2", "title": "Floor lamp", "weight_g": 4200},
    "sofa-1": {"sku": "sofa-1", "title": "Sofa", "weight_g": 38000},
}
PRICES = {("DE", "lamp-1"): "24.90", ("DE", "lamp-2"): "79.00", ("AT", "lamp-1"): "25.90"}


class Partner:
    def __init__(self) -> None:
        self.stock = {"lamp-1": 10, "lamp-2": 0, "sofa-1": 3}
        self.reservations = {}
        self.discounts = {}
        self.labels = []
        self.requests = Counter()
        self.hiccups = Counter()
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    @property
    def url(self) -> str:
        return "http://127.0.0.1:%d" % self._server.server_address[1]

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def fail_once(self, method: str, path: str) -> None:
        self.hiccups[method, path] += 1

    def answer(self, method: str, target: str, body: dict) -> tuple[int, dict]:
        url = urlsplit(target)
        with self._lock:
            self.requests[method, url.path] += 1
            if self.hiccups[method, url.path]:
                self.hiccups[method, url.path] -= 1
                return 503, {"error": "restarting"}
            match (method, *url.path.strip("/").split("/")):
                case ("GET", "products"):
                    text = parse_qs(url.query)["q"][0].lower()
                    found = [p for p in PRODUCTS.values() if text in p["title"].lower()]
                    return 200, {"items": found}
                case ("GET", "products", sku) if sku in PRODUCTS:
                    return 200, PRODUCTS[sku]
                case ("GET", "prices", country, sku) if (country, sku) in PRICES:
                    return 200, {"amount": PRICES[country, sku], "currency": "EUR"}
                case ("PUT", "prices", country, sku, "discount"):
                    self.discounts[country, sku] = body["percent"]
                    return 200, {}
                case ("GET", "stock", sku) if sku in self.stock:
                    return 200, {"available": self.stock[sku]}
                case ("PUT", "reservations", order):
                    if order in self.reservations:
                        return 200, {}
                    if self.stock[body["sku"]] < body["quantity"]:
                        return 422, {"error": "out of stock"}
                    self.stock[body["sku"]] -= body["quantity"]
                    self.reservations[order] = body
                    return 201, {}
                case ("DELETE", "reservations", order) if order in self.reservations:
                    freed = self.reservations.pop(order)
                    self.stock[freed["sku"]] += freed["quantity"]
                    return 204, {}
                case ("POST", "labels"):
                    self.labels.append(body)
                    return 201, {"tracking": "T%04d" % len(self.labels)}
                case ("GET", "tracking", number) if number == "T0001":
                    return 200, {"status": "in transit"}
            return 404, {"error": "not found"}

    def _handler(self):
        partner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # head and body in one packet

            def _serve(self):
                text = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                status, answer = partner.answer(
                    self.command, self.path, json.loads(text) if text else {}
                )
                payload = b"" if status == 204 else json.dumps(answer).encode()
                self.send_response(status)
                if status != 204:
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(payload)))
                self.end_headers()
                self.wfile.write(payload)

            do_GET = do_PUT = do_POST = do_DELETE = _serve

            def log_message(self, *args):
                pass

        return Handler
