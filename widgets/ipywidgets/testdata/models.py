"""Writes models.json: what the Python package ipywidgets says of the model that this package makes.

    pip install ipywidgets==8.1.9 anywidget==0.11.0 && python models.py > models.json

ipywidgets and anywidget are the reference implementation of the Jupyter widget protocol (licences BSD-3-Clause and MIT); the facts
here are names, types and defaults, as in packages/schema/jupyterwidgetmodels.latest.json of ipywidgets.
"""

import importlib.metadata
import json
import sys

import anywidget
import ipywidgets as w
import traitlets as t
from ipywidgets.widgets.trait_types import InstanceDict

WANTED = {"ipywidgets": "8.1.9", "anywidget": "0.11.0"}


def kind(trait):
    if isinstance(trait, (t.Instance, InstanceDict)) and issubclass(trait.klass, w.Widget):
        return "reference"
    for types, name in (
        ((t.Bool,), "bool"),
        ((t.CInt, t.Int), "int"),
        ((t.CFloat, t.Float), "float"),
        ((t.Unicode, t.Enum, t.CaselessStrEnum, w.Color), "string"),
        ((t.List, t.Tuple, w.widget_box.TypedTuple), "array"),
        ((t.Dict,), "object"),
    ):
        if isinstance(trait, types):
            return name
    return "any"


def describe(cls):
    instance = cls()
    state, keys = instance.get_state(), {}
    for name in sorted(instance.keys):
        trait = instance.traits()[name]
        entry = {"type": kind(trait), "none": bool(trait.allow_none) or state[name] is None}
        if entry["type"] != "reference":
            entry["default"] = state[name]
        keys[name] = entry
    return keys


def main():
    for package, version in WANTED.items():
        have = importlib.metadata.version(package)
        assert have == version, f"{package} {have}: install {version}"
    models = {"AnyWidget": describe(type("Any", (anywidget.AnyWidget,), {"_esm": "export default {}", "_css": ""}))}
    json.dump({"source": WANTED, "protocol": w._version.__protocol_version__, "models": models}, sys.stdout, indent=1, sort_keys=True)
    print()


main()
