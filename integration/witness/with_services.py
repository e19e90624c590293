"""with_services.py "COMMAND PORT"... -- COMMAND: starts the services, waits until each listens, runs COMMAND, and ends them."""
import shlex
import subprocess
import sys
import time

LISTENS_WITHIN_S = 20


def listens(port):
    with open("/proc/net/tcp") as v4, open("/proc/net/tcp6") as v6:
        rows = [line.split() for table in (v4, v6) for line in table]
    return any(row[3] == "0A" and row[1].endswith(f":{port:04X}") for row in rows)


def start(service):
    command = shlex.split(service)
    port = int(command[-1])
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=sys.stderr)
    end = time.monotonic() + LISTENS_WITHIN_S
    while not listens(port):
        if process.poll() is not None or time.monotonic() > end:
            process.kill()
            sys.exit(f"service '{service}' {'ended' if process.poll() is not None else f'does not listen within {LISTENS_WITHIN_S} s'}")
        time.sleep(0.01)
    return process


def main():
    at = sys.argv.index("--")
    processes = []
    try:
        for service in sys.argv[1:at]:
            processes.append(start(service))
        return subprocess.run(sys.argv[at + 1:]).returncode
    finally:
        for process in processes:
            process.kill()
            process.wait()


if __name__ == "__main__":
    status = main()
    sys.exit(128 - status if status < 0 else status)
