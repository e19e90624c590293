"""Installs each package where nothing of the repository is, with a cleaned environment and no network but loopback, as an unprivileged user
where that can be, and tries it: --version, check, demo."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

import contents  # noqa: F401  where the next is found
from architecture import ALL, architecture_of
from version import ROOT

NOBODY = 65534
HERE = next(architecture for architecture in ALL.values() if not architecture.foreign)
# Those that a loaded machine hides from nobody: missing-delay and no-backoff are read from short waits, and are told where they are clear.
DEMO_FINDS = ["duplicate-effect", "silent-wrong-result", "unrelated-exception", "missing-timeout", "missing-cap", "retries-permanent-error"]
# It sends again what was carried out.
CLIENT = """
import http.client, http.server, threading
class Orders(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(201)
        self.end_headers()
    def log_message(self, *_):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Orders)
threading.Thread(target=server.serve_forever, daemon=True).start()
for attempt in range(3):
    try:
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
        connection.request("POST", "/orders", '{"item": "tea"}', {"Content-Type": "application/json"})
        print(connection.getresponse().status)
        break
    except OSError:
        pass
"""
CONFIG = '[run]\npolicies = ["p3", "p1"]\n'


def python():
    """The system's own: a manager's is a script, or lies in its owner's home."""
    system = "/usr/bin/python3"
    works = os.path.exists(system) and subprocess.run([system, "-c", "import venv, ensurepip"], capture_output=True).returncode == 0
    return system if works else os.path.realpath(sys.executable)


PYTHON = python()
# A network and mounts of its own: loopback alone, and the repository is empty.
ALONE = ["unshare", "-n", "-m", "sh", "-c", f"mount -t tmpfs none '{ROOT}' && ip link set lo up && exec \"$@\"", "sh"]
if os.getuid() != 0:
    ALONE.insert(1, "-r")


