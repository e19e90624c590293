"""What a package's version is, in the form of each kind: the tag v1.2.3 of the commit, else the project's and the commit."""
import pathlib
import re
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def git(*words):
    said = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True)
    return said.stdout.strip() if said.returncode == 0 else ""


class Version:
    def __init__(self):
        tag = git("describe", "--tags", "--exact-match", "--match", "v[0-9]*")
        base = re.search(r"project\(retrial VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
        commit = git("rev-parse", "--short=12", "HEAD") or "unknown"
        dirty = bool(git("status", "--porcelain"))
        self.says = tag[1:] if tag else base  # as `retrial --version` says it
        if tag and not dirty:
            self.local = self.npm = self.says
        else:
            at = "g" + commit + (".dirty" if dirty else "")
            self.local = f"{self.says}+{at}"  # of a wheel (PEP 440), a .deb and a tar.gz
            self.npm = f"{self.says}-dev.{at}"  # npm leaves out what stands behind a plus
