"""Right: follows the links to the next page, but no link twice and 100 pages at most (bounded paging)."""
import json
import time
import urllib.error
import urllib.request
from collections import Counter

import service

LOG = [{"id": 900 + i, "name": ("login", "logout", "change")[i % 3], "user": f"u{i % 4}"} for i in range(21)]
SIZE = 8


def audit(request):
    page = max(1, request.number("page", 1))
    more = page * SIZE < len(LOG)
    return {
        "count": len(LOG),
        "next": f"{request.base}/audit?page={page + 1}" if more else None,
        "results": LOG[(page - 1) * SIZE:page * SIZE],
    }


def get(url):
    attempts = 0
    while True:
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            error.close()
            attempts += 1
            if error.code < 500 or attempts >= 4:
                raise
        time.sleep(0.04)


MAX_PAGES = 100


def events(base):
    url = base + "/audit"
    visited = set()
    while url:
        if url in visited or len(visited) >= MAX_PAGES:
            print("the list of pages does not end; stopping after", len(visited), "pages")
            return
        visited.add(url)
        page = get(url)
        yield from page["results"]
        url = page.get("next")


def main():
    base = service.serve({"/audit": audit})
    counts = Counter()
    try:
        for event in events(base):
            counts[event["name"]] += 1
    except urllib.error.HTTPError as error:
        print("gave up:", error)
    print(", ".join(f"{name}: {number}" for name, number in counts.most_common(5)))


if __name__ == "__main__":
    main()
