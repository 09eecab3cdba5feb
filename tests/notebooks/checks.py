"""What can be asked of an executed notebook: each check takes it and the tag of a cell, and fails where the cell does not show it."""

import base64
import re
import struct
import zlib

VEGA = "application/vnd.vegalite.v5+json"


class Executed:
    """An executed notebook, by the tags of its cells."""

    def __init__(self, notebook):
        self.cells = {tag: c for c in notebook.cells for tag in c.metadata.get("tags", [])}
        self.words = "\n".join(c.source for c in notebook.cells if c.cell_type == "markdown")

    def text(self, tag):
        """Everything that a cell shows, as text."""
        parts = []
        for output in self.cells[tag].outputs:
            if output.output_type == "stream":
                parts.append(output.text)
            elif "data" in output:
                parts.append(output.data.get("text/plain", ""))
        return "\n".join(parts)

    def mime_types(self, tag):
        return {mime for output in self.cells[tag].outputs for mime in output.get("data", {})}

    def numbers(self, tag, pattern):
        return [float(n) for n in re.findall(pattern, self.text(tag))]


def says(pattern):
    def check(executed, tag):
        assert re.search(pattern, executed.text(tag)), f"{pattern!r} is not in:\n{executed.text(tag)}"

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


def points(spec):
    """What a reader of a specification can point at: the values that its marks have to say."""
    if isinstance(spec, list):
        return [p for inner in spec for p in points(inner)]
    if not isinstance(spec, dict):
        return []
    own = [row[key] for row in spec.get("data", {}).get("values", []) for key in row if key == "value" or re.fullmatch(r"t\d+", key)]
    flat = [v for value in own for v in (value if isinstance(value, list) else [value]) if v]
    return flat + [p for key, inner in spec.items() if key != "data" for p in points(inner)]


def draws_a_chart(executed, tag):
    """A picture for JupyterLab, one for what cannot draw Vega-Lite, and one for the eyes of a screen reader: none of them empty."""
    missing = {VEGA, "image/png", "text/plain"} - executed.mime_types(tag)
    assert not missing, f"no {', '.join(sorted(missing))} among {sorted(executed.mime_types(tag))}"
    for output in executed.cells[tag].outputs:
        data = output.get("data", {})
        if VEGA in data:
            assert len(points(data[VEGA])) > 2, "the specification has no numbers"
            assert scanlines(data["image/png"]) > 100, "the picture is empty"


def names_of_features(executed, tag):
    """The names in a table of the selection: after the rank, up to two spaces."""
    return re.findall(r"^ *\d+ {1,2}(\S.*?) {2,}", executed.text(tag), re.MULTILINE)


def lists_distinct_names(count):
    def check(executed, tag):
        names = names_of_features(executed, tag)
        assert len(names) == count == len(set(names)), f"{len(set(names))} different names of {len(names)} in:\n{executed.text(tag)}"
        bare = [name for name in names if re.fullmatch(r"[\d.]+", name)]
        assert not bare, f"numbers instead of names: {bare}"

    return check


def names_but_not(wanted, others):
    def check(executed, tag):
        names = set(names_of_features(executed, tag))
        assert wanted <= names and not others & names, names

    return check


def same_names_as(other):
    def check(executed, tag):
        assert names_of_features(executed, tag) == names_of_features(executed, other)

    return check


def beats(accuracy, majority):
    """The last number that each pattern finds: the accuracy is above always naming the most frequent class."""

    def check(executed, tag):
        reached, easy = executed.numbers(tag, accuracy), executed.numbers(tag, majority)
        assert reached and easy, executed.text(tag)
        assert reached[-1] > easy[-1], f"accuracy {reached[-1]} is not above {easy[-1]}"

    return check


def temperature_below(other):
    pattern = r"τ =? ?([\d.e-]+)"

    def check(executed, tag):
        here, there = executed.numbers(tag, pattern), executed.numbers(other, pattern)
        assert here and there, f"no temperature in:\n{executed.text(tag)}\n{executed.text(other)}"
        assert here[-1] < there[-1], f"τ is {here[-1]} here and {there[-1]} in {other}"

    return check


