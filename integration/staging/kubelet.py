"""A pod as `retrial inject` leaves it, on a real kubelet with containerd and a bridge: the redirect is set, the native sidecar is up and its
startup probe passed before the application's first request; it observes until a hand inside it has resumed, then two requests meet faults; probes and the
sidecar's own port are no attempts."""
import json
import os
import shutil
import signal
import subprocess
import tarfile
import time
import urllib.request

POD = """
apiVersion: v1
kind: Pod
metadata:
  name: app
  namespace: default
  annotations: {retrial/ports: "8080", retrial/image-pull-policy: Never}
spec:
  restartPolicy: Never
  automountServiceAccountToken: false
  enableServiceLinks: false
  containers:
  - name: app
    image: docker.io/library/busybox:1.36
    imagePullPolicy: Never
    command: [sh, -c, "for i in $(seq 200); do wget -q -O - http://10.88.0.1:8080/item && echo served || echo failed$((n += 1)); [ $n = 2 ] && exit; sleep 0.2; done"]
    securityContext: {runAsUser: 1000}
"""
SOCKET = "/run/staging-containerd/containerd.sock"
CONFIG = """
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
staticPodPath: {folder}/manifests
cgroupDriver: cgroupfs
failCgroupV1: false
failSwapOn: false
enableServer: true
address: 127.0.0.1
readOnlyPort: 10255
authentication: {{anonymous: {{enabled: true}}, webhook: {{enabled: false}}}}
authorization: {{mode: AlwaysAllow}}
containerRuntimeEndpoint: unix://{socket}
cgroupsPerQOS: false
enforceNodeAllocatable: []
localStorageCapacityIsolation: false
evictionHard: {{imagefs.available: "0%", nodefs.available: "0%", memory.available: "1Mi"}}
oomScoreAdj: 0
podLogsDir: {folder}/logs
"""
CONTAINERD = """
version = 2
root = "{folder}/containerd"
state = "/run/staging-containerd"
[grpc]
address = "{socket}"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "docker.io/library/pause:staging"
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
conf_dir = "{folder}/cni"
"""
NETWORK = {"cniVersion": "0.4.0", "name": "staging", "plugins": [
    {"type": "bridge", "bridge": "cni0", "isGateway": True, "ipam": {"type": "host-local", "subnet": "10.88.0.0/16",
     "routes": [{"dst": "0.0.0.0/0"}]}}, {"type": "loopback"}]}


