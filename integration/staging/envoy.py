"""A real Envoy: a router that tries again, behind it a hop whose ext_proc asks `retrial envoy`, and a service that counts what it executes
(integration/envoy/envoy.yaml). Then what it costs beside the same Envoy without us, and the manifests for Istio against Istio's and Envoy's own
schemas."""
import collections
import http.client
import http.server
import json
import pathlib
import re
import shutil
import signal
import subprocess
import textwrap
import threading
import time

import manifests

CALLER, LOGGED, SERVICE, GRPC_SERVICE, RETRIAL = 10001, 10002, 8080, 8081, 9001
# Ways through the Envoy, each beside the same way without us.
COSTS = {"two hops, Retrial asked of each attempt": (CALLER, 10003), "one hop, its access log sent to Retrial": (LOGGED, 10004)}
RULES = [("/first2", "error(503) x 2, then pass"), ("/lost", "lost-response(error(503)) x 1, then pass"), ("/slow", "delay(1500ms) x 1, then pass"),
         ("/shop.Orders/First2", "grpc-status(UNAVAILABLE) x 2, then pass"), ("/shop.Orders/All", "grpc-status(RESOURCE_EXHAUSTED)"),
         ("/shop.Orders/Lost", "lost-response(grpc-status(UNAVAILABLE)) x 1, then pass"), ("/header", "drop-header(ETag)"), ("/all", "error(503)")]
ROUNDS, REQUESTS, CLIENTS = 3, 2000, 4


class Service(http.server.ThreadingHTTPServer):
    request_queue_size, daemon_threads = 128, True

    def __init__(self):
        self.executed, self.lock = collections.Counter(), threading.Lock()
        super().__init__(("127.0.0.1", SERVICE), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        with self.server.lock:
            self.server.executed[self.path] += 1
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.wfile.write(b"HTTP/1.1 200 OK\r\nETag: a\r\nContent-Length: 8\r\n\r\nan order")

    do_POST = do_GET

    def log_message(self, *_):
        pass


def ask(method, path, port=CALLER, connection=None):
    own = connection or http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    own.request(method, path, body=b"an order" if method == "POST" else None)
    answer = own.getresponse()
    body = answer.read()
    if not connection:
        own.close()
    return answer.status, dict((name.lower(), value) for name, value in answer.getheaders()), body


class Retrial:
    def __init__(self, place, folder, *more, rules=RULES):
        folder.mkdir(parents=True, exist_ok=True)
        config = ["[serve]", "loops = 1", "[telemetry]", 'access_log = "access.log"', "[[listener]]", 'mode = "envoy"', f'listen = "127.0.0.1:{RETRIAL}"']
        for path, faults in rules:
            config += ["[[rule]]", f"match = {{ service = \"127.0.0.1:{CALLER}\", path = \"{path}\" }}", f"inject = '{faults}'"]
        (folder / "retrial.toml").write_text("\n".join(config) + "\n")
        self.log = folder / "log"
        self.trace = folder / "trace"
        with open(self.log, "w") as log:
            self.process = subprocess.Popen([place.retrial, "envoy", "-c", folder / "retrial.toml", "--record", self.trace, *more], stderr=log,
                                            cwd=folder)
        until(lambda: "listening on" in self.log.read_text() or self.process.poll() is not None)
        assert self.process.poll() is None, self.log.read_text()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(30) == 0, self.log.read_text()


def until(so):
    for _ in range(600):
        if so():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come to be within 30 s")


def cpu(process):
    fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def start(place, folder):
    """The example, and both of its ways again without us."""
    as_json = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))"
    example = place.root / "integration/envoy/envoy.yaml"
    config = json.loads(subprocess.run([place.cache / "envoy/bin/python", "-c", as_json, example], check=True, capture_output=True, text=True).stdout)
    listeners, clusters = config["static_resources"]["listeners"], config["static_resources"]["clusters"]
    text = json.dumps([listeners[0], clusters[0]])
    caller, hop = json.loads(text.replace('"cluster": "hop"', '"cluster": "bare"').replace('"caller"', '"bare_caller"')
                             .replace(f'"port_value": {CALLER}', '"port_value": 10003').replace('"name": "hop"', '"name": "bare"')
                             .replace('"cluster_name": "hop"', '"cluster_name": "bare"').replace('"server_listener_name": "hop"', '"server_listener_name": "bare"'))
    inner = json.loads(json.dumps(listeners[1]).replace('"name": "hop"', '"name": "bare"').replace('"stat_prefix": "hop"', '"stat_prefix": "bare"'))
    manager = inner["filter_chains"][0]["filters"][0]["typed_config"]
    manager["http_filters"] = manager["http_filters"][1:]
    del manager["access_log"]
    plain = json.loads(json.dumps(listeners[2]).replace(f'"port_value": {LOGGED}', '"port_value": 10004').replace('"logged"', '"plain"'))
    del plain["filter_chains"][0]["filters"][0]["typed_config"]["access_log"]
    # gRPC has a service of its own.
    grpc = json.loads(json.dumps(clusters[1]).replace('"service"', '"grpc"').replace(str(SERVICE), str(GRPC_SERVICE)))
    routes = listeners[1]["filter_chains"][0]["filters"][0]["typed_config"]["route_config"]["virtual_hosts"][0]["routes"]
    routes.insert(0, {"match": {"prefix": "/", "grpc": {}}, "route": {"cluster": "grpc"}})
    listeners += [caller, inner, plain]
    clusters.append(grpc)
    clusters.append(hop)
    config["admin"] = {"address": {"socket_address": {"address": "127.0.0.1", "port_value": 9901}}}
    (folder / "envoy.json").write_text(json.dumps(config))
    log = open(folder / "envoy.log", "w")
    process = subprocess.Popen([place.cache / "envoy/bin/envoy", "-c", folder / "envoy.json", "--concurrency", "1", "-l", "warning"], stdout=log, stderr=log)

    def ready():
        assert process.poll() is None, (folder / "envoy.log").read_text()
        try:
            return ask("GET", "/ready", 9901)[0] == 200
        except OSError:
            return False
    until(ready)
    return process


