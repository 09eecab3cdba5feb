"""Pictures that move: PNG files of one size, one after another in an animated PNG, without a library."""

import struct
import zlib


def chunks(png):
    at = 8
    while at < len(png):
        (size,) = struct.unpack(">I", png[at : at + 4])
        yield png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
        at += size + 12


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def animated(frames, seconds, last):
    """Frames of so many seconds each, the last one longer, again and again. Each is a whole screenshot, packed once more as well as can be."""
    heads = {next(chunks(frame))[1] for frame in frames}
    assert len(heads) == 1, "the frames are of one size and depth"
    (head,) = heads
    width, height = struct.unpack(">II", head[:8])
    parts, number = [chunk(b"IHDR", head), chunk(b"acTL", struct.pack(">II", len(frames), 0))], 0
    for i, frame in enumerate(frames):
        shown = round(1000 * (last if i == len(frames) - 1 else seconds))
        parts.append(chunk(b"fcTL", struct.pack(">IIIIIHHBB", number, width, height, 0, 0, shown, 1000, 0, 0)))
        number += 1
        pixels = b"".join(data for kind, data in chunks(frame) if kind == b"IDAT")
        pixels = zlib.compress(zlib.decompress(pixels), 9)
        if i == 0:
            parts.append(chunk(b"IDAT", pixels))
            continue
        parts.append(chunk(b"fdAT", struct.pack(">I", number) + pixels))
        number += 1
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts) + chunk(b"IEND", b"")


def frames_of(png):
    """How many frames a picture has; 1 where it does not move."""
    return max(1, png.count(b"fcTL"))
