"""What is known of the clients: clients.json and verdicts.json of the zoo's folder."""
import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

# Each scenario as a fault. Those that a proxy cannot make, or on which nothing is graded, are left out.
FAULTS = {
    "a503": "error(503)",
    "b500": "error(500)",
    "c429ra": "error(429, retry-after=2)",
    "d429": "error(429)",
    "e400": "error(400)",
    "f401": "error(401)",
    "g404": "error(404)",
    "h408": "error(408)",
    "ireset": "close(after-request)",
    "jhang": "stall",
    "k503once": "error(503) x 1, then pass",
    "x409": "error(409)",
    "x429ra90": "error(429, retry-after=90)",
    "x429radate": "error(429, retry-after=date+3)",
    "x429raonce": "error(429, retry-after=2) x 1, then pass",
    "x503ra": "error(503, retry-after=2)",
    "x504": "error(504)",
    "xresetonce": "close(after-request) x 1, then pass",
    "xrst": "reset(after-request)",
    "xtrunc": "close(in-body)",
}

# In gRPC's own words. x503ra is the pushback, the rest has no pendant but a status that says "no" of its own.
GRPC_FAULTS = {
    "a503": "grpc-status(UNAVAILABLE)",
    "b500": "grpc-status(INTERNAL)",
    "c429ra": "grpc-status(RESOURCE_EXHAUSTED, pushback=2s)",
    "d429": "grpc-status(RESOURCE_EXHAUSTED)",
    "e400": "grpc-status(INVALID_ARGUMENT)",
    "f401": "grpc-status(UNAUTHENTICATED)",
    "g404": "grpc-status(NOT_FOUND)",
    "h408": "grpc-status(DEADLINE_EXCEEDED)",
    "ireset": "close(after-request)",
    "jhang": "stall",
    "k503once": "grpc-status(UNAVAILABLE) x 1, then pass",
    "x503ra": "grpc-status(UNAVAILABLE, pushback=2s)",
    "xgoaway": "goaway x 1, then pass",
    "xhdrthenfail": "late-status(UNAVAILABLE)",
    "xhttp503": "error(503)",
    "xpushneg": "grpc-status(UNAVAILABLE, pushback=never)",
    "xrefused": "rst-stream(refused-stream)",
    "xrefusedonce": "rst-stream(refused-stream) x 1, then pass",
    "xresetonce": "close(after-request) x 1, then pass",
    "xrstcancel": "rst-stream(cancel)",
}

# A client's own time-out, given to it in this scenario alone.
TIMEOUT_MS = {"jhang": 300}


@dataclass
class Subject:
    """One client configuration and method, with what a right judge says of it."""

    language: str
    client: str
    method: str
    shaped: bool  # errors come in the service's own shape
    findings: set
    notes: set
    rows: dict = field(default_factory=dict)  # scenario -> the rows of clients.json

    @property
    def name(self):
        return f"{self.language} {self.client} {self.method}"

    @property
    def faults(self):
        table = GRPC_FAULTS if "grpc" in self.client else FAULTS
        return {scenario: fault for scenario, fault in table.items() if scenario in self.rows}

    def attempts(self, scenario):
        """How often the client is known to try (empty: nobody counted), and whether it was still trying when the look at it ended."""
        rows = self.rows[scenario]
        return {row["attempts"] for row in rows}, any("time box" in row.get("notes", "") for row in rows)


def ours(file: Path):
    """Clients of other languages, with what their documentation says of them."""
    for row in json.loads(file.read_text()):
        subject = Subject(row["language"], row["client"], row["method"], "shaped" in row.get("config", ""), set(row["findings"]), set(row["notes"]))
        subject.rows = {scenario: [] for scenario in (*FAULTS, *GRPC_FAULTS)}
        yield subject


def load(folder: Path):
    try:
        verdicts = json.loads((folder / "verdicts.json").read_text())
        rows = json.loads((folder / "clients.json").read_text())["rows"]
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"zoo: {folder} holds no zoo (clients.json, verdicts.json): {error}")
    subjects = {(v["language"], v["client"], v["method"]): Subject(v["language"], v["client"], v["method"], False, set(v["findings"]), set(v["notes"])) for v in verdicts}
    for row in rows:
        subject = subjects[row["language"], row["client"], row["method"]]
        subject.shaped |= "shaped error" in f"{row['client']} {row.get('config') or ''}"
        subject.rows.setdefault(row["scenarioId"], []).append(row)
    return list(subjects.values())
