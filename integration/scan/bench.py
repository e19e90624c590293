#!/usr/bin/env python3
"""How right `retrial scan` is on published packages whose retry code was read by hand (truth.json), and how fast.

bench.py FOLDER [--binary RETRIAL] [--set tune|held|fresh|next|fifth] [--wrong]   FOLDER keeps the packages; what is missing is fetched
bench.py FOLDER --speed TREE                                      lines a second and memory, over any tree
"""
import argparse
import json
import os
import re
import resource
import subprocess
import sys
import time
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ENDINGS = (".py", ".js", ".mjs", ".cjs", ".ts", ".tsx", ".java", ".go", ".rs", ".cs")
SETS = ("tune", "held", "fresh", "next", "fifth")
LEFT_OUT = {"test", "tests", "testdata", "example", "examples", "benchmark", "node_modules"}


def place(folder, package):
    name = re.sub(r"[^A-Za-z0-9.]+", "-", package["package"]).strip("-")
    return folder / package["registry"] / f"{name}-{package['version']}"


def run(*words, cwd=None):
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"bench: {' '.join(map(str, words))} failed: {(done.stderr or done.stdout).strip()[-300:]}")
    return done.stdout


def fetch(folder, package):
    """By the registry's own client, without running anything of what comes."""
    into = place(folder, package)
    if into.exists():
        return into
    print(f"fetching {package['package']} {package['version']}", file=sys.stderr)
    part = into.with_suffix(".part")
    subprocess.run(["rm", "-rf", part])
    part.mkdir(parents=True)
    name, version = package["package"], package["version"]
    if package["registry"] == "pypi":
        run("pip", "download", "-q", "--no-deps", "--disable-pip-version-check", "-d", str(part), f"{name}=={version}")
        for file in list(part.iterdir()):
            if file.suffix == ".whl":
                zipfile.ZipFile(file).extractall(part)
            else:
                run("tar", "-xzf", str(file), "--strip-components=1", "-C", str(part))
    elif package["registry"] == "npm":
        archive = run("npm", "pack", "--silent", "--ignore-scripts", f"{name}@{version}", cwd=part).split()[-1]
        run("tar", "-xzf", archive, "--strip-components=1", cwd=part)
    elif package["registry"] == "go":
        (part / "go.mod").write_text("module bench\n")
        module = json.loads(run("go", "mod", "download", "-json", f"{name}@{version}", cwd=part))
        run("cp", "-r", "--no-preserve=mode", module["Dir"] + "/.", str(part))
    elif package["registry"] == "maven":
        run("mvn", "-q", "dependency:copy", f"-Dartifact={name}:{version}:jar:sources", f"-DoutputDirectory={part}")
        for file in list(part.glob("*.jar")):
            zipfile.ZipFile(file).extractall(part)
    elif package["registry"] == "crates":
        (part / "src").mkdir()
        (part / "src/lib.rs").touch()
        (part / "Cargo.toml").write_text(f'[package]\nname = "bench"\nversion = "0.0.0"\n[dependencies]\n"{name}" = "={version}"\n')
        run("cargo", "vendor", "-q", "--versioned-dirs", cwd=part)
        (part / "vendor" / f"{name}-{version}").rename(into)
        return into
    elif package["registry"] == "github":
        run("git", "init", "-q", cwd=part)
        run("git", "fetch", "-q", "--depth", "1", f"https://github.com/{name}", version, cwd=part)
        run("git", "checkout", "-q", "FETCH_HEAD", cwd=part)
    part.rename(into)
    return into


def sources(root):
    if root.is_file():
        return [root]
    found = []
    for at, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if f.lower() not in LEFT_OUT)
        for name in sorted(files):
            if name.endswith(ENDINGS) and not name.endswith(("_test.go", ".min.js", ".d.ts")) and name != "functional_tests.go":
                found.append(Path(at) / name)
    return found


