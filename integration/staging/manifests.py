"""Chart and manifests without a cluster: helm lint and template, what values.schema.json refuses, kubernetes-validate --strict, inject."""
import base64
import os
import pathlib
import subprocess
import sys

VERSION = "1.36.3"


def helm(place, *args):
    return subprocess.run([place.cache / "bin/helm", *args], capture_output=True, text=True)


def template(place, *args):
    return helm(place, "template", "r", place.root / "integration/kubernetes/chart", "-n", "retrial", "--kube-version", VERSION, *args)


def validate(place, path):
    program = place.cache / "python/bin/kubernetes-validate"
    done = subprocess.run([program, "--strict", path], capture_output=True, text=True)
    assert done.returncode == 0 and "ERROR" not in done.stdout + done.stderr, f"{path}: {done.stdout}{done.stderr}"


def run(place):
    here, out = place.root / "integration/kubernetes", place.work / "manifests"
    out.mkdir(exist_ok=True)
    done = helm(place, "lint", "--strict", here / "chart")
    assert done.returncode == 0, done.stdout
    proxy = ["--set", "proxies[0].name=api,proxies[0].port=8080,proxies[0].target=http://api-itself:8080", "--set-string",
             "proxies[0].faults=error(503) x 2\\, then pass"]
    bundle = base64.b64encode(b"a certificate").decode()
    done = template(place, *proxy, "--set", f"webhook.enabled=true,webhook.caBundle={bundle}")
    assert done.returncode == 0, done.stderr
    (out / "chart.yaml").write_text(done.stdout)
    done = template(place, *proxy[:2], "--set", "proxies[0].config=bounds")
    assert done.returncode == 0 and "configMap: {name: bounds}" in done.stdout and "- /etc/retrial/retrial.toml" in done.stdout, done
    (out / "chart-config.yaml").write_text(done.stdout)
    assert template(place).stdout.strip() == "", "without values there is nothing"
    for wrong, said in (("webhook.enabled=true", "caBundle"), ("webhoook.enabled=true", "webhoook"), ("proxies[0].name=api", "port"),
                        ("webhook.failurePolicy=Never", "failurePolicy"), ("image.pullPolicy=Sometimes", "pullPolicy")):
        done = template(place, "--set", wrong)
        assert done.returncode != 0 and said in done.stderr, (wrong, done)
    for path in sorted((here / "manifests").glob("*.yaml")):
        validate(place, path)
        injected = out / path.name
        done = subprocess.run([place.retrial, "inject", "-n", "shop", "-f", path], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        injected.write_text(done.stdout)
        validate(place, injected)
        again = subprocess.run([place.retrial, "inject", "-n", "shop", "-f", injected], capture_output=True, text=True)
        assert again.stdout == done.stdout, f"{path.name} is injected twice"
    validate(place, out / "chart.yaml")
    validate(place, out / "chart-config.yaml")
