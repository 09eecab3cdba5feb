"""Writes models.json: what the Python package ipywidgets says of the model that this package makes.

    pip install ipywidgets==8.1.9 anywidget==0.11.0 && python models.py > models.json

ipywidgets and anywidget are the reference implementation of the Jupyter widget protocol (licences BSD-3-Clause and MIT); the facts
here are names and defaults, as in packages/schema/jupyterwidgetmodels.latest.json of ipywidgets.
"""

import importlib.metadata
import json
import sys

import anywidget
import ipywidgets as w
import traitlets as t
from ipywidgets.widgets.trait_types import InstanceDict

WANTED = {"ipywidgets": "8.1.9", "anywidget": "0.11.0"}


def defaults(cls):
    """The entries of a model with their defaults; one that refers to another widget, as layout does, is null."""
    instance = cls()
    state = instance.get_state()

    def refers(name):
        trait = instance.traits()[name]
        return isinstance(trait, (t.Instance, InstanceDict)) and issubclass(trait.klass, w.Widget)

    return {name: None if refers(name) else state[name] for name in sorted(instance.keys)}


def main():
    for package, version in WANTED.items():
        have = importlib.metadata.version(package)
        assert have == version, f"{package} {have}: install {version}"
    models = {"AnyWidget": defaults(type("Any", (anywidget.AnyWidget,), {"_esm": "export default {}", "_css": ""}))}
    json.dump({"source": WANTED, "protocol": w._version.__protocol_version__, "models": models}, sys.stdout, indent=1, sort_keys=True)
    print()


main()
