"""A small help desk: tickets that get their numbers here, comments, pages, a search, accounts. WRONG names one silent failure that it then
has; each answers as if all were well."""
import itertools
import os

from http_service import Answer, Service

WRONG = os.environ.get("WRONG", "")
PAGE = 3


class Desk(Service):
    def __init__(self):
        super().__init__()
        self.tickets, self.comments, self.accounts = {}, {}, {}
        self.numbers, self.searches = itertools.count(1), itertools.count()

    # --- tickets ------------------------------------------------------------------------------------------------------
    def post_tickets(self, name, rest, body):
        if name is None:
            number = next(self.numbers)
            if WRONG == "reuses-id" and number % 3 == 0:
                number -= 1
            ticket = {"id": number, "title": body["title"], "owner": body["owner"], "state": "open"}
            told = dict(ticket)
            if WRONG == "echoes-other" and len(self.tickets) > 0:
                told["title"] = next(iter(self.tickets.values()))["title"]
            if not (WRONG == "loses-ticket" and number % 2 == 0):
                self.tickets[str(number)] = ticket
            return Answer(201, told, {"Location": f"/tickets/{number}"})
        if rest == ["comments"]:
            to = name
            if WRONG == "comments-elsewhere":
                to = next(iter(self.tickets))
            self.comments.setdefault(to, []).append(body["text"])
            return Answer(200, {"ok": True})
        if rest == ["close"]:
            if WRONG != "loses-close" and name in self.tickets:
                self.tickets[name]["state"] = "closed"
            return Answer(200, {"ok": True})
        return Answer(404, {"error": "no such action"})

    def get_tickets(self, name, rest, body):
        if name is None:
            every = sorted(self.tickets, key=int)
            after = int(self.query.get("after", 0))
            rest = [key for key in every if int(key) > after]
            page = rest[:PAGE]
            more = len(rest) > PAGE
            told = page
            if WRONG == "page-drops-item" and more:
                told = page[:-1]
            if WRONG == "page-repeats-item" and after:
                told = [str(after), *page]
            return Answer(200, {"tickets": [self.tickets[key] for key in told], "next": int(page[-1]) if more else None})
        if rest == ["comments"]:
            return Answer(200, {"comments": self.comments.get(name, [])})
        return Answer(200, self.tickets[name]) if name in self.tickets else Answer(404, {"error": "no such ticket"})

    def patch_tickets(self, name, rest, body):
        if name not in self.tickets:
            return Answer(404, {"error": "no such ticket"})
        self.tickets[name].update(body)
        if WRONG == "patch-forgets-rest":
            self.tickets[name]["title"] = ""
        return Answer(200, {"ok": True})

    def delete_tickets(self, name, rest, body):
        if name not in self.tickets:
            return Answer(404, {"error": "no such ticket"})
        gone = name
        if WRONG == "deletes-other" and len(self.tickets) > 1:
            gone = next(key for key in self.tickets if key != name)
        del self.tickets[gone]
        return Answer(204)

    def get_search(self, name, rest, body):
        found = [t["id"] for t in self.tickets.values() if self.query["q"] in t["title"]]
        if WRONG == "search-flaps" and next(self.searches) % 2:
            found = found[1:]
        return Answer(200, {"found": found})

    # --- accounts -----------------------------------------------------------------------------------------------------
    def put_accounts(self, name, rest, body):
        self.accounts[name] = {"balance": body["balance"], "currency": body["currency"]}
        return Answer(201, {"name": name})

    def get_accounts(self, name, rest, body):
        return Answer(200, self.accounts[name]) if name in self.accounts else Answer(404, {"error": "no such account"})

    def post_accounts(self, name, rest, body):
        amount = body["amount"]
        if rest == ["deposit"]:
            self.accounts[name]["balance"] += 0 if WRONG == "loses-deposit" else amount
        if rest == ["withdraw"]:
            self.accounts[name]["balance"] -= amount * 2 if WRONG == "withdraws-twice" else amount
        return Answer(200, {"ok": True})
