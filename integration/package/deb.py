"""The .deb, by dpkg-deb. It depends on nothing: the binary is linked statically."""
import email.utils
import gzip
import hashlib
import os
import pathlib
import subprocess
import tempfile

from contents import write_tree

MAINTAINER = os.environ.get("RETRIAL_MAINTAINER", "Retrial <retrial@example.invalid>")
# What lintian says, and is meant to be so.
OVERRIDES = """# one file, on any release, is what this package is for
retrial: statically-linked-binary [usr/bin/retrial]
retrial: embedded-library libyaml [usr/bin/retrial]
retrial: embedded-library zlib [usr/bin/retrial]
retrial: shared-library-lacks-prerequisites [usr/bin/retrial]
# it is no part of Debian
retrial: initial-upload-closes-no-bugs *
retrial: bogus-mail-host *
"""
CONTROL = """Package: retrial
Version: {version}
Architecture: {architecture}
Maintainer: {maintainer}
Installed-Size: {size}
Section: devel
Priority: optional
Suggests: python3 (>= 3.8), xdg-utils
Description: puts the retries of a test suite on trial
 Retrial runs your own tests with the faults that a network and a cloud really
 produce (a lost response, a 503, a reset, silence) between them and the
 services that they talk to, and says which retry is a bug, where in the code,
 and which command shows it again. No configuration, no root.
"""


def make(contents, out):
    version = contents.version.local
    files = {f"usr/{path}": entry for path, entry in contents.below_prefix().items()}
    zsh = files.pop("usr/share/zsh/site-functions/_retrial")
    files["usr/share/zsh/vendor-completions/_retrial"] = zsh
    licence, parts = files.pop("usr/share/doc/retrial/LICENSE"), files.pop("usr/share/doc/retrial/THIRD-PARTY")
    assert licence[1].lstrip().startswith(b"Apache License")
    files["usr/share/doc/retrial/copyright"] = (0o644, b"On Debian systems the Apache License 2.0 is in /usr/share/common-licenses/Apache-2.0.\n" + parts[1])
    when = email.utils.formatdate(contents.seconds)
    changes = f"retrial ({version}) unstable; urgency=medium\n\n  * See docs/decisions of this version.\n\n -- {MAINTAINER}  {when}\n"
    files["usr/share/doc/retrial/changelog.gz"] = (0o644, gzip.compress(changes.encode(), 9, mtime=0))
    files["usr/share/lintian/overrides/retrial"] = (0o644, OVERRIDES.encode())
    sums = "".join(f"{hashlib.md5(data).hexdigest()}  {path}\n" for path, (_, data) in sorted(files.items()))
    size = sum(-(-len(data) // 1024) for _, data in files.values())
    control = CONTROL.format(version=version, architecture=contents.architecture.deb, maintainer=MAINTAINER, size=size)
    made = out / f"retrial_{version}_{contents.architecture.deb}.deb"
    with tempfile.TemporaryDirectory() as root:
        write_tree(files | {"DEBIAN/control": (0o644, control.encode()), "DEBIAN/md5sums": (0o644, sums.encode())}, pathlib.Path(root), contents.seconds)
        subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "-z6", "--build", root, made], check=True, stdout=subprocess.DEVNULL,
                       env=os.environ | {"SOURCE_DATE_EPOCH": str(contents.seconds)})
    return [made]
