"""The image: its size, that it is the same twice, what it runs as, and that it ends by SIGTERM as process 1."""
import hashlib
import json
import os
import re
import subprocess
import time


def run(place):
    digests = []
    for _ in range(2):
        if os.path.exists(place.static):
            os.unlink(place.static)  # linked anew
        subprocess.run([place.root / "integration/image/build.sh"], check=True, capture_output=True)
        digests.append(hashlib.sha256(place.archive.read_bytes()).hexdigest())
    assert digests[0] == digests[1], f"two builds differ: {digests}"
    engine = place.engine()
    image = json.loads(engine.docker("image", "inspect", "retrial:0.1.0").stdout)[0]
    size = image["Size"] / 2**20
    place.figures["image"] = f"{size:.1f} MiB, {image['Id'][:19]}"
    told = float(re.search(r"\| image \| ([\d.]+) MiB", (place.root / "docs/staging-compose.md").read_text())[1])
    assert abs(size - told) < told / 20, f"docs/staging-compose.md says {told} MiB, and it is {size:.1f}"
    assert size < 40 and image["Config"]["User"] == "65532:65532", image
    said = engine.docker("run", "--rm", "retrial:0.1.0", "--version").stdout
    assert "linked statically" in said, said
    confined = ["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--network", "none"]
    name = engine.docker("run", "-d", *confined, "-v", "/var/lib/retrial", "retrial:0.1.0", "serve", "--admin", "--reverse",
                         "127.0.0.1:8080=http://127.0.0.1:9").stdout.strip()
    for _ in range(100):
        state = json.loads(engine.docker("inspect", name).stdout)[0]["State"]
        if state["Health"]["Status"] == "healthy":
            break
        time.sleep(0.2)
    assert state["Health"]["Status"] == "healthy", (state, engine.docker("logs", name).stderr)
    status = open(f"/proc/{state['Pid']}/status").read()
    words = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert words["Uid"].split()[0] == "65532" and int(words["CapBnd"], 16) == 0, status
    place.figures["sidecar idle"] = f"{int(words['VmRSS'].split()[0]) / 1024:.1f} MiB resident, most {int(words['VmHWM'].split()[0]) / 1024:.1f}"
    assert int(words["VmRSS"].split()[0]) < 24 * 1024, words["VmRSS"]
    began = time.monotonic()
    engine.docker("stop", name)
    took = time.monotonic() - began
    code = json.loads(engine.docker("inspect", name).stdout)[0]["State"]["ExitCode"]
    place.figures["docker stop"] = f"{took:.1f} s"
    assert code == 0, (code, engine.docker("logs", name).stderr)
    engine.docker("rm", "-v", name)
    listing = json.loads((place.root / "build/image/sbom.spdx.json").read_text())
    assert listing["spdxVersion"] == "SPDX-2.3" and len(listing["packages"]) > 10
