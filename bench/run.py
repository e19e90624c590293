#!/usr/bin/env python3
"""What forwarding costs: instructions per request beside nginx's, and memory while 1 GiB streams through.

Instructions are counted by callgrind, ours with correlation and recording on, nginx's as a plain proxy without a log; the
difference of two runs of different length leaves start-up out. Wall time is not judged: on a shared machine it describes
the neighbours. Prints a table, writes build/bench.json; exit status 1 beyond a limit.
"""
import argparse, json, os, re, shutil, signal, socket, subprocess, sys, tempfile, time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FEW, MANY, CONNECTIONS = 1000, 6000, 8
MEMORY_LIMIT_MIB = 32

NGINX = """worker_processes 1; daemon off; master_process off; {user} pid {dir}/{name}.pid; error_log {dir}/{name}.err;
events {{ worker_connections 1024; }}
http {{
  access_log off; keepalive_requests 100000000; keepalive_timeout 600s; tcp_nodelay on; sendfile on; default_type text/plain;
  client_body_temp_path {dir}/{name}.b; proxy_temp_path {dir}/{name}.p; fastcgi_temp_path {dir}/{name}.f;
  uwsgi_temp_path {dir}/{name}.u; scgi_temp_path {dir}/{name}.s;
  {http}
}}
"""
ORIGIN = 'server {{ listen 127.0.0.1:{port}; location / {{ return 200 "{body}"; }} location /big {{ root {dir}; }} }}'
PROXY = """upstream service {{ server 127.0.0.1:{to}; keepalive 64; keepalive_requests 100000000; keepalive_timeout 600s; }}
  server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://service; proxy_http_version 1.1;
    proxy_set_header Connection ""; proxy_set_header Host $http_host; }} }}"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Program:
    """A server that this program started, and ends."""

    def __init__(self, argv, port, directory):
        self.log = open(directory / f"{port}.log", "w+")
        self.process = subprocess.Popen([str(a) for a in argv], stdout=self.log, stderr=self.log)
        for _ in range(600):
            if self.process.poll() is not None:
                break
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        self.log.seek(0)
        text = self.log.read()
        self.stop()
        sys.exit(f"bench: {argv[0]} did not come up:\n{text}")

    def peak_mib(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024

    def stop(self):
        for _ in range(60):  # nginx may miss a signal that comes just before it waits for events
            if self.process.poll() is not None:
                break
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(1)
            except subprocess.TimeoutExpired:
                continue
        else:
            self.process.kill()
            self.process.wait()
        self.log.close()


def nginx(directory, name, http):
    binary = shutil.which("nginx") or "/usr/sbin/nginx"
    if not os.path.exists(binary):
        sys.exit("bench: nginx is needed (apt-get install nginx-light)")
    user = "user root;" if os.getuid() == 0 else ""
    conf = directory / f"{name}.conf"
    conf.write_text(NGINX.format(dir=directory, name=name, user=user, http=http))
    return [binary, "-c", conf, "-e", directory / f"{name}.err"]


def load(binary, port, path, connections, count):
    done = subprocess.run([binary, str(port), path, str(connections), str(count)], stdout=subprocess.PIPE, text=True, timeout=900)
    if done.returncode != 0:
        sys.exit("bench: the load did not go through")
    answers, body, seconds = done.stdout.split()
    return int(answers), int(body), float(seconds)


def instructions(directory, loader, name, argv_of, counts):
    """Instructions per request, by the difference of two runs."""
    totals = []
    for count in counts:
        port, out = free_port(), directory / f"{name}.{count}.callgrind"
        program = Program(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *argv_of(port)], port, directory)
        try:
            load(loader, port, "/", CONNECTIONS, count)
        finally:
            program.stop()
        found = re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.M)
        if not found or int(found[1]) == 0:
            sys.exit(f"bench: callgrind counted nothing of {name} ({out})")
        totals.append(int(found[1]))
    return (totals[1] - totals[0]) / (counts[1] - counts[0])


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", type=Path, default=ROOT / "build/release", help="where retrial_forward and retrial_load are")
    options.add_argument("--keep", type=Path, help="keep callgrind's files in this folder")
    args = options.parse_args()
    forward, loader = args.build / "bench/retrial_forward", args.build / "bench/retrial_load"
    for binary in (forward, loader):
        if not binary.exists():
            sys.exit(f"bench: {binary} is missing: ./dev build first")

    with tempfile.TemporaryDirectory(prefix="retrial-bench-") as temporary:
        directory = args.keep or Path(temporary)
        directory.mkdir(parents=True, exist_ok=True)
        with open(directory / "big", "wb") as big:
            big.truncate(1 << 30)
        service = free_port()
        origin = Program(nginx(directory, "origin", ORIGIN.format(port=service, body="x" * 1024, dir=directory)), service, directory)
        try:
            ours = lambda port: [forward, port, service, directory / f"trace-{port}"]
            theirs = lambda port: nginx(directory, f"proxy-{port}", PROXY.format(port=port, to=service))
            counts = (FEW, MANY)
            result = {
                "instructions_per_request": {
                    "retrial": round(instructions(directory, loader, "retrial", ours, counts)),
                    "nginx": round(instructions(directory, loader, "nginx", theirs, counts)),
                },
            }
            port = free_port()
            program = Program(ours(port), port, directory)
            try:
                _, body, seconds = load(loader, port, "/big", 1, 1)
                peak = program.peak_mib()
            finally:
                program.stop()
            if body != 1 << 30:
                sys.exit(f"bench: {body} bytes came of 1 GiB")
        finally:
            origin.stop()
            if args.keep:
                (directory / "big").unlink()
    result["one_gib_response"] = {"peak_mib": round(peak, 1), "mib_per_second": round(1024 / seconds)}

    per = result["instructions_per_request"]
    fewer, small = per["retrial"] < per["nginx"], peak < MEMORY_LIMIT_MIB
    print(f"{'instructions a request':<26}{'retrial, recording':<22}{per['retrial']:>10,}")
    print(f"{'':<26}{'nginx':<22}{per['nginx']:>10,}   {'ok' if fewer else 'FAILED: ours is to be under it'}")
    print(f"{'1 GiB response':<26}{'peak memory, MiB':<22}{peak:>10.1f}   {'ok' if small else f'FAILED: limit {MEMORY_LIMIT_MIB}'}")
    print(f"{'':<26}{'MiB/s (not judged)':<22}{result['one_gib_response']['mib_per_second']:>10,}")
    (ROOT / "build").mkdir(exist_ok=True)
    (ROOT / "build/bench.json").write_text(json.dumps(result, indent=2) + "\n")
    return 0 if fewer and small else 1


if __name__ == "__main__":
    sys.exit(main())
