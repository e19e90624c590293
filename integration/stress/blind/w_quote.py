"""Wrong: before it tries a failed request again, it logs in anew and reads settings, regions and rates all over (retry storm)."""
import json
import time
import urllib.error
import urllib.request

import service

ROUTES = {
    "/session": lambda request: {"token": "s-4711", "expires_in": 3600},
    "/settings": lambda request: {"currency": "EUR", "rounding": 2, "minimum": 3.0},
    "/regions": lambda request: {"regions": [{"id": i, "name": f"Region {i}"} for i in range(1, 7)]},
    "/rates": lambda request: {"rates": [{"id": i, "name": f"Rate {i}", "factor": 1 + i / 10} for i in range(1, 7)]},
    "/services": lambda request: {"services": [
        {"id": i, "name": name} for i, name in enumerate(["letter", "parcel", "express", "freight", "courier"])
    ]},
    "/quote/([^/]+)": lambda request: {"service": request.groups[0], "price": 4.0 + len(request.groups[0])},
}
MAX_ATTEMPTS = 5


class Busy(Exception):
    pass


class Quotes:
    def __init__(self, base):
        self.base = base
        self.token = None
        self.settings = {}
        self.regions = {}
        self.factors = {}

    def fetch(self, path, data=None):
        headers = {"Authorization": "Bearer " + self.token} if self.token else {}
        if data is not None:
            headers["Content-Type"] = "application/json"
            data = json.dumps(data).encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(self.base + path, data, headers), timeout=10) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code >= 500:
                raise Busy(f"{path} answered {error.code}") from None
            raise

    def load(self):
        """Everything a quote depends on."""
        self.token = self.fetch("/session", {"user": "shop"})["token"]
        self.settings = self.fetch("/settings")
        self.regions = {region["id"]: region["name"] for region in self.fetch("/regions")["regions"]}
        self.factors = {rate["id"]: rate["factor"] for rate in self.fetch("/rates")["rates"]}

    def prepare(self):
        for attempt in range(1, MAX_ATTEMPTS + 1):
            try:
                return self.load()
            except Busy:
                if attempt == MAX_ATTEMPTS:
                    raise
                time.sleep(0.05)

    def read(self, path):
        for attempt in range(1, MAX_ATTEMPTS + 1):
            try:
                if attempt > 1:
                    self.load()   # perhaps something has changed
                return self.fetch(path)
            except Busy:
                if attempt == MAX_ATTEMPTS:
                    raise
                time.sleep(0.05)

    def prices(self):
        lowest = self.settings["minimum"]
        factor = self.factors.get(next(iter(self.regions), None), 1.0)
        for name in ("letter", "parcel", "express", "freight", "courier"):
            price = self.read("/quote/" + name)["price"] * factor
            yield name, round(max(price, lowest), self.settings["rounding"])


def main():
    quotes = Quotes(service.serve(ROUTES))
    try:
        quotes.prepare()
        for name, price in quotes.prices():
            print(f"{name:10} {price:6.2f} {quotes.settings['currency']}")
    except Busy as error:
        print("no more prices now:", error)


if __name__ == "__main__":
    main()
