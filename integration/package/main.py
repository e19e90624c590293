"""Makes all packages of static binaries, one a processor. The same commit gives the same bytes: `--twice` makes them again, and compares."""
import argparse
import filecmp
import hashlib
import pathlib
import tempfile

import deb
import npm
import rpm
import tarball
import wheel
from contents import Contents
from version import Version

MOST = 15 * 2**20  # of a wheel and a tar.gz


def make_all(binaries, out, version):
    each = [Contents(binary, version) for binary in binaries]
    made = [file for contents in each for kind in (tarball, wheel, npm, deb, rpm) for file in kind.make(contents, out)]
    made.append(npm.launcher([contents.architecture for contents in each], each[0], out))
    for contents in each:
        sbom = out / f"retrial-{version.local}-linux-{contents.architecture.npm}.spdx.json"
        sbom.write_bytes(contents.sbom)
        made.append(sbom)
    sums = out / "SHA256SUMS"
    sums.write_text("".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(made)))
    return made + [sums]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", type=pathlib.Path, required=True, action="append", help="once for each processor")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--twice", action="store_true")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    for old in args.out.glob("*"):
        if old.name.startswith("retrial") or old.name == "SHA256SUMS":
            old.unlink()
    version = Version()
    made = make_all(args.binary, args.out, version)
    for file in made:
        print(f"{file.stat().st_size / 2**20:6.2f} MiB  {file}")
        if file.suffix in (".whl", ".gz") and file.stat().st_size > MOST:
            raise SystemExit(f"package: {file.name} is larger than {MOST // 2**20} MiB")
    if args.twice:
        with tempfile.TemporaryDirectory() as again:
            for file in make_all(args.binary, pathlib.Path(again), version):
                if not filecmp.cmp(file, args.out / file.name, shallow=False):
                    raise SystemExit(f"package: {file.name} is not the same when it is made again")
        print(f"made twice: {len(made)} files, the same bytes")


if __name__ == "__main__":
    main()
