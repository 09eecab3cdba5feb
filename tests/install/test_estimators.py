"""The package fsnetlab: scikit-learn's own suite, and what programs do with its estimators. Where no figure is asked for, trainings are
short and on the Go backend, which compiles nothing."""

import json
import os
import pathlib
import pickle
import re
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
import warnings

import pytest

pytest.importorskip("sklearn", reason="scikit-learn is among the tests' packages from Python 3.11 on")
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import anndata
import fsnetlab
import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

SHORT = {"epochs": 10, "hidden": "8", "backend": "go", "random_state": 0}
X, y = make_classification(80, 30, n_informative=4, n_redundant=0, n_clusters_per_class=1, class_sep=2, random_state=0)
# 1.0 of a text table is 32 bits once it is read; these are so already, whichever way they come.
X = X.astype(np.float32).astype(float)

WEIGHTS = "a row of weight 2 is one row of a minibatch, which is not two rows of it: only the ratios of weights count"
EXPECTED = {f"check_sample_weight_equivalence_on_{kind}_data": WEIGHTS for kind in ("dense", "sparse")}


@parametrize_with_checks(
    [kind(epochs=20, hidden="8", backend="go") for kind in (fsnetlab.FsNet, fsnetlab.FsNetRegressor)],
    expected_failed_checks=lambda _: EXPECTED, xfail_strict=True,
)  # fmt: skip
def test_the_suite_of_scikit_learn(estimator, check):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "n_features_to_select = 10 is more than")
        check(estimator)


def names(model):
    return [feature.name for feature in model.selected_]


def short(k=3, kind=fsnetlab.FsNet, **keys):
    return kind(k, **(SHORT | keys))


