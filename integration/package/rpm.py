"""The .rpm, by rpmbuild where it is installed."""
import os
import pathlib
import shutil
import subprocess
import tempfile

from contents import write_tree

SPEC = """Name: retrial
Version: {version}
Release: {release}
Summary: Puts the retries of a test suite on trial
License: Apache-2.0
AutoReqProv: no
%global debug_package %{{nil}}
%global __os_install_post %{{nil}}
%global _build_id_links none
%global use_source_date_epoch_as_buildtime 1
%global clamp_mtime_to_source_date_epoch 1
%global _buildhost reproducible
%description
Retrial runs your own tests with the faults that a network and a cloud really produce between them and the services that they
talk to, and says which retry is a bug, where in the code, and which command shows it again.
%install
cp -a {tree}/. %{{buildroot}}/
%files
{files}
"""


def make(contents, out):
    if not shutil.which("rpmbuild"):
        print("package: rpmbuild is not installed: no .rpm is made")
        return []
    files = {f"usr/{path}": entry for path, entry in contents.below_prefix().items()}
    version, _, at = contents.version.local.partition("+")
    release = "0." + at if at else "1"
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        write_tree(files, work / "tree", contents.seconds)
        spec = work / "retrial.spec"
        spec.write_text(SPEC.format(version=version, release=release, tree=work / "tree", files="\n".join("/" + path for path in sorted(files))))
        done = subprocess.run(["rpmbuild", "-bb", "--quiet", "--target", contents.architecture.machine, "--define", f"_topdir {work}/top", spec], capture_output=True, text=True,
                              env=os.environ | {"SOURCE_DATE_EPOCH": str(contents.seconds), "HOME": str(work)})
        if done.returncode != 0:
            raise SystemExit(f"package: rpmbuild failed: {done.stderr.strip()}")
        made = next((work / "top/RPMS").rglob("*.rpm"))
        return [pathlib.Path(shutil.copy(made, out / made.name))]
