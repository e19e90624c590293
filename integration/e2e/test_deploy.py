"""What puts Retrial into a staging system, as an operator calls it: inject, the webhook over TLS, compose init, health. (On real engines: test_engines.py, ./dev staging.)"""
import http.client
import json
import os
import pathlib
import re
import resource
import signal
import ssl
import subprocess

import pytest

from conftest import Answering, RETRIAL, retrial, serving

KUBERNETES = pathlib.Path(__file__).parents[1] / "kubernetes"


@pytest.fixture
def webhook(tmp_path):
    assert retrial("ca", "make", "--dir", "ca", cwd=tmp_path).returncode == 0
    process = subprocess.Popen([RETRIAL, "webhook", "--ca", "ca", "--name", "retrial-webhook.retrial.svc", "--listen", "127.0.0.1", "--port", "0"],
                               cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    line = process.stderr.readline()
    assert "listening on 127.0.0.1:" in line, line
    port = int(line.split("127.0.0.1:")[1].split()[0])
    trust = ssl.create_default_context(cafile=str(tmp_path / "ca/ca.pem"))

    class ByName(http.client.HTTPSConnection):
        def connect(self):
            http.client.HTTPConnection.connect(self)
            self.sock = trust.wrap_socket(self.sock, server_hostname="retrial-webhook.retrial.svc")

    client = ByName("127.0.0.1", port, timeout=20)
    client.process = process
    yield client
    client.close()
    process.kill()
    process.communicate()


def ask(client, method, path, body=b""):
    client.request(method, path, body)
    answer = client.getresponse()
    return answer.status, answer.read()


def review(pod, **request):
    return json.dumps({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "u-1", "kind": {"group": "", "version": "v1", "kind": "Pod"}, "namespace": "shop", "operation": "CREATE", "object": pod, **request}}).encode()


def test_the_webhook_answers_over_tls_by_our_own_authority_and_keeps_the_connection(webhook):
    pod = {"kind": "Pod", "metadata": {"name": "app"}, "spec": {"containers": [{"name": "app"}]}}
    assert ask(webhook, "GET", "/healthz") == (200, b"ok\n")
    sock = webhook.sock
    for _ in range(2):
        status, body = ask(webhook, "POST", "/inject?timeout=5s", review(pod))
        answer = json.loads(body)["response"]
        assert status == 200 and answer["uid"] == "u-1" and answer["allowed"] and answer["patchType"] == "JSONPatch"
    assert webhook.sock is sock


def test_the_webhook_refuses_what_is_no_review_and_ends_on_sigterm(webhook):
    for body in (b"", b"{", b"[1]", b"\xff\xfe", b'{"kind": "AdmissionReview"}', b"[" * 100_000):
        status, said = ask(webhook, "POST", "/inject", body)
        assert status == 400 and said.count(b"\n") == 1, (body[:20], status, said)
    assert ask(webhook, "GET", "/inject")[0] == 405
    assert ask(webhook, "GET", "/else")[0] == 404
    webhook.putrequest("POST", "/inject")
    webhook.putheader("Content-Length", str(3 << 20 | 1))  # its head is enough
    webhook.endheaders()
    assert webhook.getresponse().status == 413
    webhook.close()
    webhook.process.send_signal(signal.SIGTERM)
    assert webhook.process.wait(20) == 0


def test_manifests_are_injected_once_and_what_is_wrong_prints_nothing(tmp_path):
    done = retrial("inject", "-n", "shop", "-f", KUBERNETES / "manifests/app.yaml", "-f", KUBERNETES / "manifests/app-without-net-admin.yaml", cwd=tmp_path)
    assert done.returncode == 0 and done.stdout.count("restartPolicy: Always") == 2 and done.stdout.count("NET_ADMIN") == 1, done
    (tmp_path / "done.yaml").write_text(done.stdout)
    assert retrial("inject", "-n", "shop", "-f", "done.yaml", cwd=tmp_path).stdout == done.stdout
    (tmp_path / "bad.yaml").write_text("kind: Pod\nmetadata: {name: a, annotations: {retrial/port: '80'}}\nspec: {containers: [{name: a}]}\n")
    done = retrial("inject", "-f", KUBERNETES / "manifests/before-a-service.yaml", "-f", "bad.yaml", cwd=tmp_path)
    assert done.returncode == 2 and done.stdout == "" and "bad.yaml: Pod a, annotation retrial/port: is not known, did you mean retrial/ports?" in done.stderr, done
    (tmp_path / "broken.yaml").write_text("kind: Pod\n a: [\n")
    done = retrial("inject", "-f", "broken.yaml", cwd=tmp_path)
    assert done.returncode == 2 and "broken.yaml:2: expected YAML or JSON" in done.stderr, done


def serving_words(path):
    """Each `serve` that a file has a container run: its words, in YAML's flow or block style."""
    text = path.read_text()
    flow = re.findall(r"(?:command|args): \[(serve\b[^\n]*)\]", text)
    block = re.findall(r"(?:command|args):\n(\s*- serve\n(?:\s*(?:- .*|{{.*}})\n)+)", text)
    return [re.split(r", |\n", words) for words in flow] + [re.findall(r"- (.*)", words) for words in block]


def test_whatever_is_shipped_for_staging_has_an_admin_side_and_so_waits_for_a_hand():
    shipped = {path: serving_words(path) for folder in ("compose", "kubernetes") for path in (KUBERNETES.parent / folder).rglob("*.yaml")}
    assert sum(map(len, shipped.values())) == 4, shipped  # alias, sidecar, before-a-service, the chart's proxies
    for path, all in shipped.items():
        for words in all:
            assert words[:2] == ["serve", "--admin"], (path, words)


