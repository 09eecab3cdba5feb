"""Puts a PJRT plugin into its directory and records its origin for `fsnet doctor`.

    place_plugin.py wheel FILE.whl DIRECTORY     unpacks the plugin from a wheel whose hash was checked
    place_plugin.py cuda FILE.whl DIRECTORY      unpacks the CUDA plugin or NVIDIA's libraries from such a wheel
    place_plugin.py record FILE ORIGIN           only records a plugin that is in the directory
"""

import calendar
import hashlib
import json
import os
import pathlib
import re
import shutil
import sys
import zipfile

# Of NVIDIA's packages: shared libraries, the assembler, the linker, the device's mathematical functions, and the terms of use; no headers,
# no static libraries, no compiler.
NEEDED = re.compile(r"nvidia/[^/]+/(lib/[^/]+\.so(\.[\d.]+)?|bin/(ptxas|nvlink)|nvvm/libdevice/[^/]+)|[^/]+\.dist-info/(licenses/)?(LICENSE|License)[^/]*")


def unpack(archive, member, path, mode=0o644):
    """Writes a file completely or not at all: a process must never load half a plugin. It keeps the date, so that programs compiled by the
    plugin, which are stored by it, serve every installation."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_name(f".placing-{path.name}")
    with archive.open(member) as source, open(scratch, "wb") as target:
        shutil.copyfileobj(source, target, 1 << 20)
    scratch.chmod(mode)
    date = calendar.timegm(archive.getinfo(member).date_time)
    os.utime(scratch, (date, date))
    scratch.replace(path)


def record(path, origin, version):
    entry = {"file": path.name, "origin": origin, "version": version, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    (path.parent / "ORIGIN.json").write_text(json.dumps(entry, indent=2) + "\n")


def plugin(wheel, directory, kind):
    package, version = wheel.name.split("-")[:2]
    target = directory / f"pjrt_c_api_{kind}_v{version}_plugin.so"
    with zipfile.ZipFile(wheel) as z:
        for member in z.namelist():
            name = member.rpartition("/")[2]
            if name.endswith("_plugin.so"):
                unpack(z, member, target)
            elif name in ("LICENSE", "THIRD_PARTY_NOTICES"):
                unpack(z, member, directory / name)
    record(target, f"the Python package {package.replace('_', '-')}", version)


def libraries(wheel, directory):
    """Unpacks nvidia/ as in the packages: the plugin, in plugin/, looks for it beside its own directory."""
    with zipfile.ZipFile(wheel) as z:
        for name in filter(NEEDED.fullmatch, z.namelist()):
            path = f"licenses/{'-'.join(wheel.name.split('-')[:2])}.txt" if ".dist-info/" in name else name
            unpack(z, name, directory / path, 0o755 if "/bin/" in name else 0o644)


how, file, where = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
if how == "record":
    found = re.search(r"_(v[\d.]+)_plugin", file.name)
    record(file, where, found[1] if found else "unknown")
elif how == "wheel":
    plugin(file, pathlib.Path(where), "cpu")
elif file.name.startswith("jax_"):
    plugin(file, pathlib.Path(where, "plugin"), "cuda")
else:
    libraries(file, pathlib.Path(where))
