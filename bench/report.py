"""The tables of bench/results.md, and the limits that are checked."""
import statistics


def median(results, scenario, name, key):
    """None where it was not measured."""
    values = [r[key] for r in results.get(scenario, {}).get(name, []) if key in r]
    return statistics.median(values) if values else None


def ratio(results, scenario, name, other, key, base=None):
    """(median, least, most) over the rounds of name/other; with `base`, of what each adds to it."""
    of = results.get(scenario, {})
    rounds = zip(*([r for r in of.get(n, []) if key in r] for n in (name, other, base or name)))
    less = (lambda r, b: r[key] - b[key]) if base else (lambda r, b: r[key])
    found = [less(a, c) / less(b, c) for a, b, c in rounds if less(b, c) > 0]
    return (statistics.median(found), min(found), max(found)) if found else None


def span(results, scenario, name, key):
    """(median, least, most) over the rounds of a figure that is a ratio itself."""
    found = [r[key] for r in results.get(scenario, {}).get(name, []) if key in r]
    return (statistics.median(found), min(found), max(found)) if found else None


def shown(found):
    return f"{found[0]:.2f} ({found[1]:.2f} to {found[2]:.2f})" if found else "-"


class Limits:
    """Firm limits decide the exit status. A ratio holds when its range over the rounds reaches the limit."""

    def __init__(self):
        self.lines, self.failed = [], False

    def add(self, what, limit, shown, holds, firm):
        word = "not measured" if holds is None else "ok" if holds else "FAILED"
        self.failed = self.failed or (firm and holds is False)
        self.lines.append((what, limit, shown, word + ("" if firm else ", not firm" if word == "FAILED" else "")))

    def most(self, what, value, limit, unit=""):
        self.add(what, f"at most {limit:,}{unit}", "-" if value is None else f"{value:,.1f}{unit}", None if value is None else value <= limit, True)

    def ratio(self, what, found, limit, at_least=False, firm=False):
        holds = None if not found else found[2] >= limit if at_least else found[1] <= limit
        self.add(what, f"at {'least' if at_least else 'most'} {limit}", shown(found), holds, firm)


def check(results):
    limits = Limits()
    of = lambda scenario, key: median(results, scenario, "retrial", key)
    limits.most("instructions a request, clear text", of("instructions", "instructions"), 8500)
    limits.most("instructions a request, TLS keep-alive", of("instructions, TLS", "instructions"), 30000)
    limits.most("instructions a request, HTTP/2, clear text", of("instructions, HTTP/2", "instructions"), 30000)
    for scenario in results:
        if " MiB " in scenario:
            limits.most(f"peak memory, {scenario}", of(scenario, "peak"), 32, " MiB")
        if "idle" in scenario and "TLS" not in scenario:
            limits.most(f"memory, {scenario}", of(scenario, "memory"), 100, " MiB")
    failed = sum(r["failed"] for rows in results.values() for name in rows if name.startswith("retrial") for r in rows[name])
    limits.most("requests of Retrial that failed", failed, 0)
    for scenario, other, limit in (("clear text", "haproxy", 0.85), ("clear text", "nginx", 0.85), ("clear text", "envoy", 0.3),
                                   ("TLS keep-alive", "haproxy", 0.85), ("TLS handshakes", "haproxy", 0.9),
                                   ("gRPC-like", "haproxy", 0.5)):
        limits.ratio(f"CPU a request, {scenario}, retrial / {other}", ratio(results, scenario, "retrial", other, "cpu"), limit)
    for how in (", clear text", " over TLS in, clear text out"):
        for other, limit, firm in (("haproxy", 1.1, True), ("haproxy", 0.9, False), ("envoy", 0.3, False)):
            found = ratio(results, f"HTTP/2{how}", "retrial", other, "cpu")
            limits.ratio(f"CPU a request, HTTP/2{how}, retrial / {other}", found, limit, firm=firm)
    limits.ratio("CPU a request, two loops / one", ratio(results, "two loops", "retrial, two loops", "retrial", "cpu"), 1.1)
    for scenario, name in ((s, n) for s in results if s.startswith("one stream") for n in results[s] if n.startswith("retrial")):
        how = "held by a rule" if "rule" in name else scenario.removeprefix("one stream of 100 ")
        for percent in (50, 99):
            limits.ratio(f"p{percent} of 99 streams, one {how} / none", span(results, scenario, name, f"over_{percent}"), 1.05)
    limits.ratio("start-up, retrial / nginx", ratio(results, "start-up", "retrial", "nginx", "ms"), 1.0)
    limits.ratio("added p50, one connection, retrial / nginx", ratio(results, "clear text", "retrial", "nginx", "one_p50", "direct"), 1.0)
    limits.ratio("p99 at half load, retrial / haproxy", ratio(results, "fixed rate", "retrial", "haproxy", "p99"), 1.0)
    for scenario in results:
        if " MiB " in scenario:
            limits.ratio(f"MiB/s, {scenario}, retrial / haproxy", ratio(results, scenario, "retrial", "haproxy", "mib_s"), 1.0, at_least=True)
    return limits


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def scenario_table(bench, results, scenario, columns, names):
    """columns: (head, key, digits). The CPU column is followed by Retrial's share of it."""
    rows = []
    for name in names:
        if name not in results.get(scenario, {}):
            if (scenario, name) in bench.missing:
                rows.append([name, f"not measured: {bench.missing[scenario, name]}"] + [""] * (len(columns) - 1 + any(c[1] == "cpu" for c in columns)))
            continue
        row = [name]
        for _, key, digits in columns:
            if digits is None:
                base = key.removeprefix("mib_s over ")
                row.append(shown(ratio(results, scenario, name, base, "mib_s") if base != key else span(results, scenario, name, key)))
                continue
            value = median(results, scenario, name, key)
            if value is not None and key in ("one_p50", "p50", "p99") and name != "direct":
                value -= median(results, scenario, "direct", key) or 0
            row.append("-" if value is None else f"{value:,.{digits}f}")
            if key == "cpu":
                found = ratio(results, scenario, "retrial", name, "cpu")
                row.append(shown(found) if found and name != "retrial" else "")
        rows.append(row)
    heads = [""] + [h for column in columns for h in ([column[0]] + (["retrial / it"] if column[1] == "cpu" else []))]
    return table(heads, rows)
