#!/usr/bin/env python3
"""What a fleet's recordings cost to judge together and to export: 1,000 sidecars, whose clocks are up to a second apart. How
far the clocks that were found are from the true ones is told beside what `merge` says. Exit status 1 where one is farther."""
import json, shutil, subprocess, sys, tempfile
from pathlib import Path

from judge import cost

MEMBERS, EACH, LIMIT_MIB = 1000, 1000, 500


def clocks(folder, found):
    """The largest distance from the truth, and the largest that is said, in ms; and whether each is within its own."""
    truth = {line.split()[0]: int(line.split()[1]) / 1e6 for line in (folder / "truth.txt").read_text().splitlines()}
    starts = {m["folder"]: m["clocks"][0] for m in found["members"]}
    fleet = next(truth[name] for name, clock in starts.items() if clock["tied"] and clock["error_ms"] == 0)
    off = {name: abs(clock["offset_ms"] - (truth[name] - fleet)) for name, clock in starts.items() if clock["tied"]}
    return len(off), max(off.values()), max(starts[name]["error_ms"] for name in off), all(off[name] <= starts[name]["error_ms"] + 0.001 for name in off)


def run(args):
    binaries = args.build.resolve()
    members = 100 if args.quick else MEMBERS
    with tempfile.TemporaryDirectory(prefix="retrial-bench-") as place:
        place = Path(place)
        fleet, out = place / "fleet", place / "out"
        made = subprocess.run([binaries / "bench/retrial_traces", "fleet", fleet, str(members), str(EACH)], check=True, capture_output=True, text=True).stdout
        folders = sorted(fleet.glob("sidecar-*"))
        count = int(made.split()[2])
        on_disk = sum(f.stat().st_size for f in fleet.rglob("*.seg")) / 2**20
        print(f"{made.strip()}, {on_disk:.0f} MiB of segments\n")
        print(f"{'':<10}{'CPU':>9}{'each':>11}{'peak':>11}{'':>4}")
        seconds, peak = cost([binaries / "retrial", "merge", "--out", out, *folders])
        print(f"{'merge':<10}{seconds:>7.1f} s{1e6 * seconds / count:>8.1f} us{peak:>7.0f} MiB")
        worst = peak
        seconds, peak = cost([binaries / "retrial", "export", "--parquet", place / "fleet.parquet", *folders])
        size = (place / "fleet.parquet").stat().st_size
        print(f"{'export':<10}{seconds:>7.1f} s{1e6 * seconds / count:>8.1f} us{peak:>7.0f} MiB, {size / 2**20:.0f} MiB of Parquet, {size / count:.0f} bytes an exchange")
        tied, off, said, held = clocks(fleet, json.loads((out / "fleet.json").read_text()))
        print(f"\nclocks: {tied} of {members} tied; at most {off:.3f} ms off the truth, {said:.3f} ms said")
        shutil.rmtree(fleet)
    failed = [] if held else ["a clock is farther off than is said"]
    if max(worst, peak) > LIMIT_MIB:
        failed.append(f"{max(worst, peak):.0f} MiB, more than {LIMIT_MIB}")
    for line in failed:
        print(f"bench: {line}")
    return 1 if failed else 0
