"""Right: counts up page numbers while has_more is true, but stops at a page that brings nothing new, and after 50 pages."""
import json
import urllib.error
import urllib.request

import service

BOOKS = [{"id": f"b-{i:03}", "name": f"Book number {i}", "year": 1950 + i * 3} for i in range(1, 25)]
PER_PAGE = 9


def catalog(request):
    page = max(1, request.number("page", 1))
    start = (page - 1) * PER_PAGE
    return {"page": page, "items": BOOKS[start:start + PER_PAGE], "has_more": start + PER_PAGE < len(BOOKS)}


class Client:
    def __init__(self, base):
        self.base = base

    def page(self, number):
        with urllib.request.urlopen(f"{self.base}/catalog?page={number}", timeout=10) as answer:
            return json.loads(answer.read().decode("utf-8"))

    def all_books(self, max_pages=50):
        books = {}
        for number in range(1, max_pages + 1):
            page = self.page(number)
            before = len(books)
            for book in page["items"]:
                books[book["id"]] = book
            if not page["has_more"]:
                break
            if len(books) == before:
                print("page", number, "brings nothing new; stopping there")
                break
        return books


def main():
    client = Client(service.serve({"/catalog": catalog}))
    try:
        books = client.all_books()
    except urllib.error.URLError as error:
        print("catalog cannot be read:", error)
        return
    years = [book["year"] for book in books.values()]
    print(len(books), "books", f"from {min(years)} to {max(years)}" if years else "")


if __name__ == "__main__":
    main()