class Service(Answering):
    def do_GET(self):
        self.answer(b"one")


def words_in(text, key):
    return [word.strip('"') for word in re.search(key + r": \[(serve.*?)\]", text)[1].split(", ") ]


def started_as(words, tmp_path, environment):
    """A container's `serve`, here: its working folder is the image's."""
    words = [re.sub(r"^(127\.0\.1\.1)?:\d+=", "127.0.0.1:0=", w.replace("/var/lib/retrial", str(tmp_path))) for w in words]
    process = subprocess.Popen([RETRIAL, *words], cwd=tmp_path, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment})
    log = []
    for line in process.stderr:
        log.append(line)
        if "listening on" in line:
            return process, int(line.split("listening on ")[1].split()[0].rsplit(":", 1)[1]), log
    raise AssertionError(log)


@pytest.mark.parametrize("way", ["inject", "compose init"])
def test_what_was_put_in_observes_until_a_hand_resumes_and_after_a_restart_again(tmp_path, way):
    faults = "error(503)"
    with serving(Service) as service:
        url = f"http://127.0.0.1:{service.server_address[1]}"
        if way == "inject":
            pod = {"kind": "Pod", "metadata": {"annotations": {"retrial/mode": "reverse", "retrial/services": f"api={url}", "retrial/faults": faults}},
                   "spec": {"containers": [{"name": "a"}]}}
            (tmp_path / "pod.json").write_text(json.dumps(pod))
            words, said = words_in(retrial("inject", "-f", "pod.json", cwd=tmp_path).stdout, "args"), {}
        else:
            (tmp_path / "compose.yaml").write_text("services:\n  api: {image: a}\n  app: {image: b, environment: {API_URL: 'http://api:8080'}}\n")
            assert retrial("compose", "init", "compose.yaml", cwd=tmp_path).returncode == 0
            text = (tmp_path / "compose.retrial.yaml").read_text().replace("http://api:8080", url).replace("${RETRIAL_INJECT:-pass}", faults)
            words, said = words_in(text, "command"), {"RETRIAL_ADMIN": re.search(r"RETRIAL_ADMIN: \"(.*)\"", text)[1].replace("/var/lib/retrial", str(tmp_path))}
        for _ in range(2):
            process, port, log = started_as(words, tmp_path, said)
            status = lambda: ask(http.client.HTTPConnection("127.0.0.1", port, timeout=20), "GET", "/")[0]
            hand = lambda *words: retrial("ctl", *words, cwd=tmp_path, env=said).stdout
            try:
                assert status() == 200, log
                assert hand("resume").startswith("armed, for 1")
                assert status() == 503
                assert "retrial_faults_fired_total{" in hand("metrics")
            finally:
                process.kill()
                process.communicate()


def test_compose_init_writes_an_override_and_replaces_none_that_is_not_ours(tmp_path):
    (tmp_path / "compose.yaml").write_text("services:\n  api: {image: a}\n  app: {image: b, environment: {API_URL: 'http://api:8080'}}\n")
    for _ in range(2):
        done = retrial("compose", "init", "compose.yaml", cwd=tmp_path)
        assert done.returncode == 0 and "app calls api at api:8080 (environment API_URL)" in done.stdout, done
    (tmp_path / "other.yaml").write_text("services: {}\n")
    done = retrial("compose", "init", "compose.yaml", "--out", "other.yaml", cwd=tmp_path)
    assert done.returncode == 2 and "other.yaml: is there already, and not ours" in done.stderr, done
    (tmp_path / "alone.yaml").write_text("services:\n  api: {image: a}\n")
    done = retrial("compose", "init", "alone.yaml", cwd=tmp_path)
    assert done.returncode == 2 and "names no service that another calls" in done.stderr, done
    done = retrial("compose", "int", "compose.yaml", cwd=tmp_path)
    assert done.returncode == 2, done


def bomb(leaf, levels=9):
    """Nine times as much with each line: 3.5 GB of it at the end."""
    lines = [f"a0: &a0 {leaf}"] + [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, levels + 1)]
    return "\n".join(lines) + f"\nservices: {{a: {{image: x, environment: *a{levels}}}}}\n"


@pytest.mark.parametrize("text", [bomb("[x, x, x, x, x, x, x, x, x]"), bomb("x" * 100_000, 5), "a: " + "[" * 100_000, "a: " + "{a: " * 100_000, "- " * 100_000,
                                  "a: [" + "x, " * 2_100_000 + "]\n", "<<: &a {<<: *a}\n"], ids=["lists", "a long text", "[", "{", "-", "many", "itself"])
def test_yaml_that_would_take_for_ever_is_refused_in_one_line(tmp_path, text):
    (tmp_path / "f.yaml").write_text(text)
    bounds = lambda: (resource.setrlimit(resource.RLIMIT_CPU, (5, 5)), resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30)))
    for words in (("inject", "-f", "f.yaml"), ("compose", "init", "f.yaml")):
        done = retrial(*words, cwd=tmp_path, before=bounds)
        assert done.returncode == 2 and done.stdout == "" and "too large, or holds itself" in done.stderr and done.stderr.count("\n") == 1, done


def test_the_version_says_commit_and_libc(tmp_path):
    done = retrial("--version", cwd=tmp_path)
    assert done.returncode == 0 and "(commit " in done.stdout and "glibc 2." in done.stdout, done