def scanned(binary, root, files):
    found, lines = [], 0
    for i in range(0, len(files), 400):
        said = json.loads(run(binary, "scan", "--json", *[str(f.relative_to(root)) for f in files[i:i + 400]], cwd=root) or "{}")
        found += said["locations"]
        lines += said["lines"]
    return found, lines


def fits(location, truth):
    return location["file"] == truth["file"] and any(
        location["line"] - 3 <= line <= max(location["line"] + 3, location["last_line"] if location["kind"] != "loop" else 0)
        for line in truth["lines"])


def compare(binary, folder, package, tally, wrong):
    root = fetch(folder, package)
    files = sources(root / package["under"])
    started = time.monotonic()
    found, lines = scanned(binary, root, files)
    tally["seconds"] += time.monotonic() - started
    tally["lines"] += lines
    taken = set()
    name = f"{package['package']} {package['version']}"
    for truth in package["locations"]:
        tally["true"] += 1
        match = next((i for i, l in enumerate(found) if i not in taken and fits(l, truth)), None)
        if match is None:
            if wrong:
                print(f"  missed   {name} {truth['file']}:{truth['lines'][0]}")
            continue
        taken.add(match)
        tally["found"] += 1
        for what in ("bound", "wait"):
            said = found[match][what]["kind"]
            tally[what] += said in truth[what]
            if wrong and said not in truth[what]:
                print(f"  {what:8} {name} {truth['file']}:{truth['lines'][0]}: {said} ({found[match][what]['text']}), not {'|'.join(truth[what])}")
    for i, location in enumerate(found):
        if i in taken:
            continue
        either = any(fits(location, t) for t in package["either"] + package["locations"])
        tally["either" if either else "false"] += 1
        if wrong and not either:
            print(f"  false    {name} {location['file']}:{location['line']} {location['kind']} {location['by']} {location['calls']}")


def speed(binary, tree):
    files = sources(Path(tree).resolve())
    started = time.monotonic()
    _, lines = scanned(binary, Path(tree).resolve(), files)
    took = time.monotonic() - started
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    print(f"{len(files)} files, {lines} lines in {took:.1f} s: {lines / took:,.0f} lines a second, {peak} MiB at most")


def share(part, of):
    return f"{part} of {of}" + (f" ({part / of:.2f})" if of else "")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--binary", default=str(HERE.parents[1] / "build/release/retrial"))
    parser.add_argument("--truth", type=Path, default=HERE / "truth.json")
    parser.add_argument("--set", choices=SETS)
    parser.add_argument("--wrong", action="store_true", help="name what was missed, and what was told falsely")
    parser.add_argument("--speed", metavar="TREE")
    options = parser.parse_args()
    binary = str(Path(options.binary).resolve())
    if not os.access(binary, os.X_OK):
        sys.exit(f"bench: {binary}: no retrial is there; ./dev build makes one")
    if options.speed:
        return speed(binary, options.speed)
    packages = json.loads(options.truth.read_text())["packages"]
    for kind in SETS:
        if options.set not in (None, kind):
            continue
        tally = dict.fromkeys(("true", "found", "false", "either", "bound", "wait", "seconds", "lines"), 0)
        chosen = [p for p in packages if p["set"] == kind]
        for package in chosen:
            compare(binary, options.folder.resolve(), package, tally, options.wrong)
        print(f"{kind}: {len(chosen)} packages, {tally['lines']} lines")
        print(f"  recall     {share(tally['found'], tally['true'])}")
        print(f"  precision  {share(tally['found'], tally['found'] + tally['false'])}; {tally['either']} more that may be called either")
        print(f"  bound      {share(tally['bound'], tally['found'])}")
        print(f"  wait       {share(tally['wait'], tally['found'])}")
        print(f"  {tally['lines'] / max(tally['seconds'], 1e-9):,.0f} lines a second")


if __name__ == "__main__":
    main()
