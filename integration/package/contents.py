"""What stands in every package, as path -> (mode, bytes), below a prefix such as /usr."""
import gzip
import os
import pathlib
import re
import subprocess
import sys

from version import ROOT

sys.path.insert(0, str(ROOT / "integration/image"))
import image  # noqa: E402  the SBOM's maker, and what the binary is made of
from architecture import architecture_of  # noqa: E402

PARTS = [part for part in image.PARTS if part[0] != "ca-certificates"]  # the system's own, beside a package
COMPLETIONS = {"bash": "share/bash-completion/completions/retrial", "zsh": "share/zsh/site-functions/_retrial",
               "fish": "share/fish/vendor_completions.d/retrial.fish"}


def licence_of(package, architecture):
    root, name = architecture.root_of(package)
    text = (root / "usr/share/doc" / name / "copyright").read_text(errors="replace")
    if package.startswith("libboost"):  # two megabytes, of who wrote what in all of it: the licence itself is enough of the headers
        begin = text.index("Boost Software License - Version 1.0")
        text = text[begin:text.index("DEALINGS IN THE SOFTWARE.", begin)] + "DEALINGS IN THE SOFTWARE.\n"
    return text


def third_party(architecture):
    out = ["Retrial itself is under the Apache License 2.0 (LICENSE). Its binary is linked statically with what follows.\n"]
    for package, licence in PARTS:
        out.append(f"\n{'=' * 100}\n{package}: {licence}\n{'=' * 100}\n\n{licence_of(package, architecture)}")
    unpacked = ROOT / "build/deps/tree-sitter"
    for name, _ in image.parsers():
        out.append(f"\n{'=' * 100}\n{name}: MIT\n{'=' * 100}\n\n{(unpacked / name / 'LICENSE').read_text()}")
    out.append(f"\n{'=' * 100}\nICU, of which tree-sitter has headers\n{'=' * 100}\n\n"
               f"{(unpacked / 'tree-sitter/vendor/tree-sitter/lib/src/unicode/LICENSE').read_text()}")
    return "".join(out).encode()


class Contents:
    def __init__(self, binary, version):
        self.binary = pathlib.Path(binary).resolve()
        self.version = version
        self.seconds = image.when()
        self.program = self.binary.read_bytes()
        self.architecture = architecture_of(self.program)
        line = self.said("--version").decode()
        if "linked statically" not in line:
            raise SystemExit(f"package: {binary} is not the static binary: {line.strip()}")
        if f"retrial {version.says} " not in line:
            raise SystemExit(f"package: {binary} says {line.strip()}, expected {version.says}: build it anew")
        self.man = gzip.compress(self.said("man"), 9, mtime=0)
        self.completions = {path: self.said("completion", shell) for shell, path in COMPLETIONS.items()}
        self.sbom = image.sbom(self.program, self.seconds, version.local, PARTS, "integration/package/main.py").encode()
        self.licence = (ROOT / "LICENSE").read_bytes()
        self.third_party = third_party(self.architecture)
        self.readme = (pathlib.Path(__file__).parent / "README.package.md").read_bytes()
        self.libc = lowest_glibc(self.binary.parent)

    def said(self, *words):
        return subprocess.run([*self.architecture.command(self.binary), *words], check=True, capture_output=True).stdout

    def below_prefix(self):
        files = {"bin/retrial": (0o755, self.program), "share/man/man1/retrial.1.gz": (0o644, self.man),
                 "share/doc/retrial/LICENSE": (0o644, self.licence), "share/doc/retrial/THIRD-PARTY": (0o644, self.third_party),
                 "share/doc/retrial/sbom.spdx.json": (0o644, self.sbom), "share/doc/retrial/README.md": (0o644, self.readme)}
        return files | {path: (0o644, text) for path, text in self.completions.items()}


def lowest_glibc(build):
    """Of the libraries inside the binary that are loaded into clients. What is linked statically asks for none."""
    newest = (2, 17)
    for name in ("retrial_time.so", "retrial_runners.so"):
        told = subprocess.run(["readelf", "--wide", "--dyn-syms", build / name], check=True, capture_output=True, text=True).stdout
        newest = max([newest] + [tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_([0-9.]+)", told)])
    return newest[:2]


def write_tree(files, root, seconds):
    for path, (mode, data) in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        file.chmod(mode)
    for folder, _, names in os.walk(root):
        os.chmod(folder, 0o755)
        for name in names:
            os.utime(pathlib.Path(folder) / name, (seconds, seconds))
        os.utime(folder, (seconds, seconds))
