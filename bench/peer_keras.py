"""The step of docs/method.md in Keras 3 on TensorFlow: layers of one's own, RMSprop and dropout of Keras, train_on_batch as in a loop."""
import os

if not os.environ.get("BENCH_GPU"):
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
os.environ.update(KERAS_BACKEND="tensorflow", TF_CPP_MIN_LOG_LEVEL="3")
import keras, tensorflow as tf
from common import *

args = arguments(["train_on_batch"])
p = Problem(args)
keras.utils.set_random_seed(0)
phi = tf.constant(p.phi)


class FsNet(keras.Model):
    def __init__(self):
        super().__init__()
        weight = lambda name: self.add_weight(name=name, shape=p.theta[name].shape, initializer=lambda shape, dtype=None: tf.constant(p.theta[name]))
        self.parts = {name: weight(name) for name in p.theta}
        self.tau = self.add_weight(name="tau", shape=(), trainable=False)
        self.drop = keras.layers.Dropout(float(p.hypers[0, 4]))
        self.lam = float(p.hypers[0, 3])

    def train_step(self, data):
        x, y, mask = data[0]
        with tf.GradientTape() as tape:
            w = self.parts
            u = tf.random.uniform((p.k, p.d), 1e-7, 1.0)
            h = x @ tf.transpose(tf.nn.softmax((w["ws"] @ phi - tf.math.log(-tf.math.log(u))) / self.tau, axis=1))
            layer = lambda h, n: self.drop(tf.nn.leaky_relu(h @ w[n + "w"] + w[n + "b"], SLOPE), training=True)
            for i in range(3):
                h = layer(h, f"e{i}")
            scores = h @ w["cw"] + w["cb"]
            for i in range(2):
                h = layer(h, f"d{i}")
            back = h @ tf.tanh(w["wr"] @ phi)
            rows = tf.reduce_sum(mask)
            loss = tf.reduce_sum(tf.nn.softmax_cross_entropy_with_logits(y, scores) * mask) / rows
            loss += self.lam * tf.reduce_sum(tf.reduce_mean((x - back) ** 2, 1) * mask) / rows
        names = list(self.parts)
        grads = dict(zip(names, tape.gradient(loss, [self.parts[n] for n in names])))
        self.optimizer.apply([grads[n] for n in names if n != "ws"])
        self.selector_optimizer.apply([grads["ws"]])
        return {"loss": loss}


model = FsNet()
model.compile(optimizer=keras.optimizers.RMSprop(float(p.hypers[0, 1]), rho=DECAY, epsilon=EPSILON))
model.selector_optimizer = keras.optimizers.RMSprop(float(p.hypers[0, 2]), rho=DECAY, epsilon=EPSILON)
model.optimizer.build([v for n, v in model.parts.items() if n != "ws"])
model.selector_optimizer.build([model.parts["ws"]])


def advance(start, n):
    losses = []
    for rows, mask, hyper in zip(*p.plan(start, n)):
        model.tau.assign(hyper[0])
        losses.append(float(model.train_on_batch((p.x[rows], p.y[rows], mask), return_dict=True)["loss"]))
    return losses


measure("Keras", args.variant, p, args.steps, advance, CHUNK)
