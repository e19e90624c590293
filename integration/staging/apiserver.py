"""etcd and a real kube-apiserver on loopback of this namespace, and requests to it."""
import json
import ssl
import subprocess
import time
import urllib.error
import urllib.request


class ApiServer:
    def __init__(self, place):
        import shutil
        self.folder = place.work / "apiserver"
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        key = self.folder / "sa.key"
        subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
        (self.folder / "tokens.csv").write_text('tok,admin,1,"system:masters"\n')
        self.log = open(self.folder / "log", "w")
        self.etcd = subprocess.Popen(["etcd", "--data-dir", self.folder / "etcd", "--listen-client-urls", "http://127.0.0.1:2379",
                                      "--advertise-client-urls", "http://127.0.0.1:2379", "--listen-peer-urls", "http://127.0.0.1:2380"],
                                     stdout=self.log, stderr=self.log)
        self.server = subprocess.Popen(
            [place.cache / "bin/kube-apiserver", "--etcd-servers=http://127.0.0.1:2379", "--bind-address=127.0.0.1", "--advertise-address=127.0.0.1",
             "--secure-port=6443", f"--cert-dir={self.folder}", f"--service-account-key-file={key}", f"--service-account-signing-key-file={key}",
             "--service-account-issuer=https://kubernetes.default.svc", "--service-cluster-ip-range=10.96.0.0/16",
             f"--token-auth-file={self.folder}/tokens.csv", "--authorization-mode=RBAC", "--disable-admission-plugins=ServiceAccount"],
            stdout=self.log, stderr=self.log)
        for _ in range(240):
            assert self.server.poll() is None, f"kube-apiserver ended: {self.folder}/log"
            try:
                if self.ask("GET", "/readyz")[0] == 200:
                    return
            except OSError:
                pass
            time.sleep(0.25)
        raise AssertionError("kube-apiserver was not ready in a minute")

    def ask(self, method, path, body=None, kind="application/json"):
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request("https://127.0.0.1:6443" + path, data=data, method=method,
                                         headers={"Authorization": "Bearer tok", "Content-Type": kind})
        try:
            with urllib.request.urlopen(request, context=ssl._create_unverified_context(), timeout=20) as answer:
                text, status, warnings = answer.read(), answer.status, answer.headers.get_all("Warning") or []
        except urllib.error.HTTPError as error:
            text, status, warnings = error.read(), error.code, []
        try:
            answered = json.loads(text)
        except ValueError:
            answered = {}
        return status, answered, warnings

    def end(self):
        for process in (self.server, self.etcd):
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
        self.log.close()
