"""Right: joins customers and their orders by way of a dictionary of orders by customer (linear)."""
import json
import urllib.error
from urllib.request import Request, urlopen

import service

CUSTOMERS = [{"id": f"c{i}", "name": f"Customer {i}"} for i in range(1, 11)]
ORDERS = [
    {"id": 5000 + i, "name": f"Order {i}", "customer_id": f"c{1 + i * 3 % 10}", "amount": 12.5 + i}
    for i in range(16)
]


def fetch(url):
    with urlopen(Request(url, headers={"Accept": "application/json"}), timeout=10) as answer:
        return json.loads(answer.read())


def totals_by_customer(customers, orders):
    count, total = {}, {}
    for order in orders:
        owner = order["customer_id"]
        count[owner] = count.get(owner, 0) + 1
        total[owner] = total.get(owner, 0.0) + order["amount"]
    return [
        {"name": c["name"], "count": count.get(c["id"], 0), "total": total.get(c["id"], 0.0)}
        for c in customers
    ]


def main():
    base = service.serve({"/customers": lambda request: CUSTOMERS, "/orders": lambda request: {"orders": ORDERS}})
    try:
        customers = fetch(base + "/customers")
        orders = fetch(base + "/orders")["orders"]
    except urllib.error.HTTPError as error:
        print("service answered", error.code, "- try again later")
        return
    totals = totals_by_customer(customers, orders)
    best = max(totals, key=lambda line: line["total"], default=None)
    print(len(totals), "customers;", f"best: {best['name']} with {best['total']:.2f}" if best else "no best one")


if __name__ == "__main__":
    main()
