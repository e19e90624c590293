"""The store's own tests. They look at statuses, and seldom at what an answer holds: so no silent failure of WRONG makes one fail."""
import random
import unittest
import uuid

from http_service import call
from stock import Stock

WORDS = ["Amber", "Basalt", "Copper Wire", "Dune", "Elm tree", "Flint", "Granite block", "Hazel"]


def setUpModule():
    global server, port
    server = Stock().serve()
    port = server.server_port


def tearDownModule():
    server.shutdown()
    server.server_close()


def fresh(word):
    return f"{word}-{uuid.uuid4().hex[:8]}"


class Values(unittest.TestCase):
    def put(self, name, value):
        status, _ = call(port, "PUT", f"/values/{name}", {"value": value})
        self.assertIn(status, (200, 201))

    def get(self, name):
        return call(port, "GET", f"/values/{name}")

    def names(self):
        status, answer = call(port, "GET", "/values")
        self.assertEqual(status, 200)
        return answer["names"]

    def test_a_value_is_kept(self):
        name = fresh("color")
        self.put(name, "Dark Green and Blue")
        self.assertEqual(self.get(name)[0], 200)

    def test_a_number_is_kept(self):
        name = fresh("size")
        self.put(name, random.randint(1, 1000))
        self.assertEqual(self.get(name)[0], 200)

    def test_a_value_is_replaced(self):
        name = fresh("stone")
        for word in random.sample(WORDS, 3):
            self.put(name, word + " Number One")
            self.assertIn("value", self.get(name)[1])

    def test_two_values_stand_beside_each_other(self):
        first, second = fresh("first"), fresh("second")
        self.put(first, "One and only")
        self.put(second, "Two of a kind")
        for name in (first, second, first):
            self.assertEqual(self.get(name)[0], 200)

    def test_a_value_is_deleted(self):
        name = fresh("old")
        self.put(name, "Soon gone")
        self.names()
        status, _ = call(port, "DELETE", f"/values/{name}")
        self.assertEqual(status, 204)
        self.get(name)
        self.names()

    def test_the_list_has_names(self):
        for word in ("ash", "birch", "cedar"):
            self.put(fresh(word), "A Tree")
            self.assertIsInstance(self.names(), list)

    def test_what_was_never_there_is_not_found(self):
        self.assertEqual(self.get(fresh("never"))[0], 404)


class Lists(unittest.TestCase):
    def test_items_are_appended(self):
        name = fresh("list")
        for word in random.sample(WORDS, 4):
            self.assertEqual(call(port, "POST", f"/lists/{name}/items", {"item": word})[0], 200)
            self.assertEqual(call(port, "GET", f"/lists/{name}/items")[0], 200)

    def test_an_unknown_list_is_empty(self):
        self.assertEqual(call(port, "GET", f"/lists/{fresh('none')}/items")[1], {"items": []})


class Counters(unittest.TestCase):
    def test_a_counter_counts(self):
        name = fresh("visits")
        for _ in range(4):
            call(port, "POST", f"/counters/{name}/add", {"by": random.randint(1, 4)})
            self.assertEqual(call(port, "GET", f"/counters/{name}")[0], 200)

    def test_a_counter_that_is_read_twice(self):
        name = fresh("reads")
        call(port, "POST", f"/counters/{name}/add", {"by": 3})
        for _ in range(2):
            self.assertGreater(call(port, "GET", f"/counters/{name}")[1]["count"], 0)


class Documents(unittest.TestCase):
    def test_a_document_is_written_again(self):
        name = fresh("letter")
        for title, text in (("First draft", "Dear all"), ("Second draft", "Dear friends"), ("Last", "Dear you"), ("Very last", "Hello")):
            self.assertIn(call(port, "PUT", f"/docs/{name}", {"title": title, "text": text})[0], (200, 201))
            self.assertEqual(call(port, "GET", f"/docs/{name}")[1]["title"], title)

    def test_two_documents(self):
        for word in ("memo", "note"):
            name = fresh(word)
            call(port, "PUT", f"/docs/{name}", {"title": word, "text": f"This is a {word}"})
            self.assertEqual(call(port, "GET", f"/docs/{name}")[0], 200)


class Locks(unittest.TestCase):
    def test_a_lock_is_taken_and_given_back(self):
        name = fresh("door")
        for owner in ("ann", "ben"):
            self.assertEqual(call(port, "POST", f"/locks/{name}/acquire", {"owner": owner})[0], 200)
            self.assertEqual(call(port, "POST", f"/locks/{name}/release", {"owner": owner})[0], 200)

    def test_a_lock_that_is_asked_for_twice(self):
        name = fresh("gate")
        call(port, "POST", f"/locks/{name}/acquire", {"owner": "ann"})
        call(port, "POST", f"/locks/{name}/acquire", {"owner": "ben"})
        call(port, "POST", f"/locks/{name}/release", {"owner": "ann"})
        self.assertEqual(call(port, "POST", f"/locks/{name}/acquire", {"owner": "ben"})[0], 200)


if __name__ == "__main__":
    unittest.main()
