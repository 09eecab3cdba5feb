"""Packs a tree of bin and share and the package in python/ into a wheel, and prints its name. pip unpacks the tree below the prefix of
its environment.

wheel.py TREE DIRECTORY VERSION GOOS GOARCH
"""

import base64
import hashlib
import os
import pathlib
import re
import sys
import time
import zipfile

METADATA = """\
Metadata-Version: 2.4
Name: fsnetlab
Version: {version}
Summary: FsNet feature selection as a live object in JupyterLab, and on the command line{mark}
License-Expression: Apache-2.0
License-File: LICENSE
License-File: THIRD_PARTY_NOTICES
Requires-Python: >=3.10
Requires-Dist: anywidget ~=0.11.0
Requires-Dist: jupyterlab_widgets ~=3.0
Requires-Dist: scikit-learn >=1.6
Provides-Extra: methods
Requires-Dist: scikit-learn >=1.8 ; extra == 'methods'
Requires-Dist: Boruta ~=0.4.3 ; extra == 'methods'
Requires-Dist: skrebate ~=0.8.4 ; extra == 'methods'
Requires-Dist: ipss ~=1.1 ; extra == 'methods'
Requires-Dist: lassonet ~=0.0.21 ; extra == 'methods'
Description-Content-Type: text/markdown

FsNet chooses ten genes out of twenty thousand, together with the classifier that needs them. FsNet Lab makes that training a live object:

    pip install fsnetlab jupyterlab
    jupyter lab                        # the kernel FsNet (Go): %fsnet open a data=ALLAML, %fsnet panel
    fsnet fit ALLAML --k 10 --seed 1   # or at once on the command line

In Python it is a selector and a predictor of scikit-learn:

    fsnetlab.FsNet(n_features_to_select=10, random_state=1).fit(X, y).selected_

{untested}"""


def platform(tree, system, machine):
    """Returns the tag of the oldest system that runs the program and the plugin."""
    if system == "darwin":
        return "macosx_12_0_" + {"amd64": "x86_64"}.get(machine, machine)
    oldest = 17
    for path in [*tree.glob("bin/*"), *tree.glob("share/fsnetlab/pjrt/*.so")]:
        oldest = max([oldest, *(int(n) for n in re.findall(rb"\0GLIBC_2\.(\d+)", path.read_bytes()))])
    return f"manylinux_2_{oldest}_" + {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)


def main():
    tree, directory = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    version, system, machine = sys.argv[3:]
    tag = "py3-none-" + platform(tree, system, machine)
    note = tree / "share/fsnetlab/UNTESTED"
    untested = note.read_text() if note.exists() else ""
    base = f"fsnetlab-{version}"
    info = f"{base}.dist-info"
    members = {}
    for path in sorted(p for p in tree.rglob("*") if p.is_file()):
        name = path.relative_to(tree).as_posix()
        members[f"{base}.data/" + (name.replace("bin/", "scripts/", 1) if name.startswith("bin/") else "data/" + name)] = path.read_bytes()
    package = pathlib.Path(__file__).resolve().parents[2] / "python"
    for path in [*sorted(package.glob("fsnetlab/*.py")), package / "fsnetlab/py.typed"]:
        members[path.relative_to(package).as_posix()] = path.read_bytes()
    for name in ("LICENSE", "THIRD_PARTY_NOTICES"):
        members[f"{info}/licenses/{name}"] = (tree / "share/fsnetlab" / name).read_bytes()
    members[f"{info}/METADATA"] = METADATA.format(version=version, mark=" (untested build)" if untested else "", untested=untested).encode()
    build = "Build: 0untested\n" if untested else ""  # a wheel's build tag begins with a digit
    members[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: fsnetlab\nRoot-Is-Purelib: false\n{build}Tag: {tag}\n".encode()
    record = ""
    for name, content in members.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(content)}\n"
    members[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()

    wheel = directory / f"{base}-{'0untested-' if untested else ''}{tag}.whl"
    date = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))[:6]
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as z:
        for name, content in members.items():
            entry = zipfile.ZipInfo(name, date)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if "/scripts/" in name else 0o100644) << 16
            z.writestr(entry, content, compresslevel=int(os.environ.get("FSNET_PACK_LEVEL", "6")))
    print(f"{wheel.name}, {wheel.stat().st_size / 1e6:.0f} MB")


main()
