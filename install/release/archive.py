"""Packs a tree into an archive reproducibly, writes the checksums of the release, and prints the archive's name.

archive.py TREE DIRECTORY NAME, where NAME is fsnetlab-VERSION-GOOS-GOARCH[-untested]
"""

import gzip
import hashlib
import os
import pathlib
import sys
import tarfile


def main():
    tree, directory, name = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    date = int(os.environ["SOURCE_DATE_EPOCH"])
    archive = directory / f"{name}.tar.gz"
    with (
        open(archive, "wb") as file,
        gzip.GzipFile("", "wb", int(os.environ.get("FSNET_PACK_LEVEL", "6")), file, date) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as tar,
    ):
        for path in sorted(p for p in tree.rglob("*") if p.is_file()):
            entry = tarfile.TarInfo(f"{name}/{path.relative_to(tree).as_posix()}")
            entry.size, entry.mtime, entry.mode = path.stat().st_size, date, 0o755 if path.parent.name == "bin" else 0o644
            with open(path, "rb") as content:
                tar.addfile(entry, content)
    version = "-".join(name.split("-")[:2])  # not those of other versions
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(directory.glob(f"{version}-*"))]
    (directory / "SHA256SUMS").write_text("".join(sums))
    print(f"{archive.name}, {archive.stat().st_size / 1e6:.0f} MB")


main()
