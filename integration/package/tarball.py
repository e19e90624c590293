"""tar.gz: unpacked anywhere, bin/retrial runs; SHA256SUMS stands in it for each file."""
import gzip
import hashlib
import io
import tarfile


def packed(files, top, seconds):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path, (mode, data) in sorted(files.items()):
            info = tarfile.TarInfo(f"{top}/{path}")
            info.mode, info.mtime, info.size = mode, seconds, len(data)
            tar.addfile(info, io.BytesIO(data))
    return gzip.compress(out.getvalue(), 9, mtime=0)


def sums(files):
    return "".join(f"{hashlib.sha256(data).hexdigest()}  {path}\n" for path, (_, data) in sorted(files.items())).encode()


def make(contents, out):
    files = contents.below_prefix()
    files["SHA256SUMS"] = (0o644, sums(files))
    top = f"retrial-{contents.version.local}-linux-{contents.architecture.npm}"
    made = out / f"{top}.tar.gz"
    made.write_bytes(packed(files, top, contents.seconds))
    return [made]
