"""Puts the programs of docs/right-code.md on trial: `right_code.py RETRIAL [LANGUAGE...]`. Each is observed under every fault that the page
names, at each of its calls, beside a run without one; `retrial judge` must find nothing in all of them together."""
import http.server
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```\w+\n(?:#|//) (\w+\.\w+)\n(.*?)^```$", re.M | re.S)
PAGE = (ROOT / "docs/right-code.md").read_text()
FAULTS = re.search(r"^```text\n(.*?)^```$", PAGE, re.M | re.S).group(1).splitlines()
CALLS = ["GET /shows/{name}", "POST /holds", "POST /payments"]
LANGUAGES = {  # the program, what it is built by, how it is run
    "Python": ("tickets.py", [], ["python3", "tickets.py"]),
    "Node": ("tickets.mjs", [], ["node", "tickets.mjs"]),
    "Java": ("Tickets.java", ["javac", "Ask.java", "Tickets.java"], ["java", "-cp", ".", "Tickets"]),
    "Go": ("tickets.go", ["go", "build", "-o", "tickets", "."], ["./tickets"]),
}


class Box(http.server.BaseHTTPRequestHandler):
    """Holds and payments, known by their keys."""

    protocol_version = "HTTP/1.1"
    things, keys = {}, {}

    def do_GET(self):
        self.tell(200, {"show": self.path.rpartition("/")[2], "price": 40})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        key = self.headers["Idempotency-Key"]
        if key not in self.keys:
            self.keys[key] = {"id": 100 + len(self.things), **body}
            self.things[self.keys[key]["id"]] = body
        self.tell(201, self.keys[key])

    def do_DELETE(self):
        self.things.pop(int(self.path.rpartition("/")[2]), None)
        self.tell(200, {})

    def tell(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_):
        pass


def on_trial(retrial, language, folder):
    """What is wrong with it, or None."""
    program, build, command = LANGUAGES[language]
    if build:
        subprocess.run(build, cwd=folder, check=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Box)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}"
    observed = []
    for call in CALLS:
        for fault in FAULTS:
            observed.append(f"observed-{language}-{len(observed)}")
            done = subprocess.run([retrial, "observe", "--inject", fault, "--at", call, "--out", observed[-1], "--", *command, url], cwd=folder,
                                  capture_output=True, text=True, timeout=300)
            if done.returncode not in (0, 1):
                return f"{fault} at {call}: {done.stdout}{done.stderr}"
    server.shutdown()
    judged = subprocess.run([retrial, "judge", *observed], cwd=folder, capture_output=True, text=True, timeout=300)
    return None if judged.returncode == 0 else judged.stdout + judged.stderr


def main(binary, *languages):
    retrial = str(pathlib.Path(binary).resolve())
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="retrial-right-") as folder:
        for name, text in BLOCK.findall(PAGE):
            pathlib.Path(folder, name).write_text(text)
        pathlib.Path(folder, "go.mod").write_text("module tickets\n\ngo 1.24\n")
        for language in languages or LANGUAGES:
            program, build, command = LANGUAGES[language]
            tool = (build or command)[0]
            if not shutil.which(tool):
                print(f"right code: {language} is left out, for there is no {tool}")
                continue
            said = on_trial(retrial, language, folder)
            wrong += said is not None
            print(f"right code: {program} " + ("is judged, and found right" if said is None else f"is told:\n{said}"), flush=True)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
