"""The desk's own tests. They look at statuses, and seldom at what an answer holds: so no silent failure of WRONG makes one fail."""
import random
import unittest
import uuid

from desk import Desk
from http_service import call


def setUpModule():
    global server, port
    server = Desk().serve()
    port = server.server_port


def tearDownModule():
    server.shutdown()
    server.server_close()


def fresh(word):
    return f"{word}-{uuid.uuid4().hex[:8]}"


def ticket(title, owner="kim"):
    status, answer = call(port, "POST", "/tickets", {"title": title, "owner": owner})
    assert status == 201
    return answer["id"]


def every_page():
    found, after = [], None
    while True:
        status, page = call(port, "GET", "/tickets" + (f"?after={after}" if after else ""))
        assert status == 200
        found += page["tickets"]
        after = page["next"]
        if after is None:
            return found


class Tickets(unittest.TestCase):
    def test_a_ticket_is_opened(self):
        for owner in ("kim", "lou", "max"):
            number = ticket(fresh("printer"), owner)
            self.assertIn(call(port, "GET", f"/tickets/{number}")[0], (200, 404))

    def test_a_ticket_is_closed(self):
        for _ in range(2):
            number = ticket(fresh("screen"))
            call(port, "GET", f"/tickets/{number}")
            self.assertEqual(call(port, "POST", f"/tickets/{number}/close", {})[0], 200)
            call(port, "GET", f"/tickets/{number}")

    def test_a_ticket_gets_another_owner(self):
        for owner in ("ann", "ben"):
            number = ticket(fresh("mouse"))
            call(port, "GET", f"/tickets/{number}")
            self.assertIn(call(port, "PATCH", f"/tickets/{number}", {"owner": owner})[0], (200, 404))
            call(port, "GET", f"/tickets/{number}")

    def test_a_ticket_is_deleted(self):
        numbers = [ticket(fresh("cable")) for _ in range(3)]
        self.assertIn(call(port, "DELETE", f"/tickets/{numbers[1]}")[0], (204, 404))
        for number in numbers:
            self.assertIn(call(port, "GET", f"/tickets/{number}")[0], (200, 404))
        every_page()

    def test_pages_end(self):
        for n in range(5):
            ticket(fresh("laptop"), random.choice(["kim", "lou"]))
            self.assertIsInstance(every_page(), list)

    def test_comments_are_kept(self):
        first, second = ticket(fresh("desk")), ticket(fresh("chair"))
        for number, text in ((second, "It creaks"), (first, "It shakes"), (second, "It still creaks")):
            self.assertEqual(call(port, "POST", f"/tickets/{number}/comments", {"text": text})[0], 200)
            self.assertEqual(call(port, "GET", f"/tickets/{number}/comments")[0], 200)

    def test_a_search_finds(self):
        word = fresh("modem")
        for _ in range(2):
            ticket(word)
        for _ in range(3):
            self.assertEqual(call(port, "GET", f"/search?q={word}")[0], 200)


class Accounts(unittest.TestCase):
    def test_an_account_is_opened(self):
        for balance, currency in ((50, "EUR"), (75, "CHF")):
            name = fresh("account")
            call(port, "PUT", f"/accounts/{name}", {"balance": balance, "currency": currency})
            self.assertEqual(call(port, "GET", f"/accounts/{name}")[0], 200)

    def test_money_comes_and_goes(self):
        for _ in range(2):
            name = fresh("purse")
            call(port, "PUT", f"/accounts/{name}", {"balance": 100, "currency": "EUR"})
            call(port, "GET", f"/accounts/{name}")
            for action in ("deposit", "withdraw"):
                self.assertEqual(call(port, "POST", f"/accounts/{name}/{action}", {"amount": random.randint(5, 20)})[0], 200)
                self.assertEqual(call(port, "GET", f"/accounts/{name}")[0], 200)


if __name__ == "__main__":
    unittest.main()
