"""What of `./dev staging` takes seconds, on its real engines: helm, kubernetes-validate, a kube-apiserver with etcd, nft, Prometheus."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

STAGING = pathlib.Path(__file__).parents[1] / "staging"
CACHE = pathlib.Path(os.environ.get("RETRIAL_STAGING_CACHE", pathlib.Path.home() / ".cache/retrial-staging"))
NEEDS = {"manifests": ["helm"], "webhook": ["kube-apiserver", "etcd"], "rollout": ["nft"], "prometheus": ["prometheus"]}


@pytest.mark.skipif(os.geteuid() != 0, reason="namespaces of their own: root is needed")
@pytest.mark.parametrize("name", NEEDS)
def test_on_real_engines(name):
    away = [program for program in NEEDS[name] if not shutil.which(program, path=f"{CACHE}/bin:{os.environ['PATH']}")]
    if away:
        pytest.skip(f"no {', '.join(away)}: ./dev deps staging")
    done = subprocess.run([sys.executable, STAGING / "main.py", name], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
