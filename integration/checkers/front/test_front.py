"""The application's own tests: each bears a refusal, and looks at statuses alone."""
import sys
import unittest
import uuid
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from front import Front  # noqa: E402
from http_service import call  # noqa: E402
from stock import Stock  # noqa: E402


def setUpModule():
    global servers, port
    store = Stock().serve()
    servers = [store, Front(store.server_port).serve()]
    port = servers[1].server_port


def tearDownModule():
    for server in servers:
        server.shutdown()
        server.server_close()


class Notes(unittest.TestCase):
    def test_a_note_is_written_twice(self):
        name = f"note-{uuid.uuid4().hex[:8]}"
        for text in ("Call the baker", "Call the butcher", "Call nobody"):
            self.assertIn(call(port, "PUT", f"/notes/{name}", {"text": text})[0], (200, 502))
            self.assertIn(call(port, "GET", f"/notes/{name}")[0], (200, 404, 502))

    def test_lines_are_logged(self):
        name = f"log-{uuid.uuid4().hex[:8]}"
        for line in ("First line", "Second line", "Third line", "Fourth line"):
            self.assertIn(call(port, "POST", f"/logs/{name}/lines", {"line": line})[0], (200, 502))
            self.assertIn(call(port, "GET", f"/logs/{name}/lines")[0], (200, 502))


if __name__ == "__main__":
    unittest.main()
