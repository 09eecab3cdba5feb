"""The step of docs/method.md in JAX: one jit around lax.scan over 50 steps.

plain  as one would write it: K×d and h'×d, jax.random
tuned  noise from a hash that XLA merges with its use, d×h' reconstruction weights, d×K selection once d·K > 300,000

Replicas are trainings under jax.vmap, with other noise and other batches.
"""
import functools, os

if not os.environ.get("BENCH_GPU"):
    os.environ["JAX_PLATFORMS"] = "cpu"
import jax, jax.numpy as jnp
import numpy as np
from common import *

args = arguments(["plain", "tuned"])
p, tuned = Problem(args), args.variant == "tuned"
by_feature = tuned and p.d * p.k > 300_000
phi, x_all, y_all = jnp.asarray(p.phi), jnp.asarray(p.x), jnp.asarray(p.y)
phi_t = jnp.asarray(p.phi.T.copy())


def mix(v):
    v = (v ^ (v >> 16)) * jnp.uint32(0x7FEB352D)
    v = (v ^ (v >> 15)) * jnp.uint32(0x846CA68B)
    return v ^ (v >> 16)


def uniform(key, shape):
    """Numbers from 0 to 1, above 0."""
    if not tuned:
        return jax.random.uniform(key, shape, minval=1e-7)
    index = jax.lax.iota(jnp.uint32, int(np.prod(shape))).reshape(shape)
    bits = mix(mix(index ^ key[0]) + key[1])
    return jax.lax.bitcast_convert_type((bits >> 9) | jnp.uint32(0x3F800000), jnp.float32) - (1 - 2.0 ** -24)


def keys_of(t, replica):
    if not tuned:
        return list(jax.random.split(jax.random.fold_in(jax.random.key(replica), t), 1 + DROPOUT_LAYERS))
    t = t.astype(jnp.uint32) + replica.astype(jnp.uint32) * jnp.uint32(1 << 20)
    words = [mix(jnp.uint32(i * 2654435769 % 2**32) + t * jnp.uint32(0x9E3779B9)) for i in range(2 + 2 * DROPOUT_LAYERS)]
    return list(zip(words[::2], words[1::2]))


def loss_of(theta, x, y, mask, hyper, keys):
    """The loss of a minibatch, a scalar: cross-entropy plus λ times the squared error of reconstruction, means over rows of mask 1. hyper is τ,
    two learning rates, λ and the dropout; keys are random, one for the Gumbel noise and one for each layer."""
    tau, _, _, lam, drop = hyper
    noise = lambda shape: -jnp.log(-jnp.log(uniform(keys[0], shape)))
    if by_feature:
        m = jax.nn.softmax((phi_t @ theta["ws"].T + noise((p.d, p.k))) / tau, axis=0)
        h = x @ m
    else:
        m = jax.nn.softmax((theta["ws"] @ phi + noise((p.k, p.d))) / tau, axis=1)
        h = x @ m.T
    rest = iter(keys[1:])

    def layer(h, w, b):
        h = h @ w + b
        h = jnp.maximum(h, SLOPE * h)
        return jnp.where(uniform(next(rest), h.shape) >= drop, h, 0) / (1 - drop)

    for i in range(3):
        h = layer(h, theta[f"e{i}w"], theta[f"e{i}b"])
    scores = h @ theta["cw"] + theta["cb"]
    for i in range(2):
        h = layer(h, theta[f"d{i}w"], theta[f"d{i}b"])
    back = h @ jnp.tanh(phi_t @ theta["wr"].T).T if tuned else h @ jnp.tanh(theta["wr"] @ phi)
    rows = mask.sum()
    class_loss = (-(y * jax.nn.log_softmax(scores)).sum(1) * mask).sum() / rows
    return class_loss + lam * (((x - back) ** 2).mean(1) * mask).sum() / rows


def step(replica, state, inputs):
    theta, squares = state
    t, rows, mask, hyper = inputs
    rows = (rows + replica) % len(x_all)
    loss, grads = jax.value_and_grad(loss_of)(theta, x_all[rows], y_all[rows], mask, hyper, keys_of(t, replica))
    squares = jax.tree.map(lambda s, g: DECAY * s + (1 - DECAY) * g * g, squares, grads)
    rate = lambda name: hyper[2] if name == "ws" else hyper[1]
    theta = {n: theta[n] - rate(n) * grads[n] / (jnp.sqrt(squares[n]) + EPSILON) for n in theta}
    return (theta, squares), loss


training = lambda replica, state, inputs: jax.lax.scan(functools.partial(step, replica), state, inputs)
scan = jax.jit(lambda state, inputs: training(jnp.int32(0), state, inputs), donate_argnums=0)
theta = {n: jnp.asarray(v) for n, v in p.theta.items()}
if args.replicas > 1:
    many = jax.vmap(training, in_axes=(0, 0, None))
    scan = jax.jit(lambda state, inputs: many(jnp.arange(args.replicas), state, inputs), donate_argnums=0)
    theta = {n: jnp.stack([v] * args.replicas) for n, v in theta.items()}
state = (theta, jax.tree.map(jnp.zeros_like, theta))


def advance(start, n):
    global state
    rows, masks, hypers = p.plan(start, n)
    state, losses = scan(state, (np.arange(start, start + n), rows, masks, hypers))
    return np.asarray(losses).reshape(-1, n).mean(0)


measure("JAX", args.variant, p, args.steps, advance, CHUNK)