def run(place):
    engine = place.engine()  # for its cgroups, and for the images
    folder = place.work / "kubelet"
    shutil.rmtree(folder, ignore_errors=True)
    for name in ("manifests", "cni", "logs", "root", "ipam"):
        (folder / name).mkdir(parents=True)
    shutil.rmtree("/var/lib/cni/networks/staging", ignore_errors=True)
    NETWORK["plugins"][0]["ipam"]["dataDir"] = str(folder / "ipam")
    (folder / "cni/10-staging.conflist").write_text(json.dumps({**NETWORK, "plugins": NETWORK["plugins"][:1]}))
    (folder / "config.yaml").write_text(CONFIG.format(folder=folder, socket=SOCKET))
    (folder / "containerd.toml").write_text(CONTAINERD.format(folder=folder, socket=SOCKET))
    (folder / "www").mkdir()
    (folder / "www/item").write_text("one\n")
    # Where the pods' gateway will be, before there is a pod: the service listens on it.
    subprocess.run("ip link add cni0 type bridge; ip addr add 10.88.0.1/16 dev cni0; ip link set cni0 up; ip route add default via 10.88.0.254",
                   shell=True, capture_output=True)
    with open("/proc/sys/net/ipv4/ip_forward", "w") as forward:
        forward.write("1")
    engine.docker("tag", "busybox:1.36", "pause:staging")
    pause = engine.docker("create", "pause:staging", "sleep", "1000000").stdout.strip()
    engine.docker("commit", "-c", 'ENTRYPOINT ["/bin/busybox","sleep","1000000"]', "-c", "CMD []", pause, "pause:staging")
    engine.docker("rm", pause)
    engine.docker("save", "-o", folder / "images.tar", "busybox:1.36", "pause:staging")
    injected = subprocess.run([place.retrial, "inject", "-f", "-", "--image", "docker.io/library/retrial:0.1.0"], input=POD, capture_output=True, text=True)
    assert injected.returncode == 0, injected.stderr
    (folder / "manifests/app.yaml").write_text(injected.stdout)
    started = []
    try:
        logs = {name: open(folder / f"{name}.log", "w") for name in ("containerd", "kubelet", "service")}
        start = lambda name, *words: started.append(subprocess.Popen(list(map(str, words)), stdout=logs[name], stderr=logs[name]))
        start("containerd", "containerd", "-c", folder / "containerd.toml")
        start("service", "busybox", "httpd", "-f", "-p", "10.88.0.1:8080", "-h", folder / "www")
        ctr = ["ctr", "-a", SOCKET, "-n", "k8s.io"]
        for _ in range(100):
            if subprocess.run([*ctr, "version"], capture_output=True).returncode == 0:
                break
            time.sleep(0.1)
        for archive in (folder / "images.tar", place.archive):
            subprocess.run([*ctr, "images", "import", archive], check=True, capture_output=True)
        began = time.monotonic()
        start("kubelet", place.cache / "bin/kubelet", "--config", folder / "config.yaml", "--root-dir", folder / "root", "--hostname-override", "n1")
        by_hand(ctr, folder)
        pod = watched(180)
        place.figures["kubelet, start to the end of the application"] = f"{time.monotonic() - began:.0f} s"
        output = text_of(folder, "app")
        told = [w for w in output.split() if w.startswith(("served", "failed"))]
        assert told[0] == "served" and told[-2:] == ["failed1", "failed2"], output
        own = text_of(folder, "retrial")
        assert "connected here itself" not in own, own
        order = [c["name"] for c in pod["status"]["initContainerStatuses"]]
        assert order == ["retrial-redirect", "retrial"], order
        print("   " + text_of(folder, "retrial-redirect").strip())
    finally:
        ctr = ["ctr", "-a", SOCKET, "-n", "k8s.io"]
        if len(started) > 2:
            started.pop().terminate()
            time.sleep(1)
        for name in subprocess.run([*ctr, "tasks", "ls", "-q"], capture_output=True, text=True).stdout.split():
            subprocess.run([*ctr, "tasks", "kill", "-s", "9", name], capture_output=True)
        for process in started:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def by_hand(ctr, folder):
    """As `kubectl exec POD -c retrial -- /retrial ctl …`, once the application's first request has been served."""
    for _ in range(180):
        if "served" in text_of(folder, "app"):
            break
        time.sleep(1)
    listed = subprocess.run([*ctr, "containers", "ls", 'labels."io.kubernetes.container.name"==retrial', "-q"], capture_output=True, text=True)
    for n, words in enumerate((["rules", "put", "item", "--match", "host=10.88.0.1", "--inject", "error(503) x 2, then pass"], ["resume"])):
        done = subprocess.run([*ctr, "tasks", "exec", "--exec-id", f"hand{n}", listed.stdout.strip(), "/retrial", "ctl", *words], capture_output=True, text=True)
        assert done.returncode == 0, (listed, done)


def watched(seconds):
    """Until the application has ended: the pod as the kubelet tells it."""
    pod = None
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(1)
        try:
            with urllib.request.urlopen("http://127.0.0.1:10255/pods", timeout=5) as answer:
                pods = json.load(answer)["items"] or []
        except OSError:
            continue
        for pod in pods:
            states = pod["status"].get("containerStatuses", [])
            if states and all("terminated" in s["state"] for s in states):
                return pod
    raise AssertionError(f"the application did not end: {json.dumps(pod.get('status') if pod else None)[:2500]}")


def text_of(folder, container):
    lines = []
    for path in sorted((folder / "logs").glob(f"default_app*/{container}/*.log")):
        lines += [line.split(" ", 3)[3] for line in path.read_text().splitlines() if line.count(" ") >= 3]
    return "\n".join(lines)