def course(executed, tag, metric):
    """Where the curve of a metric begins and ends."""
    found = re.search(rf"^{metric} .*?([\d.e-]+) → ([\d.e-]+)(?: \(smoothed .*\))? *$", executed.text(tag), re.MULTILINE)
    assert found, f"no course of {metric} in:\n{executed.text(tag)}"
    return float(found[1]), float(found[2])


def falls(metric):
    def check(executed, tag):
        first, last = course(executed, tag, metric)
        assert last < first, f"{metric} goes from {first} to {last}"

    return check


def rises(metric):
    def check(executed, tag):
        first, last = course(executed, tag, metric)
        assert last > first, f"{metric} goes from {first} to {last}"

    return check


def sharper_than(other):
    """The largest probabilities of the selectors, in the text of a selection matrix."""
    pattern = r"^selector +\d+ .* ([\d.]+(?:e-\d+)?) "

    def check(executed, tag):
        def mean(t):
            found = [float(n) for n in re.findall(pattern, executed.text(t), re.MULTILINE)]
            assert found, f"no selectors in:\n{executed.text(t)}"
            return sum(found) / len(found)

        assert mean(tag) > mean(other), f"mean largest probability {mean(tag)} here, {mean(other)} in {other}"

    return check


def leads_to(count):
    """How many different features lead the rows of a selection matrix."""

    def check(executed, tag):
        leaders = set(re.findall(r"^selector +\d+ .*? (\S+)(?: → \S+)?$", executed.text(tag), re.MULTILINE))
        assert len(leaders) == count, f"{len(leaders)} leaders: {sorted(leaders)}"

    return check


def probabilities(executed, tag):
    """Those of a table of the selection."""
    found = executed.numbers(tag, r"(?m)^ *\d+  \S.*? ([\d.]+(?:e-\d+)?) +-?[\d.]+ +\d+$")
    assert found, f"no probabilities in:\n{executed.text(tag)}"
    return found


def surer_than(least):
    def check(executed, tag):
        assert min(probabilities(executed, tag)) >= least

    return check


def least_sure(below):
    def check(executed, tag):
        assert min(probabilities(executed, tag)) < below

    return check


def stays_flat(pattern, below):
    def check(executed, tag):
        found = executed.numbers(tag, pattern)
        assert found and found[-1] < below, executed.text(tag)

    return check


def was_a_view(*mime_types):
    """What is left of a live view in a notebook that was executed without a browser: its picture, and no view that nobody answers for."""

    def check(executed, tag):
        assert executed.mime_types(tag) == {"text/plain", *mime_types}, sorted(executed.mime_types(tag))
        pictures = [output.data["image/png"] for output in executed.cells[tag].outputs if "image/png" in output.get("data", {})]
        assert all(scanlines(picture) > 100 for picture in pictures), "a picture is empty"

    return check


def rises_then_falls_below(pattern, high, low):
    """The first number that the pattern finds is above high, the last below low."""

    def check(executed, tag):
        found = executed.numbers(tag, pattern)
        assert len(found) > 1 and found[0] > high and found[-1] < low, f"{found} in:\n{executed.text(tag)}"

    return check


def mean_accuracy(executed, tag, method):
    """In the table of a comparison."""
    found = executed.numbers(tag, rf"(?m)^{method} +\d+ +([\d.]+) ± ")
    assert found, f"no accuracy of {method} in:\n{executed.text(tag)}"
    return found[0]


def more_accurate(method, than):
    def check(executed, tag):
        here, there = (mean_accuracy(executed, tag, name) for name in (method, than))
        assert here > there, f"{method} {here}, {than} {there}"

    return check


def accurate_as_written(method, pattern):
    """The notebook's words, which the pattern finds, give the accuracy of the table. Another processor may round otherwise."""

    def check(executed, tag):
        reached, written = mean_accuracy(executed, tag, method), re.search(pattern, executed.words)
        assert written and abs(float(written[1]) - reached) < 0.015, f"{method} {reached}, in words {written}"

    return check
