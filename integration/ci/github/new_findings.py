"""A findings.json as Markdown: the confirmed findings that are new (neither accepted nor known), a row each. Ends with status 1 where
there is one, and 3 where nothing was to be tried: with --changed-since, no call site was touched."""
import json
import sys


def cell(text):
    return " ".join(str(text).split()).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;").replace("@", "&#64;")


def place(site):
    return f"{site['file']}:{site['line']} {site['function']}" if site else "no call site"


def new_ones(report):
    return [f for f in report["findings"] if f["confirmed"] and not f["accepted"] and not f["known"]]


def untouched(report):
    campaign = report["campaign"]
    return not report["findings"] and not campaign["incomplete"] and not sum(campaign["cases"].values())


def markdown(report):
    if untouched(report):
        return "### Retrial: no call site was touched\n"
    new = new_ones(report)
    if not new:
        return "### Retrial: no new finding\n"
    head = f"### Retrial: {len(new)} new finding{'s' if len(new) > 1 else ''}\n\n| verdict | confidence | where | what | again |\n|---|---|---|---|---|\n"
    return head + "".join("| " + " | ".join(map(cell, (f["verdict"], f["confidence"], place(f["call_site"]), f["message"], f["replay"]))) + " |\n" for f in new)


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        said = json.load(file)
    sys.stdout.write(markdown(said))
    sys.exit(3 if untouched(said) else 1 if new_ones(said) else 0)
