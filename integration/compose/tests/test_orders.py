import unittest

import orders


class Orders(unittest.TestCase):
    def test_an_order_gets_a_number(self):
        self.assertIn("order", orders.submit("a chair"))


if __name__ == "__main__":
    unittest.main()