def fsnet(*arguments):
    """What fsnet prints with --json."""
    done = subprocess.run(["fsnet", *map(str, arguments), "--json"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_genes_are_those_of_the_command(tmp_path):
    """With every default, from a text table whose other rows are for testing: to the bit, and the saved network, too."""
    table = pd.DataFrame(X, columns=[f"g{j}" for j in range(X.shape[1])])
    model = fsnetlab.FsNet(3, random_state=5).fit(table, np.where(y, "ill", "well"))
    both = pd.concat([table.assign(kind=np.where(y, "ill", "well"), part="train"), table[:9].assign(kind="well", part="test")])
    both.to_csv(tmp_path / "cohort.csv", index=False)
    wanted = fsnet("fit", tmp_path / "cohort.csv", "--label=kind", "--split=column:part", "--k=3", "--seed=5", f"--save={tmp_path / 'model'}")
    assert model.result_["selected"] == wanted["selected"] and model.result_["steps"] == wanted["steps"]
    assert [(f.name, f.column, f.probability, f.higher_in) for f in model.selected_] == [
        (f["name"], f["index"], f["probability"], f["effect"]["class"]) for f in wanted["selected"]]
    loaded = fsnetlab.FsNet.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(table))
    assert names(loaded) == names(model) and loaded.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()
    shuffled = table[names(model)[::-1]]
    np.testing.assert_array_equal(loaded.predict(shuffled), model.predict(table))
    model.save(tmp_path / "saved")
    said = fsnet("predict", tmp_path / "saved", tmp_path / "cohort.csv")["predictions"]
    assert [p["class"] for p in said[:80]] == model.predict(table).tolist()
    np.testing.assert_array_equal([p["probabilities"] for p in said[:80]], model.predict_proba(table)[:, [model.classes_.tolist().index(c) for c in wanted["classes"]]])


def test_every_key_is_a_parameter():
    page = (ROOT / "docs/reference.md").read_text(encoding="utf-8")
    keys = set(re.findall(r"^\| `(\w+)`", page[page.index("<!-- keys -->") : page.index("<!-- end of keys -->")], re.M))
    assert len(keys) > 40
    of_files = {"data", "label", "x", "samples", "covariates", "layer", "annotations", "sheet", "ignore", "log"}
    of_rows = {"groups", "paired", "nuisance", "row_weights"}
    renamed = {"k": "n_features_to_select", "seed": "random_state", "lambda": "lambda_"}
    wanted = {renamed.get(key, key) for key in keys - of_files - of_rows - {"task"}} | {"verbose"}
    assert set(fsnetlab.FsNet().get_params()) == wanted == set(fsnetlab.FsNetRegressor().get_params())


@pytest.mark.parametrize("classes", [["ill", "well"], [" a, b", 'β "x"'], [0, 1], [-1, 1], [True, False], [1.0, 2.0], ["1.0", "2"], [np.int8(7), np.int8(9)]], ids=str)
def test_labels_come_back_as_they_were(classes):
    labels = np.array(classes)[y]
    model = short().fit(X, labels)
    assert model.predict(X).dtype == labels.dtype and set(model.predict(X)) <= set(labels) and model.score(X, labels) > 0.7
    assert model.classes_.tolist() == sorted(set(labels.tolist()))
    np.testing.assert_array_equal(model.classes_[model.predict_proba(X).argmax(1)], model.predict(X))
    assert all(f.higher_in in model.classes_.tolist() and f.size > 0 for f in model.selected_)
    assert names(model) == names(short().fit(X, y)) or sorted(classes) != classes  # what classes are called changes nothing


@pytest.mark.parametrize("classes", [["a", " a"], ["1", "1.0"]])
def test_labels_that_read_alike_are_refused(classes):
    with pytest.raises(ValueError, match="two classes of y read alike"):
        short().fit(X, np.array(classes)[y])


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil"])
def test_sparse_is_what_dense_is(form):
    dense = np.where(np.abs(X) > 1, np.round(X), 0).astype(np.int16)
    thin = sp.csr_array(dense)
    thin.data[:5] = 0  # zeros that are stored
    dense = thin.toarray()
    model = short().fit(thin.asformat(form), y)
    assert model.selected_ == short().fit(dense, y).selected_
    np.testing.assert_array_equal(model.predict_proba(thin.asformat(form)), model.predict_proba(dense))
    assert sp.issparse(model.transform(thin.asformat(form)))


def test_sparse_stays_sparse():
    n, d = 200, 20_000
    many = sp.random_array((n, d), density=1e-3, format="csr", random_state=0)
    kinds = np.arange(n) % 2
    tracemalloc.start()
    model = short(2, epochs=1, screen=10).fit(many, kinds)
    model.predict(many)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < n * d, f"{peak / 1e6:.0f} MB; dense it would be {8 * n * d / 1e6:.0f}"


def test_tables():
    table = pd.DataFrame(X, columns=[f"g{j}" for j in range(30)], index=pd.Index(np.arange(80)[::-1], name="patient"))
    model = short().fit(table, pd.Series(y, index=table.index))
    assert names(model) == [f"g{f.column}" for f in short().fit(X, y).selected_]
    assert model.set_output(transform="pandas").transform(table).columns.tolist() == model.get_feature_names_out().tolist()
    assert all(name.startswith("x") for name in names(short().fit(pd.DataFrame(X), y)))  # columns that are numbers have no names
    odd = table.rename(columns={"g1": "", "g2": "a, b", "g3": "β"})
    assert set(names(short(30).fit(odd, y))) == {"x1", "a, b", "β"} | set(table.columns) - {"g1", "g2", "g3"}
    assert set(names(short(2, must=["a, b", "β"]).fit(odd, y))) == {"a, b", "β"}


def test_rows_that_belong_together():
    site, patient = np.arange(80) % 2, np.repeat(np.arange(40), 2)
    kinds = np.tile(["ill", "well"], 40)
    cohort = X + 5 * site[:, None]
    model = short().fit(cohort, y, nuisance=site, sample_weight=np.where(np.arange(80) < 4, 0, 1))
    assert model.predict(cohort, nuisance=site).shape == (80,)
    with pytest.raises(ValueError, match="nuisance"):
        model.predict(cohort)
    pairs = short().fit(cohort, kinds, paired=patient)
    assert pairs.predict(cohort, paired=patient).shape == (80,)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        short().fit(X, y, groups=patient[:3])
    held = short(test_fraction=0.25).fit(X, y, groups=patient)
    assert held.result_["notes"]["test_rows"] == 20 and "test_score" in held.result_ and "test_score" not in pairs.result_
    weighted = [short(class_weight={0: 1, 1: 0.01}).fit(X, y), short().fit(X, y, sample_weight=np.where(y, 0.01, 1)), short().fit(X, y)]
    by_class, by_row, evenly = (model.predict_proba(X)[:, 1] for model in weighted)
    np.testing.assert_array_equal(by_class, by_row)
    assert by_class.mean() < evenly.mean()


def test_missing_values():
    holes = X.copy()
    holes[::7, 2] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        short().fit(holes, y)
    filled = short(30, missing="mean").fit(holes, y)
    assert filled.predict(holes).shape == (80,) and filled.transform(holes).shape == (80, 30)
    dropped = short(30, missing="drop").fit(holes, y)
    assert dropped.result_["n"] == 80 - len(range(0, 80, 7)) and dropped.predict(X).shape == (80,)
    with pytest.raises(ValueError, match="the value is missing"):
        dropped.predict(holes)


def test_pipelines_searches_and_copies():
    groups = np.arange(80) // 4
    pipe = make_pipeline(StandardScaler(), short(5, epochs=40), LogisticRegression())
    scores = cross_val_score(pipe, X, y, groups=groups, cv=GroupKFold(4), n_jobs=2)
    assert scores.mean() > 0.8
    search = GridSearchCV(pipe, {"fsnet__n_features_to_select": [1, 5]}, cv=3).fit(X, y)
    model = search.best_estimator_[1]
    assert model.get_support().sum() == search.best_params_["fsnet__n_features_to_select"] and search.best_score_ > 0.8
    assert clone(model).get_params() == model.get_params() and not hasattr(clone(model), "selected_")
    again = pickle.loads(pickle.dumps(search.best_estimator_))
    np.testing.assert_array_equal(again.predict_proba(X), search.predict_proba(X))


def test_seeds():
    fits = {seed: short(random_state=seed).fit(X, y) for seed in (1, np.int64(1), 2)}
    assert [f.seed_ for f in fits.values()] == [1, 2]
    state = np.random.RandomState(3)
    first, second = short(random_state=state).fit(X, y), short(random_state=state).fit(X, y)
    assert first.seed_ != second.seed_ and short(random_state=None).fit(X, y).seed_ != short(random_state=None).fit(X, y).seed_
    assert short(random_state=first.seed_).fit(X, y).result_["selected"] == first.result_["selected"]


def test_errors_have_the_words_of_the_command(tmp_path):
    np.savez(tmp_path / "X.npz", X=X, y=y)
    for keys in ({"tau0": -1}, {"protocol": "fsnett"}, {"must": ["none"]}, {"n_features_to_select": 0}, {"schedule": "exponentail"}):
        options = [f"--{key.replace('_', '-').replace('n-features-to-select', 'k')}={','.join(v) if isinstance(v, list) else v}" for key, v in keys.items()]
        done = subprocess.run(["fsnet", "fit", tmp_path / "X.npz", "--backend=go", *options], capture_output=True, text=True)
        with pytest.raises(ValueError) as error:
            fsnetlab.FsNet(**({"backend": "go"} | keys)).fit(X, y)
        assert done.returncode == 2 and done.stderr == f"fsnet: {error.value}\n"
    with pytest.raises(ValueError, match="one class"):
        short().fit(X, np.ones(80))
    (tmp_path / "text").write_text("nothing")
    with pytest.raises(ValueError, match="is not a saved model of fsnet"):
        fsnetlab.FsNet.load(tmp_path / "text")
    short(2, kind=fsnetlab.FsNetRegressor).fit(X, X[:, 0]).save(tmp_path / "model")
    with pytest.raises(ValueError, match="a model of a quantity - use FsNetRegressor.load"):
        fsnetlab.FsNet.load(tmp_path / "model")
    assert fsnetlab.FsNetRegressor.load(tmp_path / "model").predict(X).shape == (80,)


INTERRUPTED = """
import fsnetlab, numpy as np
print("begun", flush=True)
r = np.random.RandomState(0)
fsnetlab.FsNet(10, backend="go", epochs=1_000_000, stop="never").fit(r.normal(size=(400, 500)), r.randint(0, 2, 400))
"""


def test_an_interrupt_ends_it_and_what_it_started(tmp_path):
    """Only the Python is interrupted, as a notebook's kernel may be; its directory has blanks."""
    place = tmp_path / "a place"
    place.mkdir()
    environment = os.environ | {"PYTHONPATH": str(ROOT / "python"), "TMPDIR": str(place)}
    process = subprocess.Popen([sys.executable, "-c", INTERRUPTED], env=environment, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.readline()
    children = lambda: pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()  # noqa: E731
    if not pathlib.Path("/proc/self/task").exists():
        pytest.skip("there is no /proc here to look for the command in")
    until = time.monotonic() + 60
    while not children() and time.monotonic() < until:
        time.sleep(0.05)
    child = int(children()[0])
    time.sleep(1)
    assert list(place.iterdir()) != []
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in err and process.returncode in (1, 130, -signal.SIGINT), err
    with pytest.raises(ProcessLookupError):
        os.kill(child, 0)
    assert list(place.iterdir()) == []


def test_threads_may_fit():
    done = []
    threads = [threading.Thread(target=lambda seed=seed: done.append((seed, names(short(random_state=seed).fit(X, y))))) for seed in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert dict(done) == {seed: names(short(random_state=seed).fit(X, y)) for seed in (1, 2)}


def test_progress_is_shown_to_a_person_who_waits(capfd, monkeypatch):
    short(epochs=60).fit(X, y)
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    monkeypatch.setattr("fsnetlab.command.QUICK", 600)
    short(epochs=60).fit(X, y)
    assert "%" not in "".join(capfd.readouterr())
    monkeypatch.setattr("fsnetlab.command.QUICK", 0)
    short(epochs=60, verbose=False).fit(X, y)
    assert capfd.readouterr() == ("", "")
    short(epochs=60).fit(X, y)
    shown = capfd.readouterr().err
    assert re.search(r"\r\x1b\[K 10%  epoch 6/60 ", shown) and shown.endswith("\r\x1b[K"), shown


def test_a_fit_costs_little_more_than_the_command(tmp_path, measured, monkeypatch):
    """Of 100 rows and 1000 columns, the program compiled before: all that Python adds, in the best of four fits. The choice is that of
    fsnet fit on the same arrays, to the bit."""
    cohort, kinds = make_classification(100, 1000, n_informative=5, random_state=0)
    spent, run = [], fsnetlab.command.run

    def timed(*arguments):
        begun = time.monotonic()
        answer = run(*arguments)
        spent.append(time.monotonic() - begun)
        return answer

    monkeypatch.setattr(fsnetlab.command, "run", timed)
    model, whole = fsnetlab.FsNet(10, random_state=1), []
    for _ in range(4):
        begun = time.monotonic()
        model.fit(cohort, kinds)
        whole.append(time.monotonic() - begun)
    more = min(fit - command for fit, command in zip(whole, spent))
    measured(f"fsnetlab.FsNet, d = 1000: {min(whole):.2f} s, {more:.3f} s of them in Python")
    assert more < 0.2
    np.savez(tmp_path / "data.npz", X=cohort, y=kinds)
    wanted = fsnet("fit", tmp_path / "data.npz", "--k=10", "--seed=1", "--test-fraction=0")
    assert [(f.column, f.probability) for f in model.selected_] == [(f["index"], f["probability"]) for f in wanted["selected"]]


@pytest.fixture
def cells():
    draw = np.random.RandomState(0)
    kind = np.array(["B", "T", "NK"])[draw.randint(0, 3, 150)]
    counts = draw.poisson(1, (150, 40)).astype(np.float32)
    for at, name in ((3, "B"), (7, "T"), (9, "NK")):
        counts[kind == name, at] += 5
    adata = anndata.AnnData(sp.csr_matrix(np.log1p(counts)))
    adata.var_names, adata.obs["kind"], adata.obs["donor"] = [f"G{j}" for j in range(40)], pd.Categorical(kind), np.arange(150) % 5
    adata.obs["age"] = draw.normal(50, 9, 150) + 20 * adata.X.toarray()[:, 5]
    adata.layers["twice"] = 2 * adata.X
    return adata


def test_cells(cells, tmp_path):
    model = fsnetlab.select(cells, "kind", 4, layer="twice", groups="donor", **SHORT | {"epochs": 40})
    assert {"G3", "G7"} <= set(names(model)) or "G9" in names(model)
    assert cells.var["fsnet_rank"].dropna().sort_values().index.tolist() == names(model)
    assert cells.var["fsnet_probability"].dropna().to_dict() == pytest.approx({f.name: f.probability for f in model.selected_})
    fsnetlab.select(cells, "age", 1, task="regression", key="age", **SHORT | {"epochs": 40})
    assert cells.var["age_rank"].dropna().index.tolist() == ["G5"] and cells.uns["age"]["scores"]["age"][0] == pytest.approx(np.corrcoef(cells.obs["age"], cells.X.toarray()[:, 5])[0, 1])
    cells.write_h5ad(tmp_path / "a b.h5ad")
    read = anndata.read_h5ad(tmp_path / "a b.h5ad", backed="r")
    record = read.uns["fsnet"]
    assert record["names"].dtype.names == ("B", "NK", "T") and record["params"]["groupby"] == "kind" and record["params"]["layer"] == "twice"
    for feature in model.selected_:  # the command says the same of the class that a gene stands out in
        at = record["names"][feature.higher_in].tolist().index(feature.name)
        assert record["scores"][feature.higher_in][at] == pytest.approx(feature.size, rel=1e-5)
    for group in record["names"].dtype.names:
        assert sorted(record["names"][group]) == sorted(names(model)) and (np.diff(record["scores"][group]) <= 0).all()
        assert np.isnan(record["pvals_adj"][group]).all()
    assert names(fsnetlab.select(read, "kind", 4, **SHORT)) == names(fsnetlab.FsNet(4, **SHORT).fit(pd.DataFrame(cells.X.toarray(), columns=cells.var_names), cells.obs["kind"]))


def test_stability_of_cells(cells):
    few = fsnetlab.stability(cells, "kind", 3, pairs=2, groups="donor", **SHORT | {"epochs": 20})
    assert set(few["word"]) == {""}, "five donors are too few for words"
    cells.obs["donor"] = np.arange(150) % 12
    genes = fsnetlab.stability(cells, "kind", 3, pairs=10, groups="donor", **SHORT | {"epochs": 20})
    chosen = genes[genes["rank"] > 0]
    assert len(chosen) == 3 and set(genes["word"]) <= {"certain", "likely", "a lead", "replaceable", "not repeated"}
    for gene in genes.itertuples():
        row = cells.var.iloc[gene.index]
        assert row.name == gene.name and row["fsnet_frequency"] == gene.seen / 20 and row["fsnet_word"] == gene.word
    assert cells.uns["fsnet_stability"]["half_samples"] == 20 and "fsnet" not in cells.uns


def test_cells_that_cannot_be_read(cells):
    for arguments, words in (
        (("sort", 3), "adata.obs has no column 'sort' - it has kind, donor, age"), (("kind", 3, "raw"), "adata has no layer 'raw' - it has twice")):
        with pytest.raises(ValueError, match=re.escape(words)):
            fsnetlab.select(cells, *arguments)
    cells.obs.loc[cells.obs_names[:2], "kind"] = None
    with pytest.raises(ValueError, match="2 of 150 cells have no kind - leave them out"):
        fsnetlab.select(cells, "kind")


def test_the_page_is_run(tmp_path, monkeypatch):
    """The whole of docs/python.md, block after block, as a reader would paste it."""
    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    known = {"adata": anndata.AnnData(X, obs=pd.DataFrame({"cell_type": np.where(y, "B", "T"), "donor": np.arange(80) % 4}, index=[f"c{i}" for i in range(80)]))}
    for block in re.findall(r"^```python\n(.*?)^```", page, re.M | re.S):
        exec(compile(block, "docs/python.md", "exec"), known)
    assert known["model"].score(known["X_new"], known["y_new"]) > 0.85


def test_it_is_small():
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in (ROOT / "python").rglob("*.py")) <= 500
