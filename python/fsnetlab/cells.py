"""FsNet on AnnData: results have the layout of scanpy's rank_genes_groups."""

from typing import Any

import numpy as np

from .estimators import FsNet, FsNetRegressor


def select(
    adata: Any, label: str, k: int = 10, layer: str | None = None, *, task: str = "classification", key: str = "fsnet", **keys: Any
) -> FsNet | FsNetRegressor:
    """Chooses k genes that tell the classes, or with task="regression" the quantity, in a column of adata.obs; returns the model.

    It reads adata.X, or a layer: n cells × d genes, dense or sparse, normalised and logarithmic. keys are parameters of FsNet, with
    random_state 0 unless it is given; groups, sample_weight, paired and nuisance name columns of adata.obs.

    adata.var gets fsnet_rank, from 1, and fsnet_probability, 0 to 1, NaN for other genes. adata.uns["fsnet"] has names and scores of the
    chosen genes for each class, as scanpy.get.rank_genes_groups_df reads them: Cohen's d of the class against all other cells, in
    standard deviations, or Pearson's r of a quantity. FsNet gives no p-values and no fold changes; these are NaN.
    """
    model, X, y, rows = _prepare(adata, label, k, layer, task, keys)
    model.fit(X, y, **rows)
    rank = np.full(adata.n_vars, np.nan)
    probability = rank.copy()
    for place, gene in enumerate(model.selected_, 1):
        rank[gene.column], probability[gene.column] = place, gene.probability
    adata.var[f"{key}_rank"], adata.var[f"{key}_probability"] = rank, probability
    scores = _effects(model, X, y, label)
    names = np.array([adata.var_names[gene.column] for gene in model.selected_], dtype=object)
    order = {group: np.argsort(-values, kind="stable") for group, values in scores.items()}
    record = {"params": _params(model, label, layer, model.seed_)}
    record["names"] = _table({group: names[by] for group, by in order.items()}, object)
    record["scores"] = _table({group: scores[group][by] for group, by in order.items()}, np.float32)
    for column in ("logfoldchanges", "pvals", "pvals_adj"):
        record[column] = _table({group: np.full(len(names), np.nan) for group in scores}, np.float64)
    adata.uns[key] = record
    return model


def stability(
    adata: Any, label: str, k: int = 10, layer: str | None = None, *, pairs: int = 20, task: str = "classification", key: str = "fsnet",
    **keys: Any,
) -> Any:  # fmt: skip
    """Repeats the choice on pairs of halves of the cells, as fsnet stability does; returns a DataFrame with a line per gene.

    adata.var gets fsnet_frequency, the share of half-samples that chose the gene, fsnet_group_frequency, the share that chose it or a
    look-alike (NaN if not counted), and fsnet_word: certain, likely, a lead, replaceable, not repeated or nothing. All
    that fsnet stability --json prints is in adata.uns["fsnet_stability"], tables as DataFrames. Other arguments are those of select.
    """
    import pandas as pd

    model, X, y, rows = _prepare(adata, label, k, layer, task, keys)
    answer = model.stability(X, y, pairs=pairs, **rows)
    genes = pd.DataFrame(answer["genes"])
    frequency, group = np.zeros(adata.n_vars), np.full(adata.n_vars, np.nan)
    words = np.full(adata.n_vars, "", dtype=object)
    for gene in answer["seen"]:
        frequency[gene["index"]] = gene["seen"] / answer["done"]
    for gene in answer["genes"]:
        group[gene["index"]], words[gene["index"]] = gene["group"] / answer["done"], gene["word"]
    adata.var[f"{key}_frequency"], adata.var[f"{key}_group_frequency"], adata.var[f"{key}_word"] = frequency, group, words
    figures = {name: value for name, value in {**answer["stability"], **(answer["decoys"] or {})}.items() if np.isscalar(value)}
    adata.uns[f"{key}_stability"] = {"params": _params(model, label, layer, answer["seed"]), "half_samples": answer["done"], **figures}
    return genes


def _prepare(adata, label, k, layer, task, keys):
    """Returns a model, the measurements, the labels, and the columns of obs that keys name."""
    rows = {name: keys.pop(name) for name in ("groups", "sample_weight", "paired", "nuisance") if name in keys}
    for column in (label, *rows.values()):
        if column not in adata.obs:
            raise ValueError(f"adata.obs has no column {column!r} - it has {', '.join(map(str, adata.obs.columns))}")
        if missing := int(adata.obs[column].isna().sum()):
            raise ValueError(f"{missing} of {adata.n_obs} cells have no {column} - leave them out: adata[adata.obs[{column!r}].notna()]")
    if layer is not None and layer not in adata.layers:
        raise ValueError(f"adata has no layer {layer!r} - it has {', '.join(adata.layers) or 'none'}")
    X = adata.X if layer is None else adata.layers[layer]
    X = X.to_memory() if hasattr(X, "to_memory") else X if hasattr(X, "toarray") else np.asarray(X)  # it may still be in a file
    kinds = {"classification": FsNet, "regression": FsNetRegressor}
    if task not in kinds:
        raise ValueError(f"task = {task!r} - use {' or '.join(kinds)}")
    model = kinds[task](k, **{"random_state": 0, **keys})
    model._names = list(adata.var_names)  # arrays and sparse X have no names
    return model, X, adata.obs[label].to_numpy(), {name: adata.obs[column].to_numpy() for name, column in rows.items()}


def _effects(model, X, y, label):
    """Returns for each class Cohen's d of the chosen genes, by rank, over all cells; Pearson's r for a quantity."""
    chosen = X[:, [gene.column for gene in model.selected_]]
    chosen = np.asarray(chosen.toarray() if hasattr(chosen, "toarray") else chosen, dtype=float)
    with np.errstate(divide="ignore", invalid="ignore"):
        if isinstance(model, FsNetRegressor):
            y = (y - y.mean()) / y.std()
            return {label: np.nan_to_num(((chosen - chosen.mean(0)) / chosen.std(0) * y[:, None]).mean(0))}
        scores = {}
        for name in model.classes_:
            here, rest = chosen[y == name], chosen[y != name]
            squares = ((here - here.mean(0)) ** 2).sum(0) + ((rest - rest.mean(0)) ** 2).sum(0)
            scores[str(name)] = np.nan_to_num((here.mean(0) - rest.mean(0)) / np.sqrt(squares / (len(chosen) - 2)))
        return scores


def _params(model, label, layer, seed):
    """Returns the parameters of one result: those that scanpy reads, and K, seed and layer, with which the choice is repeated."""
    params = {"groupby": label, "reference": "rest", "method": "fsnet", "use_raw": False, "seed": seed, "k": model.n_features_to_select}
    return params if layer is None else params | {"layer": layer}


def _table(columns, kind):
    """Returns columns of one length as a structured array, as scanpy keeps them."""
    return np.rec.fromarrays([values.astype(kind) for values in columns.values()], dtype=[(name, kind) for name in columns])
