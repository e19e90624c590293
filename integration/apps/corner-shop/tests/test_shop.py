import unittest

from shop import client, service, wire


class Shop(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.service = service.start()
        wire.SERVICE = "http://127.0.0.1:%d" % cls.service.server_address[1]

    def setUp(self):
        self.shelf = self.service.shelf = service.full()

    def test_places_an_order(self):
        self.assertEqual(client.place_order("tea")["item"], "tea")
        self.assertEqual(len(self.shelf["orders"]), 1)

    def test_knows_what_is_in_stock(self):
        self.assertEqual(client.stock("tea"), 3)

    def test_knows_a_price(self):
        self.assertEqual(client.price("tea"), 240)

    def test_knows_when_it_is_open(self):
        self.assertEqual(client.hours(), "8 to 6")

    def test_shows_the_menu(self):
        self.assertEqual(client.menu(), "soup")

    def test_gives_a_customer_the_discount(self):
        self.assertEqual(client.discount(7), 10)

    def test_takes_the_next_parcel(self):
        self.assertEqual(client.next_parcel(), "bread")

    def test_files_a_receipt(self):
        client.file_receipt(1, 240)
        self.assertEqual(self.shelf["pages"]["/receipts/1"], {"total": 240})
