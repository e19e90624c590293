"""The wheel: a zip with RECORD (PEP 427). The command is the binary itself; the one file of Python is pytest's plug-in."""
import base64
import hashlib
import io
import time
import zipfile

from version import ROOT

METADATA = """Metadata-Version: 2.4
Name: retrial
Version: {version}
Summary: Puts the retries of a test suite on trial: which retry is a bug, where in the code, and how to see it again
License-Expression: Apache-2.0
License-File: LICENSE
License-File: THIRD-PARTY
Keywords: retry,fault-injection,testing,proxy,http,grpc
Classifier: Environment :: Console
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Software Development :: Testing
Requires-Python: >=3.8
Description-Content-Type: text/markdown

"""


def tags(contents):
    machine = contents.architecture.machine
    return [f"manylinux_{contents.libc[0]}_{contents.libc[1]}_{machine}"] + ([f"manylinux2014_{machine}"] if contents.libc == (2, 17) else [])


def make(contents, out):
    version = contents.version.local
    info, data = f"retrial-{version}.dist-info", f"retrial-{version}.data"
    wheel = "Wheel-Version: 1.0\nGenerator: retrial\nRoot-Is-Purelib: false\n" + "".join(f"Tag: py3-none-{tag}\n" for tag in tags(contents))
    files = {
        f"{data}/scripts/retrial": (0o755, contents.program),
        f"{data}/data/share/man/man1/retrial.1.gz": (0o644, contents.man),
        **{f"{data}/data/{path}": (0o644, text) for path, text in contents.completions.items()},
        "pytest_retrial.py": (0o644, (ROOT / "integration/pytest/pytest_retrial.py").read_bytes()),
        f"{info}/entry_points.txt": (0o644, b"[pytest11]\nretrial = pytest_retrial\n"),
        f"{info}/licenses/LICENSE": (0o644, contents.licence),
        f"{info}/licenses/THIRD-PARTY": (0o644, contents.third_party),
        f"{info}/sboms/retrial.spdx.json": (0o644, contents.sbom),
        f"{info}/METADATA": (0o644, METADATA.format(version=version).encode() + contents.readme),
        f"{info}/WHEEL": (0o644, wheel.encode()),
    }
    record = "".join(f"{path},sha256={digest(text)},{len(text)}\n" for path, (_, text) in files.items()) + f"{info}/RECORD,,\n"
    files[f"{info}/RECORD"] = (0o644, record.encode())
    made = out / f"retrial-{version}-py3-none-{'.'.join(tags(contents))}.whl"
    made.write_bytes(zipped(files, contents.seconds))
    return [made]


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def zipped(files, seconds):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for path, (mode, data) in files.items():
            entry = zipfile.ZipInfo(path, time.gmtime(max(seconds, 315532800))[:6])  # a zip begins in 1980
            entry.external_attr, entry.compress_type, entry.create_system = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED, 3
            archive.writestr(entry, data, compresslevel=9)
    return out.getvalue()
