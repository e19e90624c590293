"""Holds the pages' samples against the product: `samples.py [--keep FOLDER] RETRIAL [PAGE...]`.

- Blocks of `sh` are run, page by page, in an empty folder; a line's `# ends with N: ...` says its exit status, else it
  is 0. Each line of a block of `text` behind one stands in what that one printed.
- Every `retrial VERB --option` in a page is a verb and an option that there are.
- Blocks of `toml` that are whole files of ours, and name no others, are read by `retrial check`.
"""
import argparse
import functools
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
ENDS = re.compile(r"^(.*?)\s+# ends with (\d+)\b.*$", re.M)
COMMAND = re.compile(r"(?:^(?:\$ |- run: )?|`)retrial +([a-z]+)\b([^`\n|&;)]*)", re.M)
OURS = re.compile(r"^\[+(run|service|rule|listener|serve|admin|safety|accept|redact|profile)\b", re.M)
SECONDS = 300


class Retrial:
    def __init__(self, binary):
        self.binary = binary

    def run(self, *arguments, **rest):
        return subprocess.run([self.binary, *arguments], capture_output=True, text=True, timeout=SECONDS, **rest)

    @functools.cache
    def help(self, *verb):
        told = self.run(*verb, "--help")
        return told.stdout if told.returncode == 0 else ""


def runnable(page, retrial, keep=None):
    """What is wrong with the page's blocks of sh, and of text behind them."""
    blocks = [(kind, text) for kind, text in BLOCK.findall(page.read_text()) if kind in ("sh", "text")]
    if not any(kind == "sh" for kind, _ in blocks):
        return
    script = ["set -e"]
    for number, (kind, text) in enumerate(blocks):
        script.append(f"echo '<{number}>'")
        if kind == "sh":
            script.append(ENDS.sub(r"status=0; \1 || status=$?; test $status = \2", text))
    with tempfile.TemporaryDirectory(prefix="retrial-docs-") as folder:
        commands = pathlib.Path(folder, "commands.sh")
        commands.write_text("\n".join(script))
        path = f"{pathlib.Path(retrial.binary).parent}:/usr/local/bin:/usr/bin:/bin"
        done = subprocess.run(["bash", commands], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=SECONDS, env={"PATH": path, "HOME": folder, "LANG": "C.UTF-8"})
        if keep:
            shutil.copytree(folder, pathlib.Path(keep, page.stem), dirs_exist_ok=True)
    printed = re.split(r"^<\d+>\n", done.stdout, flags=re.M)[1:]
    if done.returncode:
        yield f"{page.name}: block {len(printed)} of sh or text ends with {done.returncode}:\n{printed[-1] if printed else done.stdout}"
    for number, (kind, text) in enumerate(blocks[: len(printed)]):
        for line in text.splitlines() if kind == "text" else ():
            if line.strip() not in printed[number - 1]:
                yield f"{page.name}: {line.strip()!r} is not in what was printed:\n{printed[number - 1]}"


def options(page, retrial):
    """Verbs and options that there are not."""
    for verb, rest in COMMAND.findall(page.read_text()):
        ours = rest.split(" -- ")[0].split("#")[0]
        words = [verb, *re.match(r"(?: [a-z]+\b)*", ours).group().split()]
        told = "".join(retrial.help(*words[: n + 1]) for n in range(len(words)))
        if not told:
            yield f"{page.name}: `retrial {verb}`: there is no such verb"
        for option in re.findall(r"(?<![\w-])--[a-z][a-z-]+", ours):
            if told and not re.search(re.escape(option) + r"(?![\w-])", told):
                yield f"{page.name}: `retrial {verb} {option}`: there is no such option"


def configuration(page, retrial):
    """Configuration that `retrial check` refuses."""
    for kind, text in BLOCK.findall(page.read_text()):
        if kind != "toml" or not OURS.search(text) or re.search(r"^file *=", text, re.M):
            continue
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write(text)
            file.flush()
            told = retrial.run("check", file.name)
            if told.returncode:
                yield f"{page.name}: {told.stdout}{told.stderr}"


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--keep", help="what each page's blocks have left is copied to FOLDER/PAGE")
    arguments.add_argument("retrial")
    arguments.add_argument("pages", nargs="*")
    given = arguments.parse_args()
    retrial = Retrial(str(pathlib.Path(given.retrial).resolve()))
    pages = [pathlib.Path(name) for name in given.pages] or [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    wrong = []
    for page in pages:
        wrong += [*options(page, retrial), *configuration(page, retrial), *runnable(page, retrial, given.keep)]
    print(*wrong, sep="\n", end="\n" if wrong else "")
    print(f"docs: {len(pages)} pages, {len(wrong)} samples that are wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
