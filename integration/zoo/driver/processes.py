"""The processes of the zoo: its service, and a client that makes one call."""
import json
import os
import signal
import subprocess
from contextlib import contextmanager
from pathlib import Path

ROOM = Path(__file__).resolve().parent.parent
BUILT = ROOM.parents[1] / "build/zoo"
# Nothing of a client looks for a cloud around it, or at this machine's own settings.
ENVIRONMENT = {"AWS_EC2_METADATA_DISABLED": "true", "NO_GCE_CHECK": "true", "METADATA_SERVER_DETECTION": "none", "NODE_NO_WARNINGS": "1",
               "AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull, "PYTHONDONTWRITEBYTECODE": "1"}
# Agents come by these.
NO_AGENTS = ["env", "-u", "NODE_OPTIONS", "-u", "PYTHONPATH"]


def environment(old=()):
    kept = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy") and not name.startswith("AWS_")}
    return kept | ENVIRONMENT | ({"ZOO_OLD": json.dumps(list(old))} if old else {})


@contextmanager
def service(status=0, log=None):
    """The service, ready: gives its addresses, {"http": …, "grpc": …}."""
    asked = ["--status", str(status)] if status else []
    process = subprocess.Popen(["node", ROOM / "service.mjs", *asked], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        yield json.loads(process.stdout.readline())
    finally:
        process.stdin.close()
        process.wait()


def command_of(subject, addresses, timeout_ms=None):
    program = {"npm": ["node", ROOM / "npm/client.mjs"], "python": [ROOM / "python/.venv/bin/python", ROOM / "python/client.py"],
               "go": [BUILT / "go"], "java": ["java", "-XX:TieredStopAtLevel=1", "-cp", f"{BUILT}/java:{BUILT}/java/*", "Client"]}
    address = addresses["grpc" if "grpc" in subject.client else "http"]
    limit = ["--timeout", str(timeout_ms)] if timeout_ms else []
    return [*map(str, program[subject.language]), subject.client, subject.method, address, *limit]


def run(command, limit_s, environment):
    """Runs it to its end: its status, standard output and standard error. None for a status: it was killed after limit_s."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, start_new_session=True)
    try:
        out, err = process.communicate(timeout=limit_s)
        return process.returncode, out, err
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        return None, out, err
