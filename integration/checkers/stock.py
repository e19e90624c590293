"""A small store: keys and values, lists, counters, documents with versions, locks. WRONG names one silent failure that it then has; each
answers as if all were well."""
import itertools
import json
import os

from http_service import Answer, Service

WRONG = os.environ.get("WRONG", "")


class Stock(Service):
    def __init__(self):
        super().__init__()
        self.values, self.before, self.lists, self.counters, self.docs, self.locks = {}, {}, {}, {}, {}, {}
        self.writes, self.deleted, self.numbers = itertools.count(1), {}, itertools.count(1)

    # --- values -------------------------------------------------------------------------------------------------------
    def put_values(self, name, _, body):
        known = name in self.values
        value = body["value"]
        if WRONG == "truncates-value":
            value = value[:6] if isinstance(value, str) else value
        if WRONG == "folds-case":
            value = value.lower() if isinstance(value, str) else value
        self.before[name] = self.values.get(name)
        if not (WRONG == "loses-write" and known):
            self.values[name] = value
        return Answer(200 if known else 201, {"name": name})

    def get_values(self, name, _, body):
        if name is None:
            names = sorted(self.values)
            if WRONG == "stale-list" and names:
                names = sorted(list(self.values)[:-1])
            if WRONG == "list-keeps-deleted":
                names = sorted({*names, *self.deleted})
            count = len(names) + (1 if WRONG == "wrong-count" and len(names) > 1 else 0)
            return Answer(200, {"names": names, "count": count})
        if name not in self.values:
            return Answer(404, {"error": "no such value"})
        value = self.values[name]
        if WRONG == "stale-read" and self.before.get(name) is not None:
            value = self.before[name]
        if WRONG == "answers-other-key" and len(self.values) > 1:
            name = next(key for key in self.values if key != name)
            value = self.values[name]
        return Answer(200, {"name": name, "value": value})

    def delete_values(self, name, _, body):
        if name not in self.values:
            return Answer(404, {"error": "no such value"})
        self.deleted[name] = True
        if WRONG != "forgets-delete":
            del self.values[name]
        return Answer(204)

    # --- lists --------------------------------------------------------------------------------------------------------
    def post_lists(self, name, rest, body):
        items = self.lists.setdefault(name, [])
        times = 2 if WRONG == "doubles-append" else 0 if WRONG == "loses-append" and len(items) % 2 else 1
        items.extend([body["item"]] * times)
        return Answer(200, {"ok": True})

    def get_lists(self, name, rest, body):
        return Answer(200, {"items": self.lists.get(name, [])})

    # --- counters -----------------------------------------------------------------------------------------------------
    def post_counters(self, name, rest, body):
        by = body.get("by", 1) * (2 if WRONG == "adds-twice" else 1)
        self.counters[name] = self.counters.get(name, 0) + by
        if WRONG == "counter-goes-back" and self.counters[name] > 5:
            self.counters[name] = 1
        return Answer(200, {"ok": True})

    def get_counters(self, name, rest, body):
        return Answer(200, {"count": self.counters.get(name, 0)})

    # --- documents ----------------------------------------------------------------------------------------------------
    def put_docs(self, name, _, body):
        old = self.docs.get(name)
        version = (old["version"] if old else 0) + 1
        if WRONG == "repeats-version" and version > 2:
            version = 2
        new = {"title": body["title"], "text": body["text"], "version": version}
        if WRONG == "updates-one-field" and old:
            new["text"] = old["text"]
        self.docs[name] = new
        return Answer(200 if old else 201, {"version": version})

    def get_docs(self, name, _, body):
        return Answer(200, self.docs[name]) if name in self.docs else Answer(404, {"error": "no such document"})

    # --- locks --------------------------------------------------------------------------------------------------------
    def post_locks(self, name, rest, body):
        holder = self.locks.get(name)
        if rest == ["release"]:
            self.locks.pop(name, None)
            return Answer(200, {})
        if holder and WRONG != "gives-lock-twice":
            return Answer(409, {"error": "held"})
        self.locks[name] = body["owner"]
        return Answer(200, {"owner": body["owner"], "token": next(self.numbers)})
