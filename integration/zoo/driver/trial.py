"""The trial of one subject: each scenario observed with its fault, then all of them judged together as one client."""
import json
import re
import shutil
import signal
import sqlite3
from dataclasses import dataclass, field
from pathlib import Path

from catalog import TIMEOUT_MS
from processes import NO_AGENTS, command_of, environment, run


@dataclass
class Seen:
    """What one scenario's runs showed on the wire: for each run its attempts' statuses or endings, and the gaps between them in ms."""

    scenario: str
    runs: list = field(default_factory=list)
    stopped: bool = False  # Retrial had seen enough of a client that does not end
    broken: str = ""  # why there is nothing to judge: a fault of the harness or of Retrial, never a verdict


@dataclass
class Trial:
    subject: object
    seen: list = field(default_factory=list)
    findings: dict = field(default_factory=dict)  # findings.json of the judge
    broken: str = ""

    @property
    def failures(self):
        return [f"{s.scenario}: {s.broken}" for s in self.seen if s.broken] + ([self.broken] if self.broken else [])

    def stated(self, least=("certain", "likely")):
        """The verdicts of findings that are at least so sure; an effect seen twice is a repeat that was not safe."""
        names = {f["verdict"] for f in self.findings.get("findings", []) if f["confidence"] in least}
        return {"retries-non-idempotent" if name == "duplicate-effect" else name for name in names}


def runs_of(database: Path):
    """The main operation's attempts of each run, as the correlator saw them: (statuses, gaps in ms, calls)."""
    found = []
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as db:
        for (one,) in db.execute("SELECT id FROM run ORDER BY id"):
            rows = db.execute("SELECT coalesce(nullif(client_status, 0), ending), gap_ms, call FROM attempt WHERE run = ? ORDER BY call, attempt", (one,)).fetchall()
            found.append(([str(r[0]) for r in rows], [r[1] for r in rows if r[1] is not None], len({r[2] for r in rows})))
    return found


def observe(binary, subject, scenario, addresses, folder, options):
    fault = subject.faults[scenario]
    shape = [] if subject.shaped else ["--profile", "generic"]
    command = [binary, "observe", "--inject", fault, "--out", str(folder), *shape, *options.observe, "--",
               *(NO_AGENTS if options.without_agents else []), *command_of(subject, addresses, TIMEOUT_MS.get(scenario))]
    status, _, err = run(command, options.limit_s, environment(options.old))
    seen = Seen(scenario)
    seen.stopped = status == 128 + signal.SIGKILL and (folder / "campaign.db").exists()
    if status is None:
        seen.broken = f"no end within {options.limit_s:.0f} s"
    elif status != 0 and not seen.stopped:
        seen.broken = f"observe ended with {status}: {' | '.join(err.strip().splitlines()[:3])[:400]}"
    else:
        seen.runs = runs_of(folder / "campaign.db")
        if not any(answers for answers, *_ in seen.runs):
            seen.broken = "nothing was sent"
    return seen


def try_subject(binary, subject, addresses, folder, options):
    trial = Trial(subject)
    home = folder / re.sub(r"[^A-Za-z0-9]+", "-", subject.name).strip("-")
    scenarios = [s for s in subject.faults if not options.scenarios or s in options.scenarios]
    for scenario in scenarios:
        trial.seen.append(observe(binary, subject, scenario, addresses, home / scenario, options))
    judged = [str(home / s.scenario) for s in trial.seen if not s.broken]
    if judged:
        status, out, err = run([binary, "judge", *judged, "--out", str(home / "judged")], options.limit_s, environment())
        try:
            trial.findings = json.loads((home / "judged/findings.json").read_text())
        except (OSError, ValueError):
            pass
        if status not in (0, 1) or not trial.findings:
            trial.broken = f"judge ended with {status}: {(err or out).strip()[-300:]}"
    if not options.keep:
        shutil.rmtree(home, ignore_errors=True)
    return trial
