"""dockerd for the examples: Debian's, on cgroups of its own, without a registry."""
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import time

SOCKET = "/run/docker.sock"


def cgroups():
    """Plain cgroup v1 in this mount namespace, where the machine's are hybrid: runc knows no hybrid."""
    if pathlib.Path("/sys/fs/cgroup/cgroup.controllers").exists():
        return  # v2 alone
    subprocess.run(["umount", "-R", "/sys/fs/cgroup"], stderr=subprocess.DEVNULL)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=755", "tmpfs", "/sys/fs/cgroup"], check=True)
    for part in ("cpu", "cpuacct", "cpuset", "memory", "devices", "freezer", "blkio", "pids"):
        at = f"/sys/fs/cgroup/{part}"
        os.makedirs(at)
        subprocess.run(["mount", "-t", "cgroup", "-o", part, "cgroup", at], check=True)
    os.makedirs("/sys/fs/cgroup/systemd")
    subprocess.run(["mount", "-t", "cgroup", "-o", "none,name=systemd", "cgroup", "/sys/fs/cgroup/systemd"], check=True)


class Engine:
    def __init__(self, place):
        self.place = place
        cgroups()
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run"], check=True)
        data = place.work / "docker"
        data.mkdir(exist_ok=True)
        self.log = open(place.work / "dockerd.log", "w")
        self.process = subprocess.Popen(
            ["sh", "-c", "ulimit -n 20000; exec \"$@\"", "sh", "dockerd", "--host", f"unix://{SOCKET}", "--data-root", str(data),
             "--storage-driver", "overlay2", "--oom-score-adjust", "0", "--default-ulimit", "nofile=20000:20000"],
            stdout=self.log, stderr=self.log)
        os.environ["DOCKER_HOST"] = f"unix://{SOCKET}"
        os.environ["DOCKER_BUILDKIT"] = "0"
        os.environ["COMPOSE_INTERACTIVE_NO_CLI"] = "1"
        for _ in range(150):
            if subprocess.run(["docker", "version"], capture_output=True).returncode == 0:
                break
            assert self.process.poll() is None, f"dockerd ended: {place.work}/dockerd.log"
            time.sleep(0.2)
        self.docker("load", "-i", place.archive)
        self.images()

    def docker(self, *args, check=True, **more):
        done = subprocess.run(["docker", *map(str, args)], capture_output=True, text=True, **more)
        assert not check or done.returncode == 0, f"docker {args[0]}: {done.stdout}{done.stderr}"
        return done

    def compose(self, folder, *args, env=None, check=True, timeout=180, files=("compose.yaml",)):
        named = [part for file in files for part in ("-f", str(file))]
        done = subprocess.run(["docker-compose", *named, *args], cwd=folder, env={**os.environ, **(env or {})}, capture_output=True,
                              text=True, timeout=timeout)
        assert not check or done.returncode == 0, f"docker-compose {' '.join(args)}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def images(self):
        """What the examples take from a registry elsewhere: busybox, and this machine's Python."""
        if self.docker("image", "inspect", "busybox:1.36", check=False).returncode != 0:
            self.imported("busybox:1.36", {"/bin/busybox": shutil.which("busybox")}, busybox=True)
        if self.docker("image", "inspect", "staging-python", check=False).returncode == 0:
            return
        program = os.path.realpath("/usr/bin/python3")
        files = {program: program, "/bin/busybox": shutil.which("busybox")}
        library = f"/usr/lib/{pathlib.Path(program).name}"
        for part in [program, *map(str, pathlib.Path(library, "lib-dynload").glob("*.so"))]:
            said = subprocess.run(["ldd", part], capture_output=True, text=True).stdout
            files |= {path: path for path in re.findall(r"(/\S+) \(0x", said)}
        # Parts of glibc that nothing here is linked with, and every image has that has a libc6.
        said = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True).stdout
        files |= {path: path for path in re.findall(r"=> (/\S+/(?:libdl\.so\.2|libpthread\.so\.0))$", said, re.M)}
        for folder, _, names in os.walk(library):
            if "__pycache__" in folder or "/test" in folder:
                continue
            files |= {f"{folder}/{name}": f"{folder}/{name}" for name in names}
        self.imported("staging-python", files, busybox=True, links={"/usr/bin/python3": program})

    def imported(self, tag, files, busybox=False, links={}):
        path = self.place.work / "image.tar"
        with tarfile.open(path, "w", dereference=True) as tar:
            for at, source in files.items():
                tar.add(os.path.realpath(source), at.lstrip("/"))
            if busybox:
                links = {**links, **{f"/bin/{name}": "busybox" for name in
                                     subprocess.run(["busybox", "--list"], capture_output=True, text=True).stdout.split() if name != "busybox"}}
            for at, target in links.items():
                info = tarfile.TarInfo(at.lstrip("/"))
                info.type, info.linkname = tarfile.SYMTYPE, target
                tar.addfile(info)
            for name, mode in (("tmp", 0o1777), ("etc", 0o755), ("out", 0o777)):
                info = tarfile.TarInfo(name)
                info.type, info.mode = tarfile.DIRTYPE, mode
                tar.addfile(info)
        self.docker("import", "-c", "ENV PATH=/usr/local/bin:/usr/bin:/bin", "-c", "CMD [\"sh\"]", path, tag)
        path.unlink()

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.log.close()
