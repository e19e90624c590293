"""The image without a registry and without an engine: a root of a few files, and an archive of it that `docker load`, `podman load` and
`ctr images import` read. The same binary gives the same bytes."""
import argparse
import gzip
import hashlib
import io
import json
import os
import pathlib
import subprocess
import tarfile
import time

from architecture import architecture_of

UID = 65532
VERSION = "0.1.0"
BUNDLE = "etc/ssl/certs/ca-certificates.crt"
FILES = {
    "etc/passwd": f"root:x:0:0::/:/retrial\nretrial:x:{UID}:{UID}::/var/lib/retrial:/retrial\n",
    "etc/group": f"root:x:0:\nretrial:x:{UID}:\n",
    "etc/nsswitch.conf": "hosts: files dns\n",
}
SBOM = "usr/share/retrial/sbom.spdx.json"
CONFIG = {
    "User": f"{UID}:{UID}",
    "Env": ["HOME=/var/lib/retrial"],
    "Entrypoint": ["/retrial"],
    "Cmd": ["serve", "--admin", "-c", "/etc/retrial/retrial.toml"],
    "WorkingDir": "/var/lib/retrial",
    "Volumes": {"/var/lib/retrial": {}},
    "StopSignal": "SIGTERM",
    "Healthcheck": {"Test": ["CMD", "/retrial", "health"], "Interval": 2 * 10**9, "Timeout": 2 * 10**9, "StartPeriod": 2 * 10**9, "Retries": 3},
}
# What the binary is made of: Debian's package, and its licence as SPDX names it.
PARTS = [("libc6-dev", "LGPL-2.1-or-later"), ("libstdc++-12-dev", "GPL-3.0-or-later WITH GCC-exception-3.1"), ("libssl-dev", "Apache-2.0"),
         ("libevent-dev", "BSD-3-Clause"), ("libc-ares-dev", "MIT"), ("libsqlite3-dev", "blessing"), ("libyaml-dev", "MIT"),
         ("zlib1g-dev", "Zlib"), ("libjemalloc-dev", "BSD-2-Clause"), ("libfmt-dev", "MIT"), ("libspdlog-dev", "MIT"),
         ("nlohmann-json3-dev", "MIT"), ("libcli11-dev", "BSD-3-Clause"), ("libtomlplusplus-dev", "MIT"), ("libboost1.74-dev", "BSL-1.0"),
         ("ca-certificates", "MPL-2.0")]


def parsers():
    """tree-sitter and its grammars, all MIT: name and version, as scan/sources.txt has them."""
    lines = (pathlib.Path(__file__).resolve().parents[2] / "scan/sources.txt").read_text().splitlines()
    return [tuple(line.split()[:2]) for line in lines if line and not line.startswith("#")]


def when():
    """Of every file, and of the image: the commit's time, or what SOURCE_DATE_EPOCH says."""
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    here = pathlib.Path(__file__).parent
    said = subprocess.run(["git", "-C", here, "log", "-1", "--format=%ct"], capture_output=True, text=True)
    return int(said.stdout) if said.returncode == 0 and said.stdout.strip() else 0


def stamp(seconds):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def sbom(binary, seconds, version=VERSION, parts=PARTS, tool="integration/image/image.py"):
    architecture = architecture_of(binary)
    digest = hashlib.sha256(binary).hexdigest()
    packages = [{"SPDXID": "SPDXRef-retrial", "name": "retrial", "versionInfo": version, "downloadLocation": "NOASSERTION",
                 "filesAnalyzed": False, "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION",
                 "primaryPackagePurpose": "APPLICATION", "checksums": [{"algorithm": "SHA256", "checksumValue": digest}]}]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-retrial"}]
    for part, licence in parts:
        folder, name = architecture.root_of(part)
        where = [] if folder == pathlib.Path("/") else ["--admindir", folder / "dpkg"]
        said = subprocess.run(["dpkg-query", *where, "-W", "-f", "${Version} ${source:Package} ${source:Version}", name], capture_output=True, text=True)
        if said.returncode != 0:
            raise SystemExit(f"image: {name} is not installed here, so what the binary holds of it is not known")
        version, source, source_version = said.stdout.split()
        ref = "SPDXRef-" + "".join(c if c.isalnum() or c in ".-" else "-" for c in name)
        packages.append({"SPDXID": ref, "name": source, "versionInfo": source_version, "supplier": "Organization: Debian",
                         "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence,
                         "copyrightText": "NOASSERTION", "comment": f"linked statically from {name} {version}" if name != "ca-certificates" else "a file beside the binary",
                         "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                           "referenceLocator": f"pkg:deb/debian/{name.replace('+', '%2B')}@{version.replace('+', '%2B').replace(':', '%3A')}"}]})
        kind = "CONTAINS" if name == "ca-certificates" else "STATIC_LINK"
        relations.append({"spdxElementId": "SPDXRef-retrial", "relationshipType": kind, "relatedSpdxElement": ref})
    for name, number in parsers():
        ref = f"SPDXRef-{name}"
        packages.append({"SPDXID": ref, "name": name, "versionInfo": number, "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
                         "licenseConcluded": "MIT", "licenseDeclared": "MIT", "copyrightText": "NOASSERTION", "comment": "compiled from the npm registry's package",
                         "externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": f"pkg:npm/{name}@{number}"}]})
        relations.append({"spdxElementId": "SPDXRef-retrial", "relationshipType": "STATIC_LINK", "relatedSpdxElement": ref})
    return json.dumps({"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"retrial-{version}",
                       "documentNamespace": f"https://spdx.org/spdxdocs/retrial-{version}-{digest}",
                       "creationInfo": {"created": stamp(seconds), "creators": ["Tool: " + tool]},
                       "packages": packages, "relationships": relations}, indent=1) + "\n"