class Place:
    """A folder, the environment in it, and what runs there alone."""

    def __init__(self, folder):
        self.folder = folder
        self.home, self.temporary = folder / "home", folder / "tmp"
        for part in (self.home, self.temporary):
            part.mkdir(parents=True)
            part.chmod(0o777)
        self.environment = {"HOME": str(self.home), "TMPDIR": str(self.temporary), "PATH": f"{os.path.dirname(PYTHON)}:/usr/bin:/bin", "LANG": "C.UTF-8"}

    def run(self, *words, network=False, cwd=None):
        alone = [] if network else list(ALONE)
        if alone and os.getuid() == 0 and PYTHON.startswith("/usr/"):
            alone += ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        done = subprocess.run([*alone, *map(str, words)], env=self.environment, cwd=cwd or self.home, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        if done.returncode != 0:
            raise SystemExit(f"package try: {' '.join(map(str, words))} ended with status {done.returncode}:\n{done.stdout}")
        return done.stdout


def try_command(place, command, name, began):
    version = place.run(*command, "--version").strip()
    config = place.home / "retrial.toml"
    config.write_text(CONFIG)
    place.run(*command, "check", config)
    started = time.monotonic()
    told = place.run(*command, "demo")
    ended = time.monotonic()
    found = set(re.findall(r"^\d+\. (\S+) ", told, re.M))
    missing = [verdict for verdict in DEMO_FINDS if verdict not in found]
    if missing:
        raise SystemExit(f"package try: {name}: the demo did not show {', '.join(missing)}:\n{told}")
    left = sorted(path.name for path in place.home.iterdir() if path != config and path.name not in place.allowed)
    if left:
        raise SystemExit(f"package try: {name}: the demo wrote outside the temporary folder: {', '.join(left)}")
    took = try_init(place, command)
    print(f"{name:8} {version}\n         demo {ended - started:.1f} s, {len(found)} verdicts; "
          f"from the installation's first byte to the report {ended - began:.1f} s; init {took:.1f} s", flush=True)


def try_init(place, command):
    """In the demo's project, without the demo's campaign."""
    shop = place.temporary / "shop"
    (told,) = [path for path in place.temporary.glob("retrial-demo-*")]
    shop.mkdir()
    shop.chmod(0o777)
    place.run("cp", "-r", told / "shop", told / "tests", shop)
    began = time.monotonic()
    said = place.run(*command, "init", cwd=shop)
    took = time.monotonic() - began
    place.run(*command, "check", cwd=shop)
    if "8 of 8 tests can be put on trial: retrial run -- python3 -m unittest" not in said:
        raise SystemExit(f"package try: init said: {said}")
    return took


def only(packages, pattern):
    found = list(packages.glob(pattern))
    if len(found) != 1:
        raise SystemExit(f"package try: expected one {pattern} in {packages}, found {len(found)}: ./dev package makes it")
    return found[0].resolve()


def tarball(place, packages):
    began = time.monotonic()
    subprocess.run(["tar", "-xzf", only(packages, f"*-linux-{HERE.npm}.tar.gz"), "-C", place.folder], check=True)
    top = next(place.folder.glob("retrial-*"))
    place.run("sha256sum", "--quiet", "-c", "SHA256SUMS", cwd=top)
    moved = top.rename(place.folder / "anywhere")  # it works from where it is put
    return [moved / "bin/retrial"], began


def wheel(place, packages):
    began = time.monotonic()
    subprocess.run([PYTHON, "-m", "venv", place.folder / "venv"], check=True)
    # Of the network nothing is needed: --no-index.
    place.run(place.folder / "venv/bin/python", "-m", "pip", "install", "-q", "--no-index", "--no-cache-dir", "--disable-pip-version-check", only(packages, f"*_{HERE.machine}.whl"), network=True)
    return [place.folder / "venv/bin/retrial"], began


def npm(place, packages):
    began = time.monotonic()
    project = place.folder / "project"
    project.mkdir()
    (project / "package.json").write_text('{"private": true, "scripts": {"test": "python3 -c pass"}}\n')
    tarballs = [only(packages, "retrial-[0-9]*.tgz"), only(packages, f"retrial-linux-{HERE.npm}-*.tgz")]
    place.run("unshare", "-n", "npm", "install", "--no-audit", "--no-fund", "--offline", *tarballs, network=True, cwd=project)
    launcher = project / "node_modules/.bin/retrial"
    told = place.run("npx", "--offline", "retrial", "--version", cwd=project)
    if "retrial " not in told:
        raise SystemExit(f"package try: npx retrial --version said: {told}")
    return [launcher], began


def deb(place, packages):
    began = time.monotonic()
    root = place.folder / "root"
    subprocess.run(["dpkg-deb", "-x", only(packages, f"*_{HERE.deb}.deb"), root], check=True)
    return [root / "usr/bin/retrial"], began


def rpm(place, packages):
    began = time.monotonic()
    root = place.folder / "root"
    root.mkdir()
    subprocess.run(f"rpm2cpio '{only(packages, f'*.{HERE.machine}.rpm')}' | cpio -id --quiet", shell=True, check=True, cwd=root)
    return [root / "usr/bin/retrial"], began


def try_emulated(packages, command):
    """Binaries that only an emulator runs here: it knows neither filters of system calls nor their notifications, so the client that they judge was
    observed by `command`, this machine's own."""
    for file in sorted(packages.glob("*.tar.gz")):
        with tempfile.TemporaryDirectory(prefix="retrial-package-") as folder:
            subprocess.run(["tar", "-xzf", file.resolve(), "-C", folder], check=True)
            binary = next(pathlib.Path(folder).glob("retrial-*/bin/retrial"))
            architecture = architecture_of(binary.read_bytes())
            if not architecture.foreign:
                continue
            (pathlib.Path(folder) / "retrial.toml").write_text(CONFIG)
            (pathlib.Path(folder) / "client.py").write_text(CLIENT)

            def run(*words, status=0):
                done = subprocess.run(list(map(str, words)), cwd=folder, capture_output=True, text=True, timeout=300)
                if done.returncode != status:
                    raise SystemExit(f"package try: {' '.join(map(str, words))} ended with status {done.returncode}:\n{done.stdout}{done.stderr}")
                return done.stdout

            emulated = architecture.command(binary)
            version = run(*emulated, "--version").strip()
            run(*emulated, "check", "retrial.toml")
            run(*command, "observe", "--inject", "lost-response(reset) x 1, then pass", "--out", "lost", "--", PYTHON, "client.py")
            told = run(*emulated, "judge", "lost", status=1)
            if "duplicate-effect" not in told:
                raise SystemExit(f"package try: {architecture.npm}: judge said: {told}")
            print(f"{architecture.npm:8} {version}\n         by an emulator: --version, check, judge", flush=True)


KINDS = {"wheel": wheel, "npm": npm, "deb": deb, "tar.gz": tarball, "rpm": rpm}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("packages", type=pathlib.Path)
    parser.add_argument("kinds", nargs="*", help=f"of {', '.join(KINDS)} (default: all that can be tried here)")
    args = parser.parse_args()
    if unknown := set(args.kinds) - set(KINDS):
        raise SystemExit(f"package try: {', '.join(unknown)}: unknown kind, expected some of {', '.join(KINDS)}")
    needed = {"npm": "npm", "deb": "dpkg-deb", "rpm": "cpio"}
    for name in args.kinds or KINDS:
        if name in needed and not shutil.which(needed[name]):
            print(f"{name:8} not tried: {needed[name]} is not installed")
            continue
        with tempfile.TemporaryDirectory(prefix="retrial-package-") as folder:
            os.chmod(folder, 0o755)
            place = Place(pathlib.Path(folder))
            place.allowed = {".npm"}
            command, began = KINDS[name](place, args.packages)
            try_command(place, command, name, began)
            if name == "tar.gz":
                try_emulated(args.packages, command)
    print("every package that could be tried here works")


main()
