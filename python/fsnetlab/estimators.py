"""FsNet and FsNetRegressor: scikit-learn's selector and predictor over the command fsnet."""

from __future__ import annotations

import copy
import json
import numbers
import os
import pathlib
import re
import struct
import tempfile
import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import check_array, check_consistent_length, check_random_state, compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from . import command

SPARSE = ("csr", "csc", "coo")


class Selected(NamedTuple):
    """A chosen feature.

    probability is that of the feature in its selector's row of P, 0 to 1. higher_in is the class in which the feature stands out
    over the training rows, and size its Cohen's d there, in standard deviations, negative where it is lower; of a quantity
    higher_in is None and size Pearson's r. A model that was loaded knows neither.
    """

    name: str
    index: int  # column of X, from 0
    probability: float
    higher_in: Any = None
    size: float = float("nan")


class _FsNet(SelectorMixin, BaseEstimator):
    _names = None  # of the columns of X, where X itself does not have them

    def __init__(
        self, n_features_to_select=10, protocol="fsnet", random_state=None, *, test_fraction=0, missing="error", verbose=True,
        epochs=None, batch=None, learning_rate=None, learning_rate_decay=None, selector_learning_rate=None, selector_growth=None,
        lambda_=None, reconstruction=None, dropout=None, tau0=None, tau_end=None, schedule=None, tau_every=None, tau_pace=None,
        sharpness=None, sharpness_schedule=None, repulsion=None, embedding=None, bins=None, screen=None, must=None, never=None,
        cost=None, feature_groups=None, group_limit=None, standardize_embedding=None, selector_logits=None, predictor_hidden=None,
        hidden=None, selection=None, evaluation=None, scaling=None, split=None, validation_fraction=None, rows_per_class=None,
        class_weight=None, stop=None, split_seed=None, backend=None,
    ):  # fmt: skip
        for name, value in list(locals().items())[1:]:
            setattr(self, name, value)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.missing in ("mean", "drop")
        tags.target_tags.required = True
        return tags

    def __sklearn_is_fitted__(self):
        return hasattr(self, "selected_")  # scikit-learn would take lambda_ for something that was fitted

    def fit(self, X, y, *, groups=None, sample_weight=None, paired=None, nuisance=None):
        """Chooses the features of X that tell y, and trains the network that predicts from them.

        X: n×d numbers, an array, a DataFrame or sparse. y: n classes or quantities. groups, paired, nuisance: n values that say
        which rows belong together, form a pair, or were measured at one site. sample_weight: n weights; 0 leaves a row out. All rows
        are trained on unless test_fraction or validation_fraction keeps some.
        """
        self.result_, self.model_ = self._ask("fit", *self._read(X, y, groups, sample_weight, paired, nuisance))
        self._order = self.result_["classes"]
        self._choose(self.result_["selected"])
        return self

    def stability(self, X, y, *, pairs=20, groups=None, sample_weight=None, paired=None, nuisance=None):
        """Repeats the choice on pairs of halves of the rows, and returns the object of fsnet stability --json: a dict.

        It neither needs nor changes a fit. The other arguments are those of fit.
        """
        return copy.copy(self)._halves(pairs, X, y, groups, sample_weight, paired, nuisance)

    def _halves(self, pairs, X, y, groups=None, sample_weight=None, paired=None, nuisance=None):
        data = X, y, groups, sample_weight, paired, nuisance
        return self._ask("stability", *self._read(*data), f"--pairs={pairs}")[0]

    def _read(self, X, y, groups, sample_weight, paired, nuisance):
        """Checks data as scikit-learn does; returns X, the labels as fsnet reads them, and what it reads beside them, by key."""
        kind = {"accept_sparse": SPARSE, "ensure_all_finite": self._finite(), "ensure_min_samples": 2}
        X, y = validate_data(self, X, y, y_numeric=self._task == "regression", **kind)
        labels = self._labels(y)
        rows = {"groups": groups, "paired": paired, "nuisance": nuisance}
        rows = {name: np.asarray(values).astype(str) for name, values in rows.items() if values is not None}
        if sample_weight is not None:
            rows["row_weights"] = _check_sample_weight(sample_weight, X)
        if isinstance(self.class_weight, dict):
            rows["row_weights"] = rows.get("row_weights", 1) * compute_sample_weight(self.class_weight, y)
        check_consistent_length(X, *rows.values())
        return X, labels, rows

    def _ask(self, verb, X, y, rows, *options):
        """Returns what fsnet fit or stability answers, and the bytes of the model of a fit."""
        d, k = X.shape[1], self.n_features_to_select
        names = getattr(self, "feature_names_in_", self._names)
        names = [f"x{j}" if names is None or not names[j].strip() else names[j] for j in range(d)]
        if isinstance(k, numbers.Integral) and k > d:
            warnings.warn(f"n_features_to_select = {k} is more than the {d} features of X: all are selected", stacklevel=3)
            k = d
        seed = self.random_state
        self.seed_ = seed if isinstance(seed, numbers.Integral) else check_random_state(seed).randint(2**31 - 1)
        keys = self.get_params(deep=False)
        for name in ("n_features_to_select", "random_state", "verbose"):
            del keys[name]
        keys |= {"task": self._task, "k": k, "seed": self.seed_, "label": "y", "class_weight": None if isinstance(self.class_weight, dict) else self.class_weight}
        keys |= {name: name for name in rows}
        with tempfile.TemporaryDirectory(prefix="fsnet-") as folder:
            folder, model = pathlib.Path(folder), pathlib.Path(folder, "model")
            given = [command.option(folder, key, value) for key, value in keys.items() if value is not None]
            if verb == "fit":
                given.append(f"--save={model}")
            path = command.write(folder, X, names, {"y": y, **rows})
            answer = command.run([verb, path, *given, *options], folder, self.verbose)
            return answer, model.read_bytes() if verb == "fit" else None

    def _predictions(self, X, paired=None, nuisance=None):
        check_is_fitted(self)
        names = [s.name for s in self.selected_]
        kind = {"accept_sparse": SPARSE, "ensure_all_finite": self._finite()}
        if hasattr(X, "columns") and not hasattr(self, "feature_names_in_") and set(names) <= set(X.columns):
            X = check_array(X[names], **kind)
        else:
            X = validate_data(self, X, reset=False, **kind)
            X = X.tocsc() if hasattr(X, "tocsc") else X
            X = X[:, [s.index for s in self.selected_]]
        X = X.toarray() if hasattr(X, "toarray") else X
        rows = {name: np.asarray(values).astype(str) for name, values in (("paired", paired), ("nuisance", nuisance)) if values is not None}
        check_consistent_length(X, *rows.values())
        with tempfile.TemporaryDirectory(prefix="fsnet-") as folder:
            folder, model = pathlib.Path(folder), pathlib.Path(folder, "model")
            model.write_bytes(self.model_)
            missing = ["--missing=error"] if self.missing == "drop" else []  # every row gets a prediction
            return command.run(["predict", model, command.write(folder, X, names, rows), *missing], folder)["predictions"]

    def _finite(self):
        return "allow-nan" if self.missing in ("mean", "drop") else True

    def _choose(self, selected):
        """Takes the chosen features out of an answer, by rank."""
        self.selected_ = []
        for one in selected:
            effect = one.get("effect", {})
            higher_in = self._classes([effect["class"]]).item() if "class" in effect else None
            self.selected_.append(Selected(one["name"], one["index"], float(one["probability"]), higher_in, effect.get("size", float("nan"))))

    def _get_support_mask(self):
        check_is_fitted(self)
        mask = np.zeros(self.n_features_in_, dtype=bool)
        mask[[s.index for s in self.selected_]] = True
        return mask

    def get_feature_names_out(self, input_features=None):
        """Returns the names of the selected features in the order of their columns, as transform has them."""
        check_is_fitted(self)
        if input_features is None and not hasattr(self, "feature_names_in_"):  # a model that was loaded knows these alone
            return np.array([s.name for s in sorted(self.selected_, key=lambda s: s.index)], dtype=object)
        return super().get_feature_names_out(input_features)

    def save(self, path: str | os.PathLike) -> None:
        """Writes the model as fsnet fit --save does: fsnet predict, fsnetlab and Go programs read it. It holds no rows of X."""
        check_is_fitted(self)
        pathlib.Path(path).write_bytes(self.model_)

    @classmethod
    def load(cls, path: str | os.PathLike):
        """Reads a model that save or fsnet fit --save wrote. Its classes are texts.

        It predicts arrays that have the d columns of the training, and tables that have the columns of its features by name.
        """
        content = pathlib.Path(path).read_bytes()
        try:
            length = struct.unpack("<Q", content[:8])[0]
            header = json.loads(content[8 : 8 + length])
            about = header["__metadata__"]
            settings, names = json.loads(about["settings"]), json.loads(about["selected"])
        except (struct.error, ValueError, KeyError, TypeError):
            raise ValueError(f"{path} is not a saved model of fsnet - name a file that fsnet fit --save wrote") from None
        if (settings["task"] == "regression") != (cls._task == "regression"):
            other = FsNetRegressor if cls is FsNet else FsNet
            raise ValueError(f"{path} is a model of {'classes' if cls is not FsNet else 'a quantity'} - use {other.__name__}.load")
        columns = {}
        for name, kind in (("index", "<i8"), ("probability", "<f8")):
            begin, end = header[f"selected/{name}"]["data_offsets"]
            columns[name] = np.frombuffer(content[8 + length :][begin:end], kind).tolist()
        model = cls(settings["k"], settings["protocol"], settings["seed"], test_fraction=settings["test_fraction"], missing=settings["missing"])
        model.model_, model.n_features_in_, model.seed_ = content, int(about["features"]), settings["seed"]
        model._order = json.loads(about["classes"])
        model._labels(np.array(model._order))
        model._choose([{"name": n, "index": i, "probability": p} for n, i, p in zip(names, columns["index"], columns["probability"])])
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
            raise ValueError(f"two classes of y read alike: {sorted(self._texts)[:8]} - give them names that differ in more than blanks or .0")
        return np.array(self._texts)[codes]

    def _classes(self, texts):
        place = {text: c for c, text in enumerate(self._texts)}
        return self.classes_[[place[text] for text in texts]]

    def predict(self, X, *, paired=None, nuisance=None):
        """Returns the class of each of n rows, n values of classes_. paired and nuisance are as for fit."""
        return self._classes([p["class"] for p in self._predictions(X, paired, nuisance)])

    def predict_proba(self, X, *, paired=None, nuisance=None):
        """Returns the probability of each class, n×C in the order of classes_, rows summing to 1."""
        predictions = self._predictions(X, paired, nuisance)
        return np.array([p["probabilities"] for p in predictions])[:, [self._order.index(text) for text in self._texts]]


class FsNetRegressor(RegressorMixin, _FsNet):
    """Chooses K features that tell a quantity, and predicts the quantity from them: FsNet with R² as its score."""

    _task = "regression"

    def _labels(self, y):
        return y

    def predict(self, X, *, paired=None, nuisance=None):
        """Returns the quantity of each of n rows, in the units of y. paired and nuisance are as for fit."""
        return np.array([p["quantity"] for p in self._predictions(X, paired, nuisance)])
