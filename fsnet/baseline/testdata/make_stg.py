"""stg.json: what the package stg comes to, on small data with planted features.

python make_stg.py > stg.json

steps: 40 steps of the package's own trainer from the weights of the fixture. Its noise is replaced by ours, which is a hash of the seed,
the step and the index (fsnet/nn/loop_noise.go), so that every number can be compared.
selected: the gates that are open after 500 epochs with the package's own noise, those on which three seeds of it agree.
Both for classes and for quantities (target), which have mean 0 and standard deviation 1.
"""

import collections
import collections.abc
import json
import sys

import numpy as np
import torch

torch.set_num_threads(1)

for name in ("Sequence", "Set", "Mapping"):  # which the package asks for, and Python 3.10 moved
    setattr(collections, name, getattr(collections.abc, name))

from stg import STG

SEED = 7


def mix(x):
    x = (x ^ (x >> np.uint32(16))) * np.uint32(0x7FEB352D)
    x = (x ^ (x >> np.uint32(15))) * np.uint32(0x846CA68B)
    return x ^ (x >> np.uint32(16))


def mix64(x):
    """SplitMix64's finaliser."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def uniform(purpose, step, count):
    key = mix64(mix64(np.array([SEED], np.uint64) + np.uint64(0x9E3779B97F4A7C15)) + np.uint64((purpose << 32) + step))
    k0, k1 = key.astype(np.uint32), (key >> np.uint64(32)).astype(np.uint32)
    bits = mix(mix(np.arange(count, dtype=np.uint32) ^ k0) + k1)
    return ((bits >> np.uint32(9)) | np.uint32(0x3F800000)).view(np.float32) - np.float32(1 - 2.0**-24)


def normal(step, count):
    return np.sqrt(-2 * np.log(uniform(1, step, count))) * np.cos(np.float32(2 * np.pi) * uniform(2, step, count))


class OurNoise:
    """Stands where the package has its noise tensor."""

    def __init__(self, count):
        self.count, self.step = count, 0

    def normal_(self):
        self.step += 1
        return torch.from_numpy(normal(self.step - 1, self.count).astype(np.float32))


def data(n, d, classes, told):
    rng = np.random.RandomState(11 * d + classes)
    y = np.arange(n) % classes
    x = rng.normal(size=(n, d))
    for j in range(told):
        x[:, 3 * j + 1] += 3.0 * (y == j % classes)
    return np.round((x - x.mean(0)) / x.std(0), 3), y


def quantities(n, d):
    """A table of normal numbers and a quantity that depends on columns 1, 4 and, not linearly, 7."""
    x, _ = data(n, d, 2, 0)
    t = 1.5 * x[:, 1] - 1.2 * x[:, 4] + x[:, 7 % d] * np.abs(x[:, 7 % d])
    return x, ((t - t.mean()) / t.std()).round(7)


def package(x, y, classes, lam, seed):
    """classes is 0 for quantities."""
    torch.manual_seed(seed)
    return STG(device="cpu", task_type="classification" if classes else "regression", input_dim=x.shape[1], output_dim=classes or 1, hidden_dims=[60, 20], activation="tanh",
               optimizer="SGD", learning_rate=0.1, batch_size=len(x), feature_selection=True, sigma=0.5, lam=lam, weight_decay=1e-3)


def parameters(model):
    return {name: value for name, value in model._model.named_parameters()}


def known(y, classes):
    """What is known of the rows, for the fixture."""
    return dict(y=y.tolist(), classes=classes) if classes else dict(target=y.tolist())


def fit(model, x, y, classes, epochs):
    model.fit(x, y if classes else y[:, None], nr_epochs=epochs, verbose=False)


def steps(x, y, classes):
    model = package(x, y, classes, 0.5, 1)
    named = parameters(model)
    names = ["mu"] + [f"mlp.{layer}.{kind}" for layer in ("0.0", "1.0", "2") for kind in ("weight", "bias")]
    with torch.no_grad():
        for name in names:
            named[name].copy_(torch.round(named[name] * 10000) / 10000)
    first = [named[name].detach().numpy().T.round(4).astype(float).tolist() for name in names]
    model._model.FeatureSelector.noise = OurNoise(x.shape[1])
    fit(model, x, y, classes, 40)
    last = [named[name].detach().numpy().T.astype(float).round(7).tolist() for name in names]
    keep = [0, 5, 6]  # the gates and the last layer: all else is in them
    return dict(rows=x.tolist(), **known(y, classes), seed=SEED, steps=40, lam=0.5, first=first, last={str(i): last[i] for i in keep})


def selected(x, y, classes, lam):
    open_gates = []
    for seed in range(3):
        model = package(x, y, classes, lam, seed)
        fit(model, x, y, classes, 500)
        open_gates.append(set(np.flatnonzero(model._model.get_gates("prob") > 0).tolist()))
    agreed = set.intersection(*open_gates)
    print(classes, [sorted(s) for s in open_gates], file=sys.stderr)
    assert all(s == agreed for s in open_gates)
    return dict(rows=x.tolist(), **known(y, classes), lam=lam, selected=sorted(agreed))


json.dump(dict(
    steps=[steps(*data(24, 6, 3, 2), 3), steps(*quantities(24, 6), 0)],
    selected=[selected(*data(90, 16, 2, 2), 2, 1.0), selected(*data(90, 16, 3, 3), 3, 1.0), selected(*quantities(90, 16), 0, 1.0)],
), sys.stdout)
