"""The judge judged: what was stated beside what is true, and what is printed of it."""
from collections import Counter
from dataclasses import dataclass

GRADED = ["ignores-retry-after", "retries-non-idempotent", "retries-permanent-error", "missing-delay", "no-backoff", "missing-cap"]
SURE = ("certain", "likely")
ALL = ("certain", "likely", "possible")
GOAL = {"precision": 0.99, "recall": 0.97, "precision of each": 0.95, "recall of each": 0.90}


@dataclass
class Score:
    right: Counter
    false: Counter
    missed: Counter

    def precision(self, verdicts=GRADED):
        stated = sum(self.right[v] + self.false[v] for v in verdicts)
        return sum(self.right[v] for v in verdicts) / stated if stated else 1.0

    def recall(self, verdicts=GRADED):
        true = sum(self.right[v] + self.missed[v] for v in verdicts)
        return sum(self.right[v] for v in verdicts) / true if true else 1.0

    def reached(self):
        return (self.precision() >= GOAL["precision"] and self.recall() >= GOAL["recall"]
                and all(self.precision([v]) >= GOAL["precision of each"] and self.recall([v]) >= GOAL["recall of each"] for v in GRADED))


def compare(trial, least=SURE):
    """(right, false, missed) verdicts of one trial. What stands among the subject's notes counts neither way."""
    subject = trial.subject
    stated = {v for v in trial.stated(least) if v in GRADED}
    return stated & subject.findings, stated - subject.findings - subject.notes, subject.findings - stated


def score(trials, least=SURE):
    total = Score(Counter(), Counter(), Counter())
    for trial in trials:
        for counter, verdicts in zip((total.right, total.false, total.missed), compare(trial, least)):
            counter.update(verdicts)
    return total


def evidence(trial, verdict):
    """What was seen where this verdict was stated, or should have been."""
    stated = [f for f in trial.findings.get("findings", []) if verdict in (f["verdict"], {"duplicate-effect": "retries-non-idempotent"}.get(f["verdict"]))]
    for f in stated:
        gaps = " ".join(f"{g:.0f}" for g in f.get("gaps_ms", [])[:8])
        yield f"{f['confidence']}, {f['fault']}: {f['attempts']} attempts, gaps {gaps or '-'} ms: {f['message']}"
    if not stated:
        for seen in trial.seen:
            yield f"{seen.scenario}: " + (seen.broken or "; ".join(show_run(*r) for r in seen.runs[:3]) or "nothing on the wire")
        for why in trial.findings.get("not_judged", []):
            yield f"not judged, {why['fault']}: {why['why']}"


def show_run(answers, gaps, calls):
    gaps = " ".join(f"{g:.0f}" for g in gaps[:8])
    return f"{len(answers)} attempts ({' '.join(answers[:6])}){f', gaps {gaps} ms' if gaps else ''}{f', {calls} calls' if calls > 1 else ''}"


def surprises(trial):
    """Scenarios in which the client tried another number of times than it is known to: a fault is not what it should be, or a run
    was taken apart wrongly."""
    for seen in trial.seen:
        known, cut = trial.subject.attempts(seen.scenario)
        for run in seen.runs:
            tried = len(run[0])
            longer = tried >= max(known, default=0) > 2  # the look at it may have ended before the client did
            if known and not (tried in known or seen.stopped or longer or (cut and tried >= min(known))):
                yield f"{trial.subject.name}, {seen.scenario}: {show_run(*run)}; known: {', '.join(map(str, sorted(known)))}"
                break


def show_subject(trial):
    right, false, missed = compare(trial)
    words = [*sorted(right), *(f"FALSE {v}" for v in sorted(false)), *(f"MISSED {v}" for v in sorted(missed))]
    attempts = " ".join(f"{s.scenario}:{'!' if s.broken else '/'.join(str(len(a)) for a, *_ in s.runs)}" for s in trial.seen)
    return f"| {trial.subject.language} | {trial.subject.client} | {trial.subject.method} | {attempts} | {', '.join(words) or 'clean'} |"


def show(trials, took_s):
    print("\n| language | client | method | attempts | verdicts |\n|---|---|---|---|---|")
    for trial in trials:
        print(show_subject(trial))
    disagreements = [(t, verdict, word) for t in trials for verdicts, word in zip(compare(t)[1:], ("false", "missed")) for verdict in sorted(verdicts)]
    print(f"\n{len(disagreements)} disagreements")
    for trial, verdict, word in disagreements:
        print(f"\n{word}: {verdict}: {trial.subject.name}")
        for line in evidence(trial, verdict):
            print(f"  {line}")
    for trial in trials:
        for line in surprises(trial):
            print(f"\ntried otherwise: {line}")
    failures = [(t, f) for t in trials for f in t.failures]
    for trial, failure in failures:
        print(f"\nnot tried: {trial.subject.name}: {failure}")
    for least, word in ((ALL, "with possible findings"), (SURE, "findings that are likely or certain")):
        total = score(trials, least)
        print(f"\n{word}\n| verdict | right | false | missed | precision | recall |\n|---|---|---|---|---|---|")
        for verdict in [*GRADED, None]:
            which = [verdict] if verdict else GRADED
            counts = " | ".join(str(sum(c[v] for v in which)) for c in (total.right, total.false, total.missed))
            print(f"| {verdict or 'all'} | {counts} | {total.precision(which):.3f} | {total.recall(which):.3f} |")
    clean = [t for t in trials if not t.subject.findings]
    falsely = [t for t in clean if compare(t)[1]]
    if clean:
        print(f"\nfalse findings on clean clients: {len(falsely)} of {len(clean)} ({100 * len(falsely) / len(clean):.1f} %)")
    runs = sum(len(s.runs) for t in trials for s in t.seen)
    print(f"{len(trials)} clients and methods, {sum(len(t.seen) for t in trials)} scenarios, {runs} runs, {len(failures)} not tried; {took_s / 60:.1f} minutes")
    return score(trials).reached() and not failures
