"""Wrong: removes duplicate contacts by looking each one up in the growing list of those kept (quadratic)."""
import json
import time
import urllib.error
import urllib.request

import service

PEOPLE = ["Ada", "Bela", "Cem", "Dora", "Emil", "Fatma", "Gita", "Hugo", "Ines", "Jan", "Kim", "Lea", "Mo", "Nora"]
BOOK = [{"id": 100 + i, "name": name, "email": name.lower() + "@example.org"} for i, name in enumerate(PEOPLE)]
BOOK += [dict(BOOK[2]), dict(BOOK[5]), dict(BOOK[9])]   # entered twice by hand
LIMIT = 6


def contacts(request):
    offset = request.number("offset", 0)
    after = offset + LIMIT
    return {"contacts": BOOK[offset:after], "offset": offset, "next_offset": after if after < len(BOOK) else None}


def get_json(url, attempts=3):
    for attempt in range(1, attempts + 1):
        try:
            with urllib.request.urlopen(url, timeout=10) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            error.close()
            if error.code != 503 or attempt == attempts:
                raise
            time.sleep(0.05 * attempt)


def read_contacts(base):
    offset = 0
    while True:
        page = get_json(f"{base}/contacts?offset={offset}")
        yield from page["contacts"]
        following = page.get("next_offset")
        if following is None or following <= offset:   # must go forward
            return
        offset = following


def unique_contacts(found):
    unique = []
    for contact in found:
        if contact not in unique:
            unique.append(contact)
    return unique


def main():
    base = service.serve({"/contacts": contacts})
    try:
        people = unique_contacts(read_contacts(base))
    except urllib.error.HTTPError as error:
        print("contacts not available:", error.code)
        return
    print(len(people), "contacts, the last is", people[-1]["name"] if people else "nobody")


if __name__ == "__main__":
    main()
