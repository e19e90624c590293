"""The webhook as a real API server asks it: who is injected, who is not, dry runs, PodSecurity, and what happens when it is away."""
import base64
import json
import pathlib
import shutil
import subprocess
import time


def pod(name, annotations=None, **spec):
    spec = {"containers": [{"name": "app", "image": "busybox:1.36", "command": ["sleep", "60"]}], **spec}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "annotations": annotations or {}}, "spec": spec}


def shape(answer):
    return [(c["name"], c.get("restartPolicy")) for c in answer["spec"].get("initContainers", [])]


INJECTED = [("retrial-redirect", None), ("retrial", "Always")]


def run(place):
    from apiserver import ApiServer
    ca = place.work / "webhook-ca"
    shutil.rmtree(ca, ignore_errors=True)
    subprocess.run([place.retrial, "ca", "make", "--dir", ca], check=True, capture_output=True)
    log = open(place.work / "webhook.log", "w+")
    hook = subprocess.Popen([place.retrial, "webhook", "--ca", ca, "--name", "127.0.0.1", "--listen", "127.0.0.1", "--port", "9443"], stderr=log)
    api = ApiServer(place)
    try:
        checks(api, ca, hook)
        log.seek(0)
        lines = log.read()
        assert "injected, mode redirect" in lines and "denied" in lines, lines
    finally:
        hook.kill()
        hook.wait()
        api.end()


def checks(api, ca, hook):
    def space(name, **labels):
        status, answer, _ = api.ask("POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}})
        assert status == 201, answer

    def create(where, what, query=""):
        return api.ask("POST", f"/api/v1/namespaces/{where}/pods?fieldValidation=Strict{query}", what)

    space("stage", **{"retrial-injection": "enabled"})
    space("strict", **{"retrial-injection": "enabled", "pod-security.kubernetes.io/enforce": "baseline"})
    configuration = {
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration", "metadata": {"name": "retrial"},
        "webhooks": [{"name": "inject.retrial.internal", "admissionReviewVersions": ["v1"], "sideEffects": "None", "failurePolicy": "Ignore",
                      "reinvocationPolicy": "IfNeeded", "timeoutSeconds": 5,
                      "clientConfig": {"url": "https://127.0.0.1:9443/inject", "caBundle": base64.b64encode((ca / "ca.pem").read_bytes()).decode()},
                      "namespaceSelector": {"matchLabels": {"retrial-injection": "enabled"}},
                      "rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods", "configmaps"]}]}]}
    status, answer, _ = api.ask("POST", "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", configuration)
    assert status == 201, answer
    for n in range(60):  # until the API server has taken it up
        status, answer, _ = create("stage", pod(f"first-{n}"), "&dryRun=All")
        if shape(answer) == INJECTED:
            break
        time.sleep(0.25)
    assert shape(answer) == INJECTED, answer
    assert api.ask("GET", f"/api/v1/namespaces/stage/pods/first-{n}")[0] == 404, "a dry run left a pod"

    status, answer, _ = create("stage", pod("app", {"retrial/faults": "10% of error(503)", "retrial/exclude-ports": "5432"}, initContainers=[
        {"name": "migrate", "image": "busybox:1.36"}]))
    assert status == 201 and shape(answer) == [*INJECTED, ("migrate", None)], answer
    assert answer["spec"]["initContainers"][1]["args"][-1] == "10% of error(503)"
    assert answer["spec"]["initContainers"][1]["args"][:2] == ["serve", "--admin"]
    assert answer["metadata"]["annotations"]["retrial/status"].startswith("injected ")
    again = {k: v for k, v in answer.items() if k != "status"}
    again["metadata"] = {"name": "app-again", "annotations": answer["metadata"]["annotations"]}
    again["spec"].pop("nodeName", None)
    status, answer, _ = create("stage", again)
    assert status == 201 and shape(answer) == [*INJECTED, ("migrate", None)], answer

    assert shape(create("default", pod("untouched"))[1]) == []
    assert shape(create("stage", pod("not-wanted", {"retrial/inject": "false"}))[1]) == []
    status, answer, _ = create("stage", pod("typo", {"retrial/mod": "reverse"}))
    assert status == 400 and "did you mean retrial/mode?" in answer["message"], answer
    status, answer, _ = create("stage", pod("everything", {"retrial/faults": "error(503)"}))
    assert status == 400 and "expected a percentage" in answer["message"], answer
    status, answer, warnings = create("stage", pod("node", hostNetwork=True))
    assert status == 201 and shape(answer) == [] and any("hostNetwork" in w for w in warnings), (answer, warnings)
    assert "whole node" in answer["metadata"]["annotations"]["retrial/skipped"], answer
    status, answer, _ = create("stage", pod("node-asked", {"retrial/inject": "true"}, hostNetwork=True))
    assert status == 400 and "hostNetwork" in answer["message"], answer
    status, answer, _ = api.ask("POST", "/api/v1/namespaces/stage/configmaps", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "no-pod"}})
    assert status == 201, answer

    status, answer, _ = create("strict", pod("app"))
    assert status == 403 and "NET_ADMIN" in answer["message"], answer
    status, answer, _ = create("strict", pod("app", {"retrial/mode": "reverse", "retrial/services": "api:8080,web:80"}))
    assert status == 201 and shape(answer) == [("retrial", "Always")], answer
    assert answer["spec"]["hostAliases"] == [{"ip": "127.0.1.1", "hostnames": ["api"]}, {"ip": "127.0.1.2", "hostnames": ["web"]}], answer

    hook.terminate()
    assert hook.wait(15) == 0
    status, answer, _ = create("stage", pod("while-away"))
    assert status == 201 and shape(answer) == [], answer