def judged(place, trace):
    """What `retrial judge` finds in the recording."""
    out = trace.parent / "judged"
    done = subprocess.run([place.retrial, "judge", trace, "--out", out], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return json.loads((out / "findings.json").read_text())


def faults(place, service, folder):
    retrial = Retrial(place, folder / "faults")
    assert ask("POST", "/first2")[0] == 200 and service.executed["/first2"] == 1
    assert ask("POST", "/lost")[0] == 200 and service.executed["/lost"] == 2, "the lost one was executed, and so was the router's second attempt"
    assert ask("GET", "/slow")[0] == 200 and service.executed["/slow"] == 1, "it waits longer than message_timeout, since it is asked to"
    assert "etag" not in ask("GET", "/header")[1]
    assert ask("GET", "/all")[0] == 503 and service.executed["/all"] == 0
    assert ask("GET", "/plain")[1]["etag"] == "a"
    assert ask("GET", "/logged", LOGGED)[0] == 200
    script = pathlib.Path(__file__).parent / "envoy_grpc.py"
    done = subprocess.run([place.cache / "envoy/bin/python", "-I", script, str(GRPC_SERVICE), str(CALLER)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    calls = json.loads(done.stdout)
    assert {name: (call["code"], call["executed"]) for name, call in calls.items()} == {
        "Plain": ("OK", 1), "First2": ("OK", 1), "Lost": ("OK", 2), "All": ("RESOURCE_EXHAUSTED", 0), "Refused": ("FAILED_PRECONDITION", 1)}, calls
    until(lambda: logged(9901) >= 21)  # of the access log, which is sent once a second
    retrial.end()
    of = collections.defaultdict(list)
    for line in (folder / "faults/access.log").read_text().splitlines():
        row = json.loads(line)
        of[row["target"]].append(row)
    numbers = {path: [(row["status"], row["attempt"]) for row in of[path]] for path in of}
    assert numbers["/first2"] == [("503", 1), ("503", 2), ("200", 3)], numbers
    assert numbers["/lost"] == [("503", 1), ("200", 2)], numbers
    assert [row["own_status"] for row in of["/lost"]] == ["200", "200"], of["/lost"]
    assert of["/slow"][0]["fired"] == "yes" and of["/slow"][0]["ms"] >= 1500, of["/slow"]
    assert [n for _, n in numbers["/all"]] == [1, 2, 3, 4] and len(of["/logged"]) == 1 and len(of["/plain"]) == 1, numbers
    assert len({row["call"] for row in of["/first2"]}) == 1
    assert numbers["/shop.Orders/First2"] == [("UNAVAILABLE", 1), ("UNAVAILABLE", 2), ("OK", 3)], numbers
    assert numbers["/shop.Orders/Lost"] == [("UNAVAILABLE", 1), ("OK", 2)] and of["/shop.Orders/Lost"][0]["fired"] == "yes", of["/shop.Orders/Lost"]
    assert [row["own_status"] for row in of["/shop.Orders/Refused"]] == ["FAILED_PRECONDITION"], of["/shop.Orders/Refused"]
    findings = judged(place, retrial.trace)
    verdicts = {(f["verdict"], f["operation"]) for f in findings["findings"]}
    assert verdicts == {("duplicate-effect", "POST /lost"), ("duplicate-effect", "/shop.Orders/Lost")}, verdicts


def logged(admin):
    stats = ask("GET", "/stats?filter=access_logs.grpc_access_log.logs_written", admin)[2].decode()
    return sum(int(line.rsplit(" ", 1)[1]) for line in stats.splitlines() if line.rsplit(" ", 1)[-1].isdigit())


def safety(place, folder):
    """It only observes until it is told otherwise; what an Envoy cannot do is refused, at the start and by an operator."""
    admin = f"unix:{folder}/safety/admin.sock"
    retrial = Retrial(place, folder / "safety", "--admin", admin, rules=[("/careful", "error(503)")])
    assert ask("GET", "/careful")[0] == 200
    ctl = lambda *words, text=None: subprocess.run([place.retrial, "ctl", "--admin", admin, *words], capture_output=True, text=True, input=text)
    done = ctl("resume")
    assert done.returncode == 0, done.stderr
    assert ask("GET", "/careful")[0] == 503
    assert ctl("halt").returncode == 0 and ask("GET", "/careful")[0] == 200
    retrial.end()
    for fault, said in (("reset(in-body)", "breaks no connection"), ("truncate", "as it is"), ("lost-response(reset)", "lost-response(error(503))")):
        done = subprocess.run([place.retrial, "envoy", "--listen", "127.0.0.1:0", "--record", "none", "--inject", fault], capture_output=True, text=True)
        assert done.returncode == 2 and said in done.stderr and len(done.stderr.splitlines()) == 1, done


class Load:
    def __init__(self):
        self.stop, self.answers, self.lock = False, collections.Counter(), threading.Lock()
        self.threads = [threading.Thread(target=self.client) for _ in range(CLIENTS)]
        for thread in self.threads:
            thread.start()

    def client(self):
        own = http.client.HTTPConnection("127.0.0.1", CALLER, timeout=30)
        while not self.stop:
            try:
                status = ask("GET", "/load", connection=own)[0]
            except (OSError, http.client.HTTPException) as error:
                status, own = type(error).__name__, http.client.HTTPConnection("127.0.0.1", CALLER, timeout=30)
            with self.lock:
                self.answers[status] += 1

    def some(self, more):
        before = sum(self.answers.values())
        until(lambda: sum(self.answers.values()) - before >= more)

    def end(self):
        self.stop = True
        for thread in self.threads:
            thread.join()
        return self.answers


def ends_and_starts(place, folder):
    """Under load: drained, started again, killed. No request is lost, since failure_mode_allow lets pass what nobody answers for."""
    retrial = Retrial(place, folder / "drained", rules=[])
    load = Load()
    load.some(300)
    retrial.end()
    load.some(300)
    retrial = Retrial(place, folder / "again", rules=[])
    load.some(300)
    retrial.process.kill()
    retrial.process.wait()
    load.some(300)
    answers = load.end()
    assert set(answers) == {200}, answers
    place.figures["requests while Retrial was drained, started and killed"] = f"{sum(answers.values())}, none lost"


def cost(place, envoy, folder):
    """CPU and latency of a farm of requests, in rounds that take turns; the ratios are what is meant."""
    retrial = Retrial(place, folder / "cost", rules=RULES)
    resident = lambda: next(int(line.split()[1]) / 1024 for line in pathlib.Path(f"/proc/{retrial.process.pid}/status").read_text().splitlines()
                            if line.startswith("VmRSS"))
    idle = resident()
    spent = {port: [0, 0, []] for ports in COSTS.values() for port in ports}

    def client(port, times):
        own = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        for _ in range(REQUESTS // CLIENTS):
            began = time.perf_counter()
            assert ask("GET", "/bench", connection=own)[0] == 200
            times.append(time.perf_counter() - began)
    for _ in range(ROUNDS):
        for port, so_far in spent.items():
            before = cpu(envoy), cpu(retrial.process)
            threads = [threading.Thread(target=client, args=(port, so_far[2])) for _ in range(CLIENTS)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert len(so_far[2]) % REQUESTS == 0, "a client has failed"
            so_far[0] += cpu(envoy) - before[0]
            so_far[1] += cpu(retrial.process) - before[1]
    for name, (with_us, without) in COSTS.items():
        (ticks, ours, times), (bare, _, bare_times) = spent[with_us], spent[without]
        at = lambda all, share: sorted(all)[int(len(all) * share)] * 1e3
        place.figures[name] = (f"Envoy's CPU {ticks / bare:.2f} times what it is without, and Retrial's {ours / bare:.2f} of that beside it; p50 "
                               f"{at(times, .5):.2f} ms for {at(bare_times, .5):.2f}, p99 {at(times, .99):.2f} for {at(bare_times, .99):.2f}")
    place.figures["Retrial's memory"] = f"{idle:.1f} MiB at its start, {resident():.1f} MiB after it"
    retrial.end()
    said = retrial.log.read_text()
    assert "warning" not in said and "error" not in said, said


def schemas(place):
    mesh = place.root / "integration/kubernetes/mesh"
    # Isolated: this folder has an envoy.py of its own.
    done = subprocess.run([place.cache / "envoy/bin/python", "-I", pathlib.Path(__file__).parent / "envoy_schemas.py", place.root, place.cache],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    manifests.validate(place, mesh / "retrial-envoy.yaml")
    config = re.search(r"retrial.toml: \|\n((?:    .*\n|\n)+)", (mesh / "retrial-envoy.yaml").read_text()).group(1)
    (place.work / "mesh.toml").write_text(textwrap.dedent(config))
    done = subprocess.run([place.retrial, "check", place.work / "mesh.toml"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def run(place):
    schemas(place)
    folder = place.work / "envoy"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    service = Service()
    envoy = start(place, folder)
    try:
        faults(place, service, folder)
        safety(place, folder)
        ends_and_starts(place, folder)
        cost(place, envoy, folder)
    finally:
        envoy.terminate()
        envoy.wait(30)
        service.shutdown()
