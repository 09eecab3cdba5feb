"""Puts a PJRT plugin into its directory and writes down where it came from, for `fsnet doctor`.

    place_plugin.py wheel FILE.whl DIRECTORY     takes the plugin out of a wheel whose hash was checked
    place_plugin.py record FILE DIRECTORY ORIGIN only writes down what lies in the directory already
"""

import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
import zipfile


def sha256(path):
    h = hashlib.sha256()
    with open(path, "rb") as f:
        for block in iter(lambda: f.read(1 << 20), b""):
            h.update(block)
    return h.hexdigest()


def write(path, copy):
    """Writes a file as a whole or not at all: a process that loads a plugin must never see half of one."""
    descriptor, scratch = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".placing-")
    try:
        with os.fdopen(descriptor, "wb") as f:
            copy(f)
        os.chmod(scratch, 0o644)
        os.replace(scratch, path)
    except BaseException:
        os.unlink(scratch)
        raise


def record(path, origin, version):
    entry = {"file": os.path.basename(path), "origin": origin, "version": version, "sha256": sha256(path)}
    text = json.dumps(entry, indent=2) + "\n"
    write(os.path.join(os.path.dirname(path), "ORIGIN.json"), lambda f: f.write(text.encode()))


def place(wheel, directory):
    package, version = os.path.basename(wheel).split("-")[:2]
    target = os.path.join(directory, f"pjrt_c_api_cpu_v{version}_plugin.so")
    with zipfile.ZipFile(wheel) as z:
        for member in z.namelist():
            name = os.path.basename(member)
            if name.endswith("_plugin.so"):
                with z.open(member) as source:
                    write(target, lambda f: shutil.copyfileobj(source, f, 1 << 20))
            elif name in ("LICENSE", "THIRD_PARTY_NOTICES"):
                write(os.path.join(directory, name), lambda f: f.write(z.read(member)))
    record(target, f"the Python package {package.replace('_', '-')}", version)


def main():
    how, file, directory, origin = sys.argv[1:5]
    os.makedirs(directory, exist_ok=True)
    if how == "wheel":
        place(file, directory)
    else:
        version = re.search(r"_(v[\d.]+)_plugin", file)
        record(file, origin, version.group(1) if version else "unknown")


main()
