"""./dev staging [NAME...]: the image, the Compose examples, Kubernetes and an Envoy on real engines, in a network and mount namespace of their own.
Each NAME is a module here with run(place); a failed check is an AssertionError, and the next name goes on."""
import importlib
import os
import pathlib
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
WORK = ROOT / "build/staging"
NAMES = ["image", "compose", "compose_init", "manifests", "webhook", "rollout", "kubelet", "envoy", "otel", "prometheus", "parquet"]
INSIDE = "RETRIAL_STAGING_INSIDE"


class Place:
    """What the modules share: folders, the binaries, and the engine once one asks for it."""

    def __init__(self):
        self.root, self.work = ROOT, WORK
        self.retrial = os.environ.get("RETRIAL", str(ROOT / "build/release/retrial"))
        self.static = str(ROOT / "build/release/retrial-static")
        self.archive = ROOT / "build/image/retrial.tar"
        self.cache = pathlib.Path(os.environ.get("RETRIAL_STAGING_CACHE", pathlib.Path.home() / ".cache/retrial-staging"))
        self.figures = {}
        self._engine = None

    def engine(self):
        if self._engine is None:
            from engine import Engine
            self._engine = Engine(self)
        return self._engine

    def end(self):
        if self._engine:
            self._engine.end()


def namespace():
    """Into a network and mount namespace of our own: nothing here reaches the machine's."""
    os.environ[INSIDE] = "1"
    os.execvp("unshare", ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", sys.executable, __file__, *sys.argv[1:]])


def main():
    names = sys.argv[1:] or NAMES
    for name in names:
        if name not in NAMES:
            raise SystemExit(f"staging: no {name}; there are {', '.join(NAMES)}")
    if INSIDE not in os.environ:
        namespace()
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    sys.path.insert(0, str(HERE))
    WORK.mkdir(parents=True, exist_ok=True)
    place, failed = Place(), []
    try:
        for name in names:
            began = time.monotonic()
            print(f"== {name}", flush=True)
            try:
                importlib.import_module(name).run(place)
                print(f"   ok, {time.monotonic() - began:.1f} s", flush=True)
            except Exception as error:  # the next name goes on
                failed.append(name)
                print(f"   FAILED: {type(error).__name__}: {str(error)[:3000]}", flush=True)
    finally:
        place.end()
    for figure, value in place.figures.items():
        print(f"{figure}: {value}")
    raise SystemExit(f"staging: failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
