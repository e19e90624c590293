"""A real HTTP server that remembers tags, and programs run in processes of their own."""
import http.server
import json
import os
import pathlib
import ssl
import subprocess
import sys
import textwrap
import threading

TESTS = pathlib.Path(__file__).resolve().parents[1]
AGENT = TESTS.parents[1] / "integration" / "agents" / "python"


class Server:
    """Answers 200; below /flaky, 503 to two of every three requests. `tags` are the tag headers
    (without x-retrial-) of each request, and its `path`. With `leaf`, a file without its ending,
    it speaks TLS."""

    def __init__(self, leaf=None):
        self._leaf = leaf

    def __enter__(self):
        server = self
        self.tags = []
        self.flaky = 0

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                self.rfile.read(int(self.headers.get("content-length") or 0))
                tag = {"path": self.path}
                for name, value in self.headers.items():
                    if name.lower().startswith("x-retrial-"):
                        tag[name.lower()[len("x-retrial-"):]] = value
                server.tags.append(tag)
                status = 200
                if self.path.startswith("/flaky"):
                    server.flaky += 1
                    status = 200 if server.flaky % 3 == 0 else 503
                self.send_response(status)
                self.send_header("content-length", "0")
                self.end_headers()

            do_GET = do_PUT = do_POST = do_HEAD = answer

            def log_message(self, *args):
                pass

        self._http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        if self._leaf:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain("%s.pem" % self._leaf, "%s.key" % self._leaf)
            self._http.socket = context.wrap_socket(
                self._http.socket, server_side=True, do_handshake_on_connect=False
            )
        self.url = "http%s://127.0.0.1:%d" % ("s" if self._leaf else "", self._http.server_port)
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *args):
        self._http.shutdown()
        self._http.server_close()


class Certificates:
    """Retrial's authority (`ours`) and one that is not (`other`), with a leaf each."""

    def __init__(self, folder):
        self.folder = folder
        subprocess.run([TESTS / "certificates.sh", folder], check=True)

    def leaf(self, name):
        return self.folder / (name + "-leaf")

    def trusting(self, name):
        """Variables: the agent knows `ours`, the program trusts `name`."""
        file = str(self.folder / (name + ".pem"))
        trust = dict.fromkeys(("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "AWS_CA_BUNDLE"), file)
        return dict(trust, RETRIAL_CA=str(self.folder / "ours.pem"))


class Project:
    """A folder with files; `run` runs a command in it with the agent, `events` what it reported."""

    def __init__(self, folder, url):
        self.folder = folder
        self.url = url
        self.variables = {}

    def write(self, name, text):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text))
        return self

    def line(self, name, mark):
        """The number of the one line of a file that ends in `# mark`."""
        lines = (self.folder / name).read_text().splitlines()
        [number] = [n for n, text in enumerate(lines, 1) if text.endswith("# " + mark)]
        return number

    def run(self, *args, agent=True, check=True, path=(), **variables):
        env = dict(os.environ, URL=self.url, PYTHONDONTWRITEBYTECODE="1")
        env.update(self.variables, **variables)
        if agent:
            env["RETRIAL_EVENTS"] = str(self.folder / "events")
            env["PYTHONPATH"] = os.pathsep.join([str(AGENT), *map(str, path)])
            plugins = [p for p in (variables.get("PYTEST_PLUGINS"), "retrial_pytest") if p]
            env["PYTEST_PLUGINS"] = ",".join(plugins)
        done = subprocess.run(
            [sys.executable, *args], cwd=self.folder, env=env, capture_output=True, text=True
        )
        if check:
            assert done.returncode == 0, done.stdout + done.stderr
        return done

    def pytest(self, *args, **more):
        return self.run("-m", "pytest", "-q", "-p", "no:cacheprovider", *args, **more)

    @property
    def events(self):
        file = self.folder / "events"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def of(self, kind):
        return [event for event in self.events if event["ev"] == kind]
