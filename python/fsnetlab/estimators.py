"""FsNet and FsNetRegressor: scikit-learn's selector and predictor over the command fsnet."""

import copy
import json
import numbers
import os
import pathlib
import re
import struct
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_array, check_consistent_length, check_random_state, compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from . import command

Number, Word = float | None, str | None
Words = Sequence[str] | str | None
Rows = ArrayLike | None


class Selected(NamedTuple):
    """A chosen feature. higher_in is the class in which it stands out over the training rows, and size its Cohen's d there, in standard
    deviations, negative where it is lower; of a quantity higher_in is None and size Pearson's r. A loaded model knows neither."""

    name: str
    column: int  # of X, from 0
    probability: float  # of the feature in its selector's row of P, 0 to 1
    higher_in: Any = None
    size: float = float("nan")
    chosen_by: str | None = None  # gradient, argmax, contest, pair or must; None in models of older versions
    replaced: str | None = None  # the feature whose place it took in the contest


class _FsNet(SelectorMixin, BaseEstimator):
    def __init__(
        self, n_features_to_select: int = 10, protocol: str = "fsnet", random_state: int | np.random.RandomState | None = None, *,
        test_fraction: float = 0, missing: str = "error", verbose: bool = True, epochs: int | str | None = None,
        batch: int | str | None = None, learning_rate: Number = None, selector_learning_rate: Number = None,
        lambda_: Number = None, dropout: Number = None, tau0: Number = None, tau_end: Number = None,
        schedule: Word = None, sharpness: Number = None, sharpness_schedule: Word = None, repulsion: Number = None,
        screen: int | None = None, must: Words = None, never: Words = None,
        cost: Mapping[str, float] | str | None = None, feature_groups: Mapping[str, str] | str | None = None,
        group_limit: int | None = None, hidden: Sequence[int] | str | None = None, scaling: Word = None, split: Word = None,
        validation_fraction: Number = None, rows_per_class: int | None = None,
        class_weight: Mapping[Any, float] | str | None = None, stop: Word = None, split_seed: int | None = None,
        backend: Word = None,
    ):  # fmt: skip
        self.__dict__.update({name: value for name, value in dict(locals()).items() if name != "self"})

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing in ("mean", "drop")
        tags.target_tags.required = True
        return tags

    def __sklearn_is_fitted__(self):
        return hasattr(self, "selected_")  # or scikit-learn takes lambda_ for a fitted attribute

    def fit(self, X: Any, y: ArrayLike, *, groups: Rows = None, sample_weight: Rows = None, paired: Rows = None, nuisance: Rows = None):
        """Chooses the features of X that tell y, and trains the network that predicts from them.

        X: n×d numbers, an array, a DataFrame or sparse. y: n classes or quantities. groups, paired, nuisance: n values that say
        which rows belong together, form a pair, or were measured at one site. sample_weight: n weights; 0 leaves a row out. All rows
        are trained on unless test_fraction or validation_fraction keeps some.
        """
        self.result_, self.model_ = self._ask("fit", *self._read(X, y, groups, sample_weight, paired, nuisance))
        self._choose(self.result_["selected"])
        return self

    def stability(self, X: Any, y: ArrayLike, *, pairs: int = 20, groups: Rows = None, sample_weight: Rows = None, paired: Rows = None,
                  nuisance: Rows = None) -> dict[str, Any]:  # fmt: skip
        """Repeats the choice on pairs of halves of the rows, and returns the object of fsnet stability --json. It does not change a fit."""
        other = copy.copy(self)
        return other._ask("stability", *other._read(X, y, groups, sample_weight, paired, nuisance), f"--pairs={pairs}")[0]

    def _read(self, X, y, groups, sample_weight, paired, nuisance):
        """Checks data as scikit-learn does; returns X, the labels as fsnet reads them, and other values of the rows, by key."""
        X, y = validate_data(self, X, y, y_numeric=self._task == "regression", ensure_min_samples=2, **self._kind())
        labels = self._labels(y)
        rows = self._texts_of(X, groups=groups, paired=paired, nuisance=nuisance)
        if sample_weight is not None:
            rows["row_weights"] = _check_sample_weight(sample_weight, X)
        if isinstance(self.class_weight, Mapping):
            rows["row_weights"] = rows.get("row_weights", 1) * compute_sample_weight(self.class_weight, y)
        return X, labels, rows

    def _texts_of(self, X, **rows):
        rows = {name: np.asarray(values).astype(str) for name, values in rows.items() if values is not None}
        check_consistent_length(X, *rows.values())
        return rows

    def _ask(self, verb, X, y, rows, *options):
        """Returns the answer of fsnet fit or stability, and the bytes of a fit's model."""
        d, k = X.shape[1], self.n_features_to_select
        names = getattr(self, "feature_names_in_", getattr(self, "_names", None))
        names = [f"x{j}" if names is None or not names[j].strip() else names[j] for j in range(d)]
        if isinstance(k, numbers.Integral) and k > d:
            warnings.warn(f"n_features_to_select = {k} is more than the {d} features of X: all are selected", stacklevel=3)
            k = d
        seed = self.random_state
        self.seed_ = seed if isinstance(seed, numbers.Integral) else check_random_state(seed).randint(2**31 - 1)
        renamed = {"n_features_to_select", "random_state", "verbose"}
        keys = {name: value for name, value in self.get_params(deep=False).items() if name not in renamed}
        keys |= {"task": self._task, "k": k, "seed": self.seed_, "label": "y", **{name: name for name in rows}}
        if isinstance(self.class_weight, Mapping):
            keys["class_weight"] = None  # row_weights has it
        with tempfile.TemporaryDirectory(prefix="fsnet-") as folder:
            folder, model = pathlib.Path(folder), pathlib.Path(folder, "model")
            arguments = [command.option(folder, key, value) for key, value in keys.items() if value is not None]
            if verb == "fit":
                arguments.append(f"--save={model}")
            path = command.write(folder, X, names, {"y": y, **rows})
            answer = command.run([verb, path, *arguments, *options], folder, self.verbose)
            return answer, model.read_bytes() if verb == "fit" else None

    def _predictions(self, X, paired=None, nuisance=None):
        check_is_fitted(self)
        names = [s.name for s in self.selected_]
        if hasattr(X, "columns") and not hasattr(self, "feature_names_in_") and set(names) <= set(X.columns):
            X = check_array(X[names], **self._kind())
        else:
            X = validate_data(self, X, reset=False, **self._kind())
            X = X.tocsc() if hasattr(X, "tocsc") else X
            X = X[:, [s.column for s in self.selected_]]
        X = X.toarray() if hasattr(X, "toarray") else X
        rows = self._texts_of(X, paired=paired, nuisance=nuisance)
        with tempfile.TemporaryDirectory(prefix="fsnet-") as folder:
            folder, model = pathlib.Path(folder), pathlib.Path(folder, "model")
            model.write_bytes(self.model_)
            missing = ["--missing=error"] if self.missing == "drop" else []  # every row gets a prediction
            return command.run(["predict", model, command.write(folder, X, names, rows), *missing], folder)

    def _kind(self):
        """Returns the checks that scikit-learn makes on X."""
        return {"accept_sparse": ("csr", "csc", "coo"), "ensure_all_finite": "allow-nan" if self.missing in ("mean", "drop") else True}

    def _choose(self, selected):
        """Sets selected_ to the chosen features of an answer, by rank."""
        self.selected_ = []
        for feature, effect in ((f, f.get("effect", {})) for f in selected):
            more = {"size": effect.get("size", np.nan), "higher_in": self._classes([effect["class"]]).item() if "class" in effect else None}
            more |= {"chosen_by": feature.get("chosen_by") or None, "replaced": (feature.get("replaced") or {}).get("name")}
            self.selected_.append(Selected(feature["name"], feature["index"], float(feature["probability"]), **more))

    def _get_support_mask(self):
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[[s.column for s in self.selected_]] = True
        return mask

    def get_feature_names_out(self, input_features: Rows = None) -> np.ndarray:
        """Returns the names of the selected features in the order of their columns, as transform has them."""
        check_is_fitted(self)
        if input_features is None and not hasattr(self, "feature_names_in_"):  # a loaded model knows no others
            return np.array([s.name for s in sorted(self.selected_, key=lambda s: s.column)], dtype=object)
        return super().get_feature_names_out(input_features)

    def save(self, path: str | os.PathLike) -> None:
        """Writes the model as fsnet fit --save does: fsnet predict, fsnetlab and Go programs read it. It holds no rows of X."""
        check_is_fitted(self)
        pathlib.Path(path).write_bytes(self.model_)

    @classmethod
    def load(cls, path: str | os.PathLike):
        """Reads a model that save or fsnet fit --save wrote; its classes are texts. It predicts arrays with the d columns of the
        training, and DataFrames with the columns of its features."""
        content = pathlib.Path(path).read_bytes()
        try:
            length = struct.unpack("<Q", content[:8])[0]
            header = json.loads(content[8 : 8 + length])
            metadata = header["__metadata__"]
            settings, names = json.loads(metadata["settings"]), json.loads(metadata["selected"])
        except (struct.error, ValueError, KeyError, TypeError):
            raise ValueError(f"{path} is not a saved model of fsnet - name a file that fsnet fit --save wrote") from None
        if (settings["task"] == "regression") != (cls._task == "regression"):
            other = "a quantity - use FsNetRegressor.load" if cls is FsNet else "classes - use FsNet.load"
            raise ValueError(f"{path} is a model of {other}")
        places = {name: slice(*header[f"selected/{name}"]["data_offsets"]) for name in ("index", "probability")}
        index, probability = (np.frombuffer(content[8 + length :][places[n]], t).tolist() for n, t in zip(places, ("<i8", "<f8")))
        parameters = {name: settings[name] for name in ("protocol", "test_fraction", "missing")}
        model = cls(settings["k"], random_state=settings["seed"], **parameters)
        model.model_, model.n_features_in_, model.seed_ = content, int(metadata["features"]), settings["seed"]
        model._labels(np.array(json.loads(metadata["classes"])))
        reasons = json.loads(metadata.get("reasons", "null")) or [{}] * len(names)
        model._choose([{"name": n, "index": i, "probability": p, **r} for n, i, p, r in zip(names, index, probability, reasons)])
        return model


