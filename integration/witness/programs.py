"""The programs of a folder: r_* are right, w_* wrong; how each is run by its ending, and under which faults."""
import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Unavailable for good and for a moment; executed and its answer lost, told at once and by silence; and an error for which none
# should come again.
FAULTS = ["error(503)", "error(503) x 2, then pass", "lost-response(reset) x 1, then pass", "lost-response(stall) x 1, then pass", "error(404)"]
ENDINGS = {".py": ["python3"], ".sh": ["bash"], ".mjs": ["node"], ".cjs": ["node"], ".js": ["node"], ".go": ["go", "run"],
           ".java": ["java", "-XX:TieredStopAtLevel=1"]}
FOLDERS = {"go.mod": ["go", "run", "."], "main.py": ["python3", "main.py"], "index.mjs": ["node", "index.mjs"], "index.js": ["node", "index.js"],
           "Main.java": ["java", "-XX:TieredStopAtLevel=1", "Main.java"]}

_WORDS = "|".join(re.findall(r'^(?:FAULT|CONNECTION_FAULT|SPELLING)\(\w+, (?:\d+, )?"([a-z-]+)"', (ROOT / "trace/faults.inc").read_text(), re.M))
_STEP = rf"\b(?:{_WORDS})\((?:[^()]|\([^()]*\))*\)(?: x \d+)?"
_PLAN = re.compile(rf"{_STEP}(?:, then (?:pass|{_STEP}))*")
_COMMENT = re.compile(r"\s*(#(?!!)|//|/?\*|\"\"\"|''')")


@dataclass
class Program:
    name: str
    right: bool
    command: list
    home: Path  # where it is run
    faults: list  # none: its comment names none


def faults_named(text):
    """By the comments at its top, where they name faults with their parentheses."""
    return [plan for line in text.splitlines()[:10] if _COMMENT.match(line) for plan in _PLAN.findall(line)]


def _how(path):
    """(command, folder in which it is run, the text that says why), or None."""
    if path.is_file():
        command = ENDINGS.get(path.suffix)
        return command and ([*command, path.name], path.parent, path)
    for name, command in FOLDERS.items():
        if (path / name).is_file():
            main = next(iter(sorted(path.glob("main.go")) or sorted(path.glob("*.go"))), path / name) if name == "go.mod" else path / name
            return command, path, main
    return None


def load(folder):
    found = []
    for path in sorted([*folder.glob("[rw]_*"), *folder.glob("*/[rw]_*")]):
        if path.name.endswith((".pyc", ".class", ".md")):
            continue
        how = _how(path)
        if not how:
            sys.exit(f"witness: {path} is no program: it ends in none of {' '.join(ENDINGS)}, and is no folder with one of {' '.join(FOLDERS)}")
        command, home, text = how
        found.append(Program(path.name, path.name.startswith("r_"), command, home, faults_named(text.read_text())))
    return found or sys.exit(f"witness: {folder} holds no r_* and no w_*, nor do its folders")


def services(folder, asked):
    """Commands whose last word is the port: those that are asked for, else the folder's svc.* at 18801 and broker.* at 18802."""
    if not asked:
        asked = [f"{path.name} {port}" for stem, port in (("svc", 18801), ("broker", 18802)) for path in sorted(folder.glob(stem + ".*"))]
    commands = []
    for service in asked:
        name, _, port = service.rpartition(" ")
        path = folder / name
        if not path.is_file() or path.suffix not in ENDINGS or not port.isdigit():
            sys.exit(f"witness: --service '{service}': expected a program in {folder} and its port, as 'svc.py 18801'")
        commands.append(" ".join([*ENDINGS[path.suffix], str(path), port]))
    return commands
