"""The step of docs/method.md in PyTorch. eager: as one would write it; compiled: loss and gradient under torch.compile."""
import os
import torch
from common import *

args = arguments(["eager", "compiled"])
p = Problem(args)
device = "cuda" if os.environ.get("BENCH_GPU") else "cpu"
torch.manual_seed(0)
phi, x_all, y_all = (torch.tensor(v, device=device) for v in (p.phi, p.x, p.y))
theta = {n: torch.tensor(v, device=device, requires_grad=True) for n, v in p.theta.items()}
squares = {n: torch.zeros_like(v) for n, v in theta.items()}


def loss_of(theta, x, y, mask, tau, lam, drop):
    u = torch.rand(p.k, p.d, device=device).clamp_min(1e-7)
    gumbel = -torch.log((-torch.log(u)).clamp_min(1e-7))
    m = torch.softmax((theta["ws"] @ phi + gumbel) / tau, 1)
    h = x @ m.T

    def layer(h, w, b):
        h = torch.nn.functional.leaky_relu(h @ w + b, SLOPE)
        return h * (torch.rand_like(h) >= drop) / (1 - drop)

    for i in range(3):
        h = layer(h, theta[f"e{i}w"], theta[f"e{i}b"])
    scores = h @ theta["cw"] + theta["cb"]
    for i in range(2):
        h = layer(h, theta[f"d{i}w"], theta[f"d{i}b"])
    back = h @ torch.tanh(theta["wr"] @ phi)
    rows = mask.sum()
    class_loss = (-(y * torch.log_softmax(scores, 1)).sum(1) * mask).sum() / rows
    return class_loss + lam * (((x - back) ** 2).mean(1) * mask).sum() / rows


function = torch.compile(loss_of) if args.variant == "compiled" else loss_of


def advance(start, n):
    losses = torch.empty(n)
    plan = [torch.tensor(v, device=device) for v in p.plan(start, n)]
    for i in range(n):
        rows, mask, hyper = plan[0][i], plan[1][i], plan[2][i]
        loss = function(theta, x_all[rows], y_all[rows], mask, hyper[0], hyper[3], hyper[4])
        grads = torch.autograd.grad(loss, list(theta.values()))
        with torch.no_grad():
            for (name, v), g in zip(theta.items(), grads):
                s = squares[name]
                s.mul_(DECAY).addcmul_(g, g, value=1 - DECAY)
                v.sub_(hyper[2 if name == "ws" else 1] * g / (s.sqrt() + EPSILON))
        losses[i] = loss.detach()
    return losses.numpy()


measure("PyTorch", args.variant, p, args.steps, advance, CHUNK)
