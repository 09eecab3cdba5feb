"""What each notebook must show, as a table: notebook → [(tag of a cell, what must hold of it)]. A new notebook needs no entry to be
executed; an entry makes it keep its promises."""

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
    own = [row[key] for row in spec.get("data", {}).get("values", []) for key in row if key == "value" or key.startswith("fact")]
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


ACCURACY = r"(?m)^accuracy .*?([\d.]+)$"
MAJORITY = r"(?m)^always .*?([\d.]+)$"

EXPECTED = {
    "annealing.ipynb": [
        ("fast", says(r"step 75 of 75")),
        ("fast-sample", draws_a_chart),
        ("fast-sample", sharper_than("fast-probability")),
        ("fast-probability", says(r"the others hold [1-9]\d% of the mass")),
        ("slow", says(r"step 1500 of 15000")),
        ("slow-probability", sharper_than("slow-sample")),
        ("slow-sample", says(r"the others hold [5-9]\d% of the mass")),
        ("duplicates", was_a_view("image/png")),
        ("duplicates", says(r"duplicate: selector \d+ has it, this one gets \S+")),
        ("none-selection", lists_distinct_names(10)),
        ("none-selection", least_sure(below=0.1)),
        ("much-reconstruction", lists_distinct_names(10)),
        ("evaluate", rises_then_falls_below(r"reconstruction error ([\d.]+)", high=1.5, low=1.0)),
        ("choice", says(r"every selector is settled · step 1\d\d\d of 1500 .* σ [2-9]")),
        ("curves", draws_a_chart),
        ("curves", falls("tau")),
        ("curves", rises("sharpness")),
        ("choice-probability", draws_a_chart),
        ("choice-probability", sharper_than("slow-probability")),
        ("choice-probability", sharper_than("fast-probability")),
        ("choice-probability", leads_to(10)),
        ("choice-sample", leads_to(10)),
        ("choice-selection", lists_distinct_names(10)),
        ("choice-selection", surer_than(0.9)),
        ("haste", lists_distinct_names(10)),
        ("own", says(r"every selector is settled")),
        ("own", draws_a_chart),
        ("table", was_a_view("text/html", "image/png")),
        ("table", same_names_as("choice-selection")),
        ("close", says(r"choice is closed")),
    ],
    "own-data.ipynb": [
        ("make", says(r"80 samples of 40 donors, 300 genes")),
        ("run", says(r"every selector is settled .* training accuracy 1\.000 · 10 of 10 selectors settled")),
        ("convergence", draws_a_chart),
        ("convergence", says(r"10 of 10 selectors settled · 10 different leaders")),
        ("selection", lists_distinct_names(10)),
        ("selection", names_but_not({"GENE001", "GENE002", "GENE003", "GENE005"}, {"GENE004"})),
        ("distributions", draws_a_chart),
        ("evaluate", says(r"on 40 test rows")),
        ("evaluate", says(r"accuracy +█\S* +0\.775\n")),
        ("evaluate", says(r"the test rows were looked at once")),
        ("evaluate", beats(r"(?m)^accuracy +█\S* +([\d.]+)$", r"majority class +█\S* +([\d.]+)")),
        ("report", says(r"wrote cohort-report\.html \(\d+ kB\)")),
    ],
    "convergence.ipynb": [
        ("supervised", says(r"every selector is settled · step 1020 of 1500 · epoch 204 of 300")),
        ("supervised-convergence", draws_a_chart),
        ("supervised-convergence", says(r"10 of 10 selectors settled · 10 different leaders")),
        ("paper", says(r"all 300 epochs are done .* 0 of 10 selectors settled, largest probability 2e-4 on average")),
        ("paper-convergence", draws_a_chart),
        ("paper-convergence", says(r"0 of 10 selectors settled · 6 different leaders")),
        ("both", says(r"(?m)^supervised epoch 204  10 of 10 settled  mean largest probability 0\.9\d+")),
        ("both", stays_flat(r"paper .* mean largest probability ([\d.]+)", 0.001)),
        ("both", says(r"(?m)^paper .*\n+ +test accuracy 0\.694, always the most frequent class 0\.722$")),
    ],
    "stability.ipynb": [
        ("choice", lists_distinct_names(5)),
        ("choice", surer_than(0.9)),
        ("stability", says(r"20 of 20 half-samples")),
        ("stability", draws_a_chart),
        ("stability", says(r"(?m)^\*  X95735_at +\d+ +\d+  a lead")),
        ("stability", says(r"(?m)^\*  Y07604_at +\d+ +\d+  replaceable")),
        ("stability", says(r"Consensus, the most frequent: X62654_rna1_at")),
    ],
    "compare.ipynb": [
        ("compare", says(r"42 of 42 fits")),
        ("compare", draws_a_chart),
        ("compare", more_accurate("fsnet", "random")),
        ("compare", says(r"mean ranks over 6 splits, critical difference 3\.68, Friedman's p = 0\.0")),
        ("compare", says(r"(?m)^random .* -0\.\d+  0\.031$")),
        ("more", says(r"48 of 48 fits")),
        ("more", says(r"(?m)^cae-supervised:epochs=100,tries=1 +6 +0\.\d+ ± 0\.\d+ .* 0\.\d+ ± 0\.\d+ ")),
        ("more", draws_a_chart),
        ("genes", says(r"(?m)^fsnet +\d+ different genes, \S+ in [3-6] of 6 splits$")),
        ("planted", draws_a_chart),
        ("planted", says(r"36 of 36 fits")),
        ("planted", more_accurate("anova", "random")),
        ("planted", more_accurate("stg:lambda=1,epochs=500", "random")),
        ("planted", accurate_as_written("fsnet", r"(\.\d+), with what `fsnet`")),
        ("planted", accurate_as_written("stg:lambda=1,epochs=500", r"(\.\d+) with the three columns of `stg`")),
        ("planted", accurate_as_written("dnp", r"(\.\d+) with those of `dnp`")),
    ],
    "quickstart.ipynb": [
        ("open", says(r"step 0 of 1500")),
        ("matrix-before", draws_a_chart),
        ("matrix-before", leads_to(1)),
        ("step", says(r"step 500 of 1500")),
        ("matrix-middle", draws_a_chart),
        ("matrix-middle", temperature_below("matrix-before")),
        ("matrix-middle", leads_to(5)),
        ("set", says(r"lambda 1 → 0\.1")),
        ("run", says(r"every selector is settled · step 1\d\d\d of 1500 .* 10 of 10 selectors settled")),
        ("curves", draws_a_chart),
        ("curves", falls("loss")),
        ("curves", falls("tau")),
        ("curves", rises("sharpness")),
        ("curves", says(r"lambda 1 → 0\.1")),
        ("matrix-after", draws_a_chart),
        ("matrix-after", temperature_below("matrix-middle")),
        ("matrix-after", sharper_than("matrix-middle")),
        ("matrix-after", leads_to(10)),
        ("selection", lists_distinct_names(10)),
        ("selection", surer_than(0.9)),
        ("evaluate", beats(ACCURACY, MAJORITY)),
        ("go-selection", lists_distinct_names(10)),
        ("go-selection", same_names_as("selection")),
        ("go-selection", beats(r"accuracy ([\d.]+)", r"most frequent class ([\d.]+)")),
        ("go-matrix", draws_a_chart),
        ("paper", stays_flat(r"mean largest probability in a row of P ([\d.e-]+)", 0.1)),
        ("paper", draws_a_chart),
        ("fork", says(r"warm paused · step 500 of 1500")),
        ("fork", says(r"schedule exponential → hold:1")),
        ("fork", says(r"warm settled · every selector is settled .* τ 1 ")),
        ("fork", draws_a_chart),
        ("close", says(r"paper is closed")),
    ],
}
