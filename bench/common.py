"""What the peers share: the inputs that fsnet bench --inputs wrote, the shapes of the parameters, the clock, and the line that each prints."""
import argparse, json, resource, struct, time
import numpy as np

SLOPE, DECAY, EPSILON, DROPOUT_LAYERS = 0.2, 0.9, 1e-7, 5
CHUNK = 50                    # steps a call, where a framework can make several
LOSS_FROM, LOSS_TO = 400, 500  # the steps whose mean loss must agree between the programs


def arguments(variants):
    p = argparse.ArgumentParser()
    p.add_argument("--inputs", required=True, help="file of fsnet bench --inputs")
    p.add_argument("--k", type=int, required=True)
    p.add_argument("--steps", type=int, default=1000)
    p.add_argument("--variant", choices=variants, default=variants[0])
    p.add_argument("--replicas", type=int, default=1, help="trainings in one program, where a framework can do so")
    return p.parse_args()


def load(path):
    """Reads the arrays of a safetensors file, by name."""
    kinds = {"F32": np.float32, "U32": np.uint32, "I64": np.int64, "F64": np.float64}
    with open(path, "rb") as f:
        (size,) = struct.unpack("<Q", f.read(8))
        header = json.loads(f.read(size))
        data = f.read()
    header.pop("__metadata__", None)
    return {n: np.frombuffer(data[t["data_offsets"][0]:t["data_offsets"][1]], kinds[t["dtype"]]).reshape(t["shape"]) for n, t in header.items()}


class Problem:
    """One training: arrays, shapes, and the parameters by name."""

    def __init__(self, args, hidden=(64, 32, 16)):
        f = load(args.inputs)
        self.phi, self.x, self.y, self.k = f["phi"], f["x"], f["y"], args.k
        self.rows, self.masks, self.hypers = f["rows"].astype(np.int32), f["masks"], f["hypers"][:, :5]
        assert (f["hypers"][:, 5] == 1).all() and (f["hypers"][:, 6] == 0).all(), "no peer has sharpness or repulsion: bench with --sharpness 1 --repulsion 0"
        self.b, self.d = self.phi.shape
        self.batch, self.classes, self.planned = self.rows.shape[1], self.y.shape[1], len(self.rows)
        e = list(hidden)
        shapes = [("ws", (self.k, self.b))]
        widths = [self.k] + e
        for i in range(len(e)):
            shapes += [(f"e{i}w", (widths[i], widths[i + 1])), (f"e{i}b", (widths[i + 1],))]
        shapes += [("cw", (e[-1], self.classes)), ("cb", (self.classes,))]
        back = e[::-1]
        for i in range(len(back) - 1):
            shapes += [(f"d{i}w", (back[i], back[i + 1])), (f"d{i}b", (back[i + 1],))]
        shapes.append(("wr", (e[0], self.b)))
        self.theta, at = {}, 0
        for name, shape in shapes:
            size = int(np.prod(shape))
            self.theta[name] = f["theta"][at:at + size].reshape(shape).copy()
            at += size
        assert at == len(f["theta"]), "other shapes than the file's: is --k right?"

    def plan(self, start, n):
        """Rows, masks and hyperparameters of n steps; the file's come again when they are used up."""
        i = np.arange(start, start + n) % self.planned
        return self.rows[i], self.masks[i], self.hypers[i]


def measure(framework, variant, p, steps, advance, chunk):
    """advance(start, n) makes n steps and returns their losses as an array on the host."""
    first = time.perf_counter()
    losses = list(advance(0, chunk))
    first = time.perf_counter() - first
    begin = time.perf_counter()
    losses += list(advance(len(losses), chunk))
    compile_seconds = max(0.0, first - (time.perf_counter() - begin))
    took = []
    while len(losses) < steps + 2 * chunk:
        begin = time.perf_counter()
        losses += list(advance(len(losses), chunk))
        took.append((time.perf_counter() - begin) * 1000 / chunk)
    took.sort()
    window = losses[LOSS_FROM:LOSS_TO]
    print(json.dumps({
        "framework": framework, "variant": variant, "k": p.k, "d": p.d, "batch": p.batch, "embedding": p.b, "steps": steps,
        "ms_per_step": took[len(took) // 2], "compile_seconds": compile_seconds,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6,
        "loss": float(np.mean(window)) if window else 0.0,
    }), flush=True)
