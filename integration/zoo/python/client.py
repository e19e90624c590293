"""client.py NAME METHOD URL [--timeout MS]: one call, and how it ended as one line of JSON.

The exit status is 0 however the call ended, 2 where there was none.
"""
import argparse
import json

from adapters import CLIENTS


def main():
    parser = argparse.ArgumentParser(prog="client.py")
    parser.add_argument("name")
    parser.add_argument("method")
    parser.add_argument("url")
    parser.add_argument("--timeout", type=float)
    asked = parser.parse_args()
    call, methods = CLIENTS.get(asked.name, (None, []))
    if asked.method not in methods:
        parser.error(f"no {asked.method} of {asked.name}")
    try:
        result = call(asked.url, asked.timeout and asked.timeout / 1000, asked.method)
        outcome = {"ok": True, "result": result}
    except ImportError as error:
        parser.error(str(error))
    except Exception as error:  # whatever a library raises is how the call ended
        outcome = {"ok": False, "error": f"{type(error).__name__}: {error}"[:300]}
    print(json.dumps(outcome), flush=True)


if __name__ == "__main__":
    main()
