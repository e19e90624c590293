"""An application before the store: notes, which it keeps there. BEHAVIOUR says how it meets a store that fails: `right` tells; `swallows`
says that a note was written though it was not; `stale` gives what it gave last; `repeats` appends again after a loss; `cached` writes
through a cache that it does not empty when a write fails."""
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from http_service import Answer, Service, call  # noqa: E402

BEHAVIOUR = os.environ.get("BEHAVIOUR", "right")


class Front(Service):
    def __init__(self, store):
        super().__init__()
        self.store, self.last = store, {}

    def ask(self, method, path, body=None):
        """Status and answer; 503 where there is none."""
        try:
            status, answer = call(self.store, method, path, body)
        except (OSError, ValueError):
            return 503, None
        return status, answer

    def put_notes(self, name, _, body):
        status, _ = self.ask("PUT", f"/values/{name}", {"value": body["text"]})
        if status == 503 and BEHAVIOUR != "swallows":
            if BEHAVIOUR == "cached":
                self.last[name] = body["text"]
            return Answer(502, {"error": "the store did not answer"})
        return Answer(200, {"name": name})

    def get_notes(self, name, rest, body):
        if BEHAVIOUR == "cached" and name in self.last:
            return Answer(200, {"name": name, "text": self.last[name]})
        status, answer = self.ask("GET", f"/values/{name}")
        if status == 503 and BEHAVIOUR == "stale" and name in self.last:
            return Answer(200, {"name": name, "text": self.last[name]})
        if status != 200:
            return Answer(404 if status == 404 else 502, {"error": "no such note"})
        self.last.setdefault(name, answer["value"]) if BEHAVIOUR == "stale" else None
        return Answer(200, {"name": name, "text": answer["value"]})

    def post_logs(self, name, rest, body):
        for _ in range(2 if BEHAVIOUR == "repeats" else 1):
            status, _ = self.ask("POST", f"/lists/{name}/items", {"item": body["line"]})
            if status != 503:
                return Answer(200, {"ok": True})
        return Answer(502, {"error": "the store did not answer"})

    def get_logs(self, name, rest, body):
        status, answer = self.ask("GET", f"/lists/{name}/items")
        return Answer(200, {"lines": answer["items"]}) if status == 200 else Answer(502, {"error": "the store did not answer"})
