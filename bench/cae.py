"""The steps of the concrete autoencoder, ours (fsnet/baseline/deep/cae.go) and the same in PyTorch, in turn on one machine: ratios.

python cae.py [--k 10] [--repeats 5] [--epochs 120] [--compile] [--cores 2]

ALLAML, all 72 rows, batches of 16, Adam, the network d-K-64-32-16-32-64-d with LeakyReLU and dropout 0.2, temperatures 10 to 0.1, Gumbel
noise from each one's own generator. The time is that of a training without compilation, start and reading; beside it stands that of the
processor, which other work on the machine disturbs less (with --cores 1, or OMP_WAIT_POLICY=PASSIVE: PyTorch's threads else wait for one
another by computing, and on a busy machine take a hundred times as long). --compile
puts loss and gradient under torch.compile, which needs a C++ compiler. The mean loss of the last tenth of the steps must agree within 15 %.
"""

import argparse
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

BASELINE = pathlib.Path(__file__).resolve().parents[1] / "fsnet" / "baseline" / "deep"
sys.path.insert(0, str(BASELINE.parent / "testdata"))


def network(torch, k, d):
    layers, width = [], k
    for units in (64, 32, 16, 32, 64):
        layers += [torch.nn.Linear(width, units), torch.nn.LeakyReLU(0.2), torch.nn.Dropout(0.2)]
        width = units
    return torch.nn.Sequential(*layers, torch.nn.Linear(width, d))


def trained(torch, x, k, epochs, compiled):
    """Seconds and processor seconds of a training, without its first ten steps, and the mean loss of its last tenth."""
    n, d = x.shape
    torch.manual_seed(0)
    logits = torch.nn.Parameter(torch.nn.init.xavier_normal_(torch.empty(k, d)))
    net = network(torch, k, d)
    optimiser = torch.optim.Adam([logits, *net.parameters()], lr=1e-3, fused=True)

    def loss_of(batch, tau):
        gumbel = -torch.log(-torch.log(torch.rand(k, d).clamp_(1e-7, 1 - 1e-7)))
        m = torch.softmax((logits + gumbel) / tau, 1)
        return ((batch - net(batch @ m.T)) ** 2).mean()

    function = torch.compile(loss_of) if compiled else loss_of
    steps = epochs * math.ceil(n / 16)
    losses, order = [], None
    for step in range(steps):
        if step == 10:
            start, used = time.perf_counter(), time.process_time()
        at = step % math.ceil(n / 16)
        if at == 0:
            order = torch.randperm(n)
        optimiser.zero_grad()
        loss = function(x[order[16 * at : 16 * at + 16]], torch.tensor(10 * 0.01 ** ((step + 1) / steps)))
        loss.backward()
        optimiser.step()
        losses.append(loss.detach())
    share = steps / (steps - 10)
    return (time.perf_counter() - start) * share, (time.process_time() - used) * share, float(torch.stack(losses[-steps // 10 :]).mean())


def ours(binary, k, epochs):
    environment = dict(os.environ, FSNET_CAE=f"{k},{epochs}")
    out = subprocess.run([binary, "-test.run", "^$", "-test.bench", "^BenchmarkCAE$", "-test.benchtime", "1x"], cwd=BASELINE, env=environment, text=True, capture_output=True, check=True).stdout
    return tuple(float(re.search(rf"([\d.e-]+) {unit}\b", out)[1]) for unit in ("seconds", "processor", "loss"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--epochs", type=int, default=120)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--compile", action="store_true")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: arguments.cores])
    import numpy as np
    import tables
    import torch

    torch.set_num_threads(arguments.cores)
    x, _ = tables.allaml()
    x = torch.from_numpy(x.astype(np.float32))
    steps = arguments.epochs * math.ceil(len(x) / 16)
    with tempfile.TemporaryDirectory() as folder:
        binary = os.path.join(folder, "deep.test")
        subprocess.run(["go", "test", "-c", "-o", binary, "."], cwd=BASELINE, check=True)
        pairs = []
        for _ in range(arguments.repeats):
            (mine, cpu, loss), (theirs, their_cpu, other) = ours(binary, arguments.k, arguments.epochs), trained(torch, x, arguments.k, arguments.epochs, arguments.compile)
            pairs.append((theirs / mine, their_cpu / cpu))
            print(f"ours {1000 * mine / steps:.2f} ms a step ({1000 * cpu / steps:.2f} of the processor), loss {loss:.3f}; "
                  f"PyTorch {torch.__version__} {1000 * theirs / steps:.2f} ms ({1000 * their_cpu / steps:.2f}), loss {other:.3f}", flush=True)
            if abs(loss - other) > 0.15 * other:
                sys.exit("the losses do not agree: these are not the same steps")
    for what, ratios in zip(("time", "processor time"), zip(*pairs)):
        print(f"K = {arguments.k}: PyTorch takes {statistics.median(ratios):.2f} times our {what} ({min(ratios):.2f} to {max(ratios):.2f})")


main()
