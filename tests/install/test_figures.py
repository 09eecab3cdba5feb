"""The accuracies, ranks and stabilities that README and docs give are those of the rows in docs/results, computed here once more."""

import collections
import csv
import itertools
import math
import pathlib
import re
import statistics

ROOT = pathlib.Path(__file__).resolve().parents[2]
FEATURES = {"ALLAML": 7129, "Prostate_GE": 5966, "GLIOMA": 4434, "lung_small": 325, "Yale": 1024, "9_Tumor": 5726}
CLASSES = {"ALLAML": 2, "Prostate_GE": 2, "GLIOMA": 4, "lung_small": 7, "Yale": 15, "9_Tumor": 9}
STEPWISE = "fsnet:protocol=stepwise"


def rows(name):
    """The rows of a file by data set and method, in the order of their splits."""
    found = collections.defaultdict(list)
    with open(ROOT / "docs/results" / f"{name}.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            found[row["dataset"], row["method"]].append(row)
    return found


def values(rows, column):
    return [float(row[column]) for row in rows]


def short(x):
    """Three digits, without the 0 before the point."""
    return f"{x:.3f}".removeprefix("0")


def spread(rows, column):
    x = values(rows, column)
    return f"{short(statistics.mean(x))} ± {short(statistics.stdev(x))}"


def stability(rows, d):
    """Nogueira's, of sets of one size."""
    sets = [set(row["selected"].split(";")) for row in rows]
    r, k = len(sets), len(sets[0])
    shares = [n / r for n in collections.Counter(itertools.chain(*sets)).values()]
    return f"{1 - (sum(r / (r - 1) * p * (1 - p) for p in shares) / d) / (k / d * (1 - k / d)):.2f}".removeprefix("0")


def ranks(found):
    """The mean rank of each method over data sets and splits by the SVM, equal ones sharing theirs, and its mean accuracy over the sets."""
    methods, sets = list(dict.fromkeys(m for _, m in found)), list(dict.fromkeys(s for s, _ in found))
    rank = collections.defaultdict(list)
    for s in sets:
        for split in zip(*(values(found[s, m], "score") for m in methods)):
            for m, x in zip(methods, split):
                rank[m].append(sum(y > x for y in split) + (1 + sum(y == x for y in split)) / 2)
    mean = {m: statistics.mean(statistics.mean(values(found[s, m], "score")) for s in sets) for m in methods}
    return sorted((f"{statistics.mean(rank[m]):.2f}", m, short(mean[m])) for m in methods)


def by_data_set():
    found, means = rows("protocols-k10"), collections.defaultdict(list)
    for s, d in FEATURES.items():
        cells = []
        for method in ("fsnet", STEPWISE):
            these = found[s, method]
            cells += [f"{spread(these, 'score')} ({stability(these, d)})", spread(these, "own")]
            for column in ("score", "own"):
                means[method, column].append(statistics.mean(values(these, column)))
        yield f"| {s} | {CLASSES[s]} | {' | '.join(cells)} |"
    yield f"| mean of six | | {' | '.join(short(statistics.mean(x)) for x in means.values())} |"


def beside_the_paper():
    published = {"fsnet": (".911", ".624", ".871"), "fsnet:protocol=paper": (".911", ".624", ".871"), "cae-supervised": (".833", ".584", ".835"),
                 "hsic-lasso": (".899", ".595", ".924"), "mrmr": (".848", ".564", ".871")}
    found = rows("paper-k10")
    for method, figures in published.items():
        column = "score" if method in ("hsic-lasso", "mrmr") else "own"
        cells = (f"{spread(found[s, method], column)} | {figure}" for s, figure in zip(("ALLAML", "GLIOMA", "Prostate_GE"), figures))
        yield f"`{method}` | {' | '.join(cells)} |"


def by_size():
    """A line for each K of sizes.csv: mean accuracy of the SVM and, in brackets, of the method's own network."""
    found = collections.defaultdict(list)
    for (_, method), these in rows("sizes").items():
        for row in these:
            found[row["k"], method].append(row)
    for k in dict.fromkeys(k for k, _ in found):
        cells = []
        for method in ("fsnet", STEPWISE, "forward-ridge", "anova"):
            these = found[k, method]
            own = f" ({short(statistics.mean(values(these, 'own')))})" if these[0]["own"] else ""
            cells.append(short(statistics.mean(values(these, "score"))) + own)
        yield f"| {k} | {' | '.join(cells)} |"


def test_results_has_the_figures_of_its_files():
    page = (ROOT / "docs/results.md").read_text(encoding="utf-8")
    for rank, method, mean in ranks(rows("ranks-k10")):
        assert f"| `{method}` | {rank} | {mean} |" in page
    for line in [*by_data_set(), *by_size(), *beside_the_paper()]:
        assert line in page, line


def test_the_laboratory_has_the_figures_of_its_files():
    """Each row of table 1: the method's own accuracy, else that of the SVM, and the SVM's beside it."""
    page = (ROOT / "docs/lab/reproduction.md").read_text(encoding="utf-8")
    for name, k in (("paper-k10", 10), ("paper-k50", 50), ("paper-protocols", 10)):
        for (s, method), these in rows(name).items():
            own = these[0]["own"] and method != "svm"
            figure = spread(these, "own" if own else "score")
            size = k if method not in ("svm", "dietnet") else "all"
            line = rf"\| {s} \| {size} \| [\w-]+ \| {method} \| {len(these)} \| {re.escape(figure)} \|"
            assert re.search(line, page), line


def quantity(rows, column="score"):
    x = values(rows, column)
    return " ± ".join(re.sub(r"^-", "−", re.sub(r"^-?0\.00$", ".00", f"{y:.2f}").replace("0.", ".", 1)) for y in (statistics.mean(x), statistics.stdev(x)))


def test_your_own_data_has_the_figures_of_its_files():
    """Regression within sites, and what taking the sites out costs."""
    page, laboratory = ((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("data.md", "lab/defaults.md"))
    plain, sites = rows("hmp2-plain"), rows("hmp2-sites")
    for (s, method), these in rows("hmp2-age").items():
        assert f"{quantity(these)} for `{method}`" in page
        balanced = (spread(found[s, method], "balanced_accuracy") for found in (plain, sites))
        assert f"| `{method}` | {' | '.join(balanced)} |" in laboratory
    (name, _), *_ = plain
    assert f"{spread(plain[name, 'fsnet'], 'balanced_accuracy')} without, {spread(sites[name, 'fsnet'], 'balanced_accuracy')} with" in page


def test_settings_have_the_figures_of_their_file():
    """A path beside a training for each k: the rows of each method, and how far ahead the path is."""
    page, laboratory = ((ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("settings.md", "lab/defaults.md"))
    means = {}
    for (_, method), these in rows("path-k").items():
        by_k = collections.defaultdict(list)
        for row in these:
            by_k[row["k"]].append(float(row["score"]))
        means[method] = {k: statistics.mean(x) for k, x in by_k.items()}
    for method, name in (("fsnet", "a training for each k"), ("fsnet-path", "the path")):
        assert f"| {name} | {' | '.join(short(x) for x in means[method].values())} |" in laboratory
    ahead = [f"{means['fsnet-path'][k] - means['fsnet'][k]:+.2f}".replace("0.", ".", 1).replace("-", "−") for k in ("5", "10", "20")]
    assert "is {} for k = 5, {} for 10 and {} for 20".format(*ahead) in page


def share_found(table, row):
    """The share of a made table's markers among the chosen columns, of as many as K can hold."""
    markers, chosen = table["markers"].split(";"), set(row["selected"].split(";"))
    return sum(not chosen.isdisjoint(marker.split("|")) for marker in markers) / min(int(table["k"]), len(markers))


def test_known_markers_have_the_figures_of_their_files():
    """Each made table's line, and the means of the groups, whose standard error is that of independent tables."""
    page, laboratory = ((ROOT / "docs" / name).read_text(encoding="utf-8").replace("**", "") for name in ("results.md", "lab/markers.md"))
    shares, methods = collections.defaultdict(list), {}
    with open(ROOT / "docs/results/markers-tables.csv", encoding="utf-8", newline="") as file:
        tables = {table["table"]: table for table in csv.DictReader(file)}
    for (name, method), these in rows("markers").items():
        name = name.rpartition("-")[0]
        shares[name, method] += [share_found(tables[name], row) for row in these]
        methods[method] = collections.defaultdict(list)

    def cell(mean, error):
        return " ± ".join(f"{x:.2f}".removeprefix("0") for x in (mean, error))

    for name, table in tables.items():
        cells = []
        for method, groups in methods.items():
            x = shares[name, method]
            mean, error = sum(x) / len(x), statistics.stdev(x) / math.sqrt(len(x))
            groups[table["group"]].append((mean, error))
            cells.append(cell(mean, error))
        assert f"| {name} | {table['k']} | {' | '.join(cells)} | {table['what']} |" in laboratory
    for group in ("lone", "complementary", "hard"):
        members = [groups[group] for groups in methods.values()]
        n = len(members[0])
        means = (cell(sum(mean for mean, _ in x) / n, math.sqrt(sum(error**2 for _, error in x)) / n) for x in members)
        assert f"| mean of {n}, {group} | {' | '.join(means)} |" in page


def test_readme_has_the_figures_of_its_files():
    """Every figure below Results is one of these files' or of the paper."""
    _, _, part = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Results")
    table = [f"| `{method}` | {rank} | {mean} |" for rank, method, mean in ranks(rows("ranks-k10"))]
    assert [line for line in part.splitlines() if line.startswith("| `") and line not in table] == []
    accuracy = {method: short(statistics.mean(values(rows("paper-k10")["ALLAML", method], "own"))) for method in ("fsnet", "fsnet:protocol=paper")}
    said = f"FsNet reaches {accuracy['fsnet:protocol=paper']} on ALLAML instead of .911. Our default reaches {accuracy['fsnet']},"
    assert said in part
    assert set(re.findall(r"\.\d{3}", part)) <= set(re.findall(r"\.\d{3}", "".join(table) + said))


def test_version_14():
    """What one version of the default reaches on halves on which nothing was chosen, beside forward selection on the same."""
    page, found = (ROOT / "docs/results.md").read_text(encoding="utf-8"), collections.defaultdict(list)
    for (s, method), these in rows("version14").items():
        for row in these:
            found[s if s in ("madelon", "RELATHE") else "small", row["k"], method].append(row)
    for (s, k), name in {("madelon", "10"): "madelon", ("RELATHE", "10"): "RELATHE", ("small", "10"): "six small sets", ("small", "3"): "GLIOMA, lung_small, 9_Tumor"}.items():
        ours, theirs = found[s, k, "fsnet"], found[s, k, "forward-ridge"]
        cells = " | ".join(short(statistics.mean(x)) for x in (values(ours, "score"), values(ours, "own"), values(theirs, "score")))
        apart = [a - b for a, b in zip(values(ours, "score"), values(theirs, "score"), strict=True)]
        ahead = f"{statistics.mean(apart):+.3f} ± {statistics.stdev(apart) / math.sqrt(len(apart)):.3f}".replace("0.", ".").replace("-", "−")
        line = f"| {name} | {k} | {len(ours)} | {cells} | {ahead} |"
        assert line in page, line


def test_spokesman():
    """Halves share more features with spokesmen (version 14) than without, at the accuracy that the page gives."""
    page, means = (ROOT / "docs/lab/defaults.md").read_text(encoding="utf-8"), {}
    for version in ("13", "14"):
        sets = [[r for r in of if r["version"] == version] for of in rows("spokesman-k10").values()]
        shared = []
        for of in sets:
            chosen = [set(r["selected"].split(";")) for r in of]
            shared.append(statistics.mean(len(a & b) / len(a | b) for a, b in itertools.combinations(chosen, 2)))
        means[version] = [statistics.mean(shared)] + [statistics.mean(statistics.mean(values(of, c)) for of in sets) for c in ("score", "own")]
    jaccard, svm, own = (f"{short(a)} → {short(b)}" for a, b in zip(means["13"], means["14"], strict=True))
    assert f"Jaccard {jaccard}, accuracy by SVM {svm}, of the own network {own}." in page
