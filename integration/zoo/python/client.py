"""client.py NAME METHOD URL [--timeout MS] [--calls N [--at-once] [--alike]]: one call, or N of them.

How the last ended is printed as one line of JSON. The exit status is 0 however it ended, 2 where there was no call.
"""
import argparse
import json

from adapters import CLIENTS, Ask


def main():
    parser = argparse.ArgumentParser(prog="client.py")
    parser.add_argument("name")
    parser.add_argument("method")
    parser.add_argument("url")
    parser.add_argument("--timeout", type=float)
    parser.add_argument("--calls", type=int)
    parser.add_argument("--at-once", action="store_true")
    parser.add_argument("--alike", action="store_true")
    asked = parser.parse_args()
    call, methods = CLIENTS.get(asked.name, (None, []))
    if asked.method not in methods:
        parser.error(f"no {asked.method} of {asked.name}")

    def once(n=None):
        item = f"lamp-{n}" if n and not asked.alike else "lamp"
        return call(Ask(asked.url, asked.timeout and asked.timeout / 1000, item), asked.method)

    try:
        if asked.calls:
            from label import calls

            result, error = calls(asked.calls, asked.at_once, once)
            if error:
                raise error
        else:
            result = once()
        outcome = {"ok": True, "result": result}
    except ImportError as error:
        parser.error(str(error))
    except Exception as error:  # whatever a library raises is how the call ended
        outcome = {"ok": False, "error": f"{type(error).__name__}: {error}"[:300]}
    print(json.dumps(outcome), flush=True)


if __name__ == "__main__":
    main()