def root(binary, bundle, listing):
    """Path -> (mode, owner, content); None is a folder."""
    tree = {"retrial": (0o755, 0, binary), BUNDLE: (0o644, 0, bundle), SBOM: (0o644, 0, listing.encode()),
            "tmp": (0o1777, 0, None), "etc/retrial": (0o755, 0, None), "var/lib/retrial": (0o700, UID, None)}
    tree |= {path: (0o644, 0, text.encode()) for path, text in FILES.items()}
    for path in list(tree):
        for parent in pathlib.PurePosixPath(path).parents:
            if str(parent) != ".":
                tree.setdefault(str(parent), (0o755, 0, None))
    return dict(sorted(tree.items()))


def added(tar, path, mode, owner, content, seconds):
    info = tarfile.TarInfo(path)
    info.mode, info.uid, info.gid, info.mtime = mode, owner, owner, seconds
    info.type = tarfile.DIRTYPE if content is None else tarfile.REGTYPE
    info.size = len(content or b"")
    tar.addfile(info, io.BytesIO(content or b""))


def tar_of(tree, seconds):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path, (mode, owner, content) in tree.items():
            added(tar, path, mode, owner, content, seconds)
    return out.getvalue()


def archive(tree, seconds, tag):
    layer = tar_of(tree, seconds)
    config = json.dumps({"architecture": architecture_of(tree["retrial"][2]).deb, "os": "linux", "created": stamp(seconds),
                         "config": CONFIG, "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]},
                         "history": [{"created": stamp(seconds), "created_by": "integration/image/image.py"}]}, sort_keys=True).encode()
    digest = hashlib.sha256(config).hexdigest()
    manifest = json.dumps([{"Config": f"{digest}.json", "RepoTags": [tag], "Layers": ["layer.tar"]}]).encode()
    files = {f"{digest}.json": config, "layer.tar": layer, "manifest.json": manifest}
    return tar_of({name: (0o644, 0, content) for name, content in files.items()}, seconds), digest, len(layer)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", type=pathlib.Path, required=True)
    parser.add_argument("--bundle", type=pathlib.Path, default=pathlib.Path("/") / BUNDLE)
    parser.add_argument("--archive", type=pathlib.Path, help="for docker load")
    parser.add_argument("--rootfs", type=pathlib.Path, help="the same files in a folder")
    parser.add_argument("--sbom", type=pathlib.Path, help="a copy of the SBOM beside it")
    parser.add_argument("--tag", default=f"retrial:{VERSION}")
    args = parser.parse_args()
    seconds, binary = when(), args.binary.read_bytes()
    listing = sbom(binary, seconds)
    tree = root(binary, args.bundle.read_bytes(), listing)
    if args.sbom:
        args.sbom.parent.mkdir(parents=True, exist_ok=True)
        args.sbom.write_text(listing)
    if args.rootfs:
        args.rootfs.mkdir(parents=True, exist_ok=True)
        with tarfile.open(fileobj=io.BytesIO(tar_of(tree, seconds))) as tar:
            tar.extractall(args.rootfs, numeric_owner=True)
    if args.archive:
        data, digest, size = archive(tree, seconds, args.tag)
        args.archive.write_bytes(gzip.compress(data, 6, mtime=0) if args.archive.suffix == ".gz" else data)
        print(f"{args.tag} sha256:{digest} {size / 2**20:.1f} MiB, {args.archive}")


if __name__ == "__main__":
    main()
