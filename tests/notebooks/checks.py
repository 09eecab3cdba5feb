"""What can be asked of an executed notebook: each check takes it and the tag of a cell, and fails where the cell does not show it."""

import base64
import re
import statistics
import struct
import zlib

VEGA = "application/vnd.vegalite.v5+json"


class Executed:
    """An executed notebook, by the tags of its cells."""

    def __init__(self, notebook):
        self.cells = {tag: c for c in notebook.cells for tag in c.metadata.get("tags", [])}
        self.cells["words"] = {"outputs": [{"text": c.source} for c in notebook.cells if c.cell_type == "markdown"]}

    def data(self, tag):
        return [output.get("data", {"text/plain": output.get("text", "")}) for output in self.cells[tag]["outputs"]]

    def text(self, tag):
        """Everything that a cell shows, as text."""
        return "\n".join(data.get("text/plain", "") for data in self.data(tag))

    def mime_types(self, tag):
        return {mime for data in self.data(tag) for mime in data}


def says(pattern):
    def check(executed, tag):
        assert re.search(pattern, executed.text(tag)), f"{pattern!r} is not in:\n{executed.text(tag)}"

    return check


def number(pattern, of="last", tag=None):
    """What the numbers that a pattern finds come to, in the text of a cell: the one that is checked, or another."""
    fold = {"first": lambda n: n[0], "last": lambda n: n[-1], "least": min, "mean": statistics.mean}[of]

    def value(executed, here):
        found = [float(n) for n in re.findall(pattern, executed.text(tag or here), re.MULTILINE)]
        assert found, f"{pattern!r} finds no number in:\n{executed.text(tag or here)}"
        return fold(found)

    return value


def less(one, other, by=0):
    """One number is below another by more than so much; each is a constant, or what [number] gives."""

    def check(executed, tag):
        a, b = (n(executed, tag) if callable(n) else n for n in (one, other))
        assert a < b - by, f"{a} is not below {b} by more than {by}"

    return check


def falls(metric):
    return less(number(rf"^{metric} .*→ ([\d.e-]+)"), number(rf"^{metric} .*?([\d.e-]+) →"))


def rises(metric):
    return less(number(rf"^{metric} .*?([\d.e-]+) →"), number(rf"^{metric} .*→ ([\d.e-]+)"))


LARGEST = r"^selector +\d+ .* ([\d.]+(?:e-\d+)?) "  # of a selector's probabilities, in the text of a selection matrix


def sharper_than(other):
    return less(number(LARGEST, "mean", other), number(LARGEST, "mean"))


SURE = r"^ *\d+  \S.*? ([\d.]+(?:e-\d+)?)(?: [a-z].*?)? +-?[\d.]+ +\d+$"  # a probability in a table of the selection


def accuracy(method):
    return number(rf"^{method} +\d+ +([\d.]+) ± ", "first")  # in the table of a comparison


def as_written(method, pattern):
    """The notebook's words, which the pattern finds, give the accuracy of the table. Another processor may round otherwise."""
    table, words = accuracy(method), number(pattern, "first", "words")

    def check(executed, tag):
        assert abs(table(executed, tag) - words(executed, tag)) < 0.015

    return check


def scanlines(png):
    """How many lines of a PNG, as base64, are unlike all others: those of an empty picture are all alike, those of bare axes nearly."""
    data, at, packed = base64.b64decode(png), 8, b""
    while at < len(data):
        (size,) = struct.unpack(">I", data[at : at + 4])
        if data[at + 4 : at + 8] == b"IHDR":
            width, height, depth, kind = struct.unpack(">IIBB", data[at + 8 : at + 18])
        elif data[at + 4 : at + 8] == b"IDAT":
            packed += data[at + 8 : at + 8 + size]
        at += size + 12
    lines, long = zlib.decompress(packed), 1 + (width * depth * {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[kind] + 7) // 8
    return len({lines[i * long : (i + 1) * long] for i in range(height)})


def draws_a_chart(executed, tag):
    """A picture for JupyterLab, one for what cannot draw Vega-Lite, and one for the eyes of a screen reader: none of them empty."""
    missing = {VEGA, "image/png", "text/plain"} - executed.mime_types(tag)
    assert not missing, f"no {', '.join(sorted(missing))} among {sorted(executed.mime_types(tag))}"
    for data in executed.data(tag):
        if VEGA in data:
            assert len(re.findall(r"\d", str(data[VEGA]))) > 500, "the specification has no numbers"
            assert scanlines(data["image/png"]) > 100, "the picture is empty"


def was_a_view(*mime_types):
    """What is left of a live view in a notebook that was executed without a browser: its picture, and no view that nobody answers for."""

    def check(executed, tag):
        assert executed.mime_types(tag) == {"text/plain", *mime_types}, sorted(executed.mime_types(tag))
        assert all(scanlines(data["image/png"]) > 100 for data in executed.data(tag) if "image/png" in data), "a picture is empty"

    return check


def names(executed, tag):
    """The names in a table of the selection: after the rank, up to two spaces."""
    return re.findall(r"^ *\d+ {1,2}(\S.*?) {2,}", executed.text(tag), re.MULTILINE)


def lists(count, wanted=(), others=()):
    """Different names, no numbers; these among them, and not others."""

    def check(executed, tag):
        found = set(names(executed, tag))
        assert len(found) == len(names(executed, tag)) == count and not any(re.fullmatch(r"[\d.]+", name) for name in found), executed.text(tag)
        assert found >= set(wanted) and not found & set(others), found

    return check


def same_names_as(other):
    def check(executed, tag):
        assert names(executed, tag) == names(executed, other)

    return check


def leads_to(least, most=None):
    """How many different features lead the rows of a selection matrix: so many, or a number between two."""

    def check(executed, tag):
        leaders = set(re.findall(r"^selector +\d+ .*? (\S+)(?: → \S+)?$", executed.text(tag), re.MULTILINE))
        assert least <= len(leaders) <= (most or least), f"{len(leaders)} leaders: {sorted(leaders)}"

    return check
