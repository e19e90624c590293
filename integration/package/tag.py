"""That a wheel may have the tag in its name, by auditwheel's own reading of what it needs. Runs where auditwheel is installed."""
import re
import subprocess
import sys

wheel = sys.argv[1]
done = subprocess.run([sys.executable, "-m", "auditwheel", "show", wheel], capture_output=True, text=True)
said = " ".join(done.stdout.split())
consistent = re.search(r'consistent with the following platform tag: "manylinux_(\d+)_(\d+)_(x86_64|aarch64)"', said)
named = re.search(r"manylinux_(\d+)_(\d+)_(x86_64|aarch64)", wheel)
if done.returncode != 0 or not consistent or not named:
    raise SystemExit(f"package: auditwheel has not read {wheel}: {said or done.stderr.strip()}")
(least, tag) = (tuple(map(int, found.groups()[:2])) for found in (consistent, named))
if least > tag:
    raise SystemExit(f"package: {wheel} needs glibc {least[0]}.{least[1]}, later than its tag says")
print(f"auditwheel: the wheel needs no more than manylinux_{least[0]}_{least[1]}, and is tagged manylinux_{tag[0]}_{tag[1]}")
