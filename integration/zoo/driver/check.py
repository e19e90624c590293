"""Without Retrial: every client's call succeeds against the service, and fails as often as it is known to try on a bare 503."""
import json
import re
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from processes import command_of, environment, run, service


def check(subjects, old, jobs, limit_s=20):
    wrong = []
    with service() as addresses, ThreadPoolExecutor(jobs) as pool:
        def once(subject):
            began = time.monotonic()
            status, out, err = run(command_of(subject, addresses), 30, environment(old))
            try:
                good = status == 0 and json.loads(out.splitlines()[-1])["ok"]
            except (ValueError, IndexError):
                good = False
            return subject, good, f"{out.strip()[-300:]} {err.strip()[-300:]}", time.monotonic() - began

        for subject, good, said, took in pool.map(once, subjects):
            print(f"{'ok  ' if good else 'FAIL'} {took:5.2f} s  {subject.name}{'' if good else ': ' + said}", flush=True)
            if not good:
                wrong.append(subject)
    def counted(subject):
        with tempfile.TemporaryFile("w+") as log:
            with service(503, log) as addresses:
                status, _, _ = run(command_of(subject, addresses), limit_s, environment(old))
            log.seek(0)
            return subject, status is None, [int(t) for t in re.findall(r" (\d{13})$", log.read(), re.M)]

    with ThreadPoolExecutor(2 * jobs) as pool:  # most of them wait
        for subject, trying, times in pool.map(counted, (s for s in subjects if not s.shaped)):
            known, cut = subject.attempts("a503")
            good = bool(times) if trying or not known else len(times) in known or (cut and len(times) >= min(known))
            gaps = [b - a for a, b in zip(times, times[1:])][:6]
            print(f"{'ok  ' if good else 'FAIL'} {subject.name}: {len(times)} attempts, gaps {gaps}{', still trying' if trying else ''}; known: {sorted(known)}", flush=True)
            if not good:
                wrong.append(subject)
    return wrong
