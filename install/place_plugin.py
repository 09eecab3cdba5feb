"""Puts a PJRT plugin into its directory and writes down where it came from, for `fsnet doctor`.

    place_plugin.py wheel FILE.whl DIRECTORY     takes the plugin out of a wheel whose hash was checked
    place_plugin.py record FILE DIRECTORY ORIGIN only writes down what lies in the directory already
    place_plugin.py cuda FILE.whl DIRECTORY      takes the CUDA plugin, or libraries of NVIDIA, out of a wheel whose hash was checked
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


def place(wheel, directory, kind="cpu"):
    package, version = os.path.basename(wheel).split("-")[:2]
    target = os.path.join(directory, f"pjrt_c_api_{kind}_v{version}_plugin.so")
    with zipfile.ZipFile(wheel) as z:
        for member in z.namelist():
            name = os.path.basename(member)
            if name.endswith("_plugin.so"):
                with z.open(member) as source:
                    write(target, lambda f: shutil.copyfileobj(source, f, 1 << 20))
            elif name in ("LICENSE", "THIRD_PARTY_NOTICES"):
                write(os.path.join(directory, name), lambda f: f.write(z.read(member)))
    record(target, f"the Python package {package.replace('_', '-')}", version)


# Of NVIDIA's packages: shared libraries, the assembler, the linker, the device's mathematical functions, and the terms of use; no headers,
# no static libraries, no compiler.
NEEDED = re.compile(r"nvidia/[^/]+/(lib/[^/]+\.so(\.[\d.]+)?|bin/(ptxas|nvlink)|nvvm/libdevice/[^/]+)|[^/]+\.dist-info/(licenses/)?(LICENSE|License)[^/]*")


def place_cuda(wheel, directory):
    """Lays out nvidia/ as the packages do: the plugin, in plugin/, looks for it beside its own directory."""
    package, version = os.path.basename(wheel).split("-")[:2]
    if package.startswith("jax_"):
        plugin = os.path.join(directory, "plugin")
        os.makedirs(plugin, exist_ok=True)
        place(wheel, plugin, "cuda")
        return
    with zipfile.ZipFile(wheel) as z:
        for member in z.infolist():
            if not NEEDED.fullmatch(member.filename):
                continue
            name = member.filename
            if ".dist-info/" in name:
                name = f"licenses/{package}-{version}.txt"
            path = os.path.join(directory, *name.split("/"))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with z.open(member) as source:
                write(path, lambda f: shutil.copyfileobj(source, f, 1 << 20))
            if "/bin/" in name:
                os.chmod(path, 0o755)


def main():
    how, file, directory = sys.argv[1:4]
    origin = "".join(sys.argv[4:5])
    os.makedirs(directory, exist_ok=True)
    if how == "wheel":
        place(file, directory)
    elif how == "cuda":
        place_cuda(file, directory)
    else:
        version = re.search(r"_(v[\d.]+)_plugin", file)
        record(file, origin, version.group(1) if version else "unknown")


main()