class FsNet(ClassifierMixin, _FsNet):
    """Chooses K features that tell classes apart, and predicts the classes from them.

    n_features_to_select is K, random_state the seed: an integer gives the genes of fsnet fit --seed on the same rows, to the bit. Every
    other parameter is a key of fsnet fit by its name (docs/reference.md), lambda_ for lambda; None is the command's default.
    test_fraction is 0 here: all rows are trained on. must and never also take lists of names, cost and feature_groups dicts,
    class_weight a dict of weights by class. verbose shows progress on a terminal and in a notebook.

    After fit: selected_, the K features by rank; classes_; result_, the object of fsnet fit --json; seed_; model_, the bytes of save.
    """

    _task = "classification"

    def _labels(self, y):
        """Keeps the classes and returns each row's class as the text that fsnet sees."""
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        texts = [re.sub("[\x00-\x1f\x7f-\x9f]", " ", str(label)).strip() for label in self.classes_.tolist()]
        self._texts = [re.sub(r"^(-?\d+)\.0$", r"\1", text) for text in texts]  # fsnet reads 1.0 as 1
        if len(set(self._texts)) < len(self._texts):
            raise ValueError(f"two classes of y read alike, among {self._texts[:8]} - give them names without blanks and .0 at their ends")
        return np.array(self._texts)[codes]

    def _classes(self, texts):
        place = {text: c for c, text in enumerate(self._texts)}
        return self.classes_[[place[text] for text in texts]]

    def predict(self, X: Any, *, paired: Rows = None, nuisance: Rows = None) -> np.ndarray:
        """Returns the class of each of n rows, n values of classes_. paired and nuisance are as for fit."""
        return self._classes([p["class"] for p in self._predictions(X, paired, nuisance)["predictions"]])

    def predict_proba(self, X: Any, *, paired: Rows = None, nuisance: Rows = None) -> np.ndarray:
        """Returns the probability of each class, n×C in the order of classes_, rows summing to 1."""
        answer = self._predictions(X, paired, nuisance)
        order = [answer["classes"].index(text) for text in self._texts]
        return np.array([p["probabilities"] for p in answer["predictions"]])[:, order]


class FsNetRegressor(RegressorMixin, _FsNet):
    """Chooses K features that tell a quantity, and predicts the quantity from them: FsNet with R² as its score."""

    _task = "regression"

    def _labels(self, y):
        return y

    def predict(self, X: Any, *, paired: Rows = None, nuisance: Rows = None) -> np.ndarray:
        """Returns the quantity of each of n rows, in the units of y. paired and nuisance are as for fit."""
        return np.array([p["quantity"] for p in self._predictions(X, paired, nuisance)["predictions"]])
