#!/usr/bin/env python3
"""Runs fsnet and its peers in turn on the same inputs and prints a table: python bench/run.py --fsnet PATH (see bench/README.md)."""
import argparse, json, os, pathlib, statistics, subprocess, sys, tempfile, time

HERE = pathlib.Path(__file__).resolve().parent
SCAN = "JAX jit + lax.scan"
PRECISE = dict(BENCH_GPU="1", JAX_DEFAULT_MATMUL_PRECISION="highest")  # fsnet's products on a GPU are in full precision
PROGRAMS = [  # name, file, variant, every how many rounds: what takes long to start or to compile is not the competition
    ("fsnet", None, None, 1),
    (SCAN, "peer_jax.py", "plain", 1),
    ("JAX, tuned by hand", "peer_jax.py", "tuned", 1),
    ("PyTorch, eager", "peer_torch.py", "eager", 3),
    ("PyTorch, compiled", "peer_torch.py", "compiled", 5),
    ("Keras on TensorFlow", "peer_keras.py", "train_on_batch", 5),
]


def arguments():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--fsnet", required=True, help="the fsnet program")
    p.add_argument("--data", default="ALLAML")
    p.add_argument("--d", type=int, help="planted data of this width instead")
    p.add_argument("--k", type=int, nargs="*", default=[10, 50])
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--steps", type=int, default=1000)
    p.add_argument("--gpu", nargs="?", const="xla:cuda", metavar="BACKEND", help="fsnet on xla:cuda, the peers on their GPU, JAX at fsnet's precision; then 1, 8 and 32 "
                   "replicas; --gpu xla:cpu rehearses that on the processor")
    p.add_argument("--replicas", type=int, nargs="*", help="then R trainings in one program, for each of these R")
    p.add_argument("--only", help="programs whose name holds this text, and fsnet")
    p.add_argument("--json", metavar="FILE", help="also write every single measurement, as soon as it is there")
    return p.parse_args()


def run(command, env):
    out = subprocess.run(command, capture_output=True, text=True, env=env, timeout=900)
    if out.returncode != 0:
        lines = (out.stderr.strip() or "no message").splitlines()
        raise RuntimeError(lines[-1][:200])
    return json.loads(out.stdout[out.stdout.index("{"):])


def main():
    args = arguments()
    if args.gpu and args.replicas is None:
        args.replicas = [1, 8, 32]
    env = dict(os.environ, **PRECISE) if args.gpu == "xla:cuda" else {k: v for k, v in os.environ.items() if k != "BENCH_GPU"}
    data = ["--d", str(args.d)] if args.d else [args.data]
    ours = [args.fsnet, "bench", *data, "--protocol", "fsnet", "--epochs", "300", "--screen", "0",
            "--batch", "8", "--sharpness", "1", "--repulsion", "0", "--backend", args.gpu or "xla:cpu"]
    programs = [p for p in PROGRAMS if p[1] is None or not args.only or args.only.lower() in p[0].lower()]
    found, dropped, rows = {}, {}, []
    began = time.time()

    def measure(name, k, command, replicas=1):
        """Runs a program and keeps what it measured. A program that fails says why, and returns None."""
        try:
            result = run(command, env)
        except (RuntimeError, subprocess.TimeoutExpired, ValueError, OSError) as e:
            print(f"{name}: does not run here: {e}", file=sys.stderr)
            return None, str(e)
        rows.append(dict(result, program=name, k=k, replicas=replicas))
        if args.json:
            pathlib.Path(args.json).write_text(json.dumps(rows, indent=1))
        print(f"{time.time() - began:4.0f} s  K={k}  {name}: {result['ms_per_step']:.4f} ms, loss {result['loss']:.4f}", file=sys.stderr)
        return result, ""

    with tempfile.TemporaryDirectory() as directory:
        for k in args.k:
            subprocess.run([*ours, "--k", str(k), "--steps", "1500", "--inputs", f"{directory}/{k}"], check=True, stderr=subprocess.DEVNULL)
        for turn in range(args.rounds):
            for k in args.k:
                for name, file, variant, every in programs:
                    if turn % every or name in dropped:
                        continue
                    steps = args.steps if every == 1 else max(args.steps // 2, 500)
                    if file:
                        command = [sys.executable, str(HERE / file), "--inputs", f"{directory}/{k}", "--k", str(k), "--variant", variant, "--steps", str(steps)]
                    else:
                        command = [*ours, "--k", str(k), "--steps", str(steps), "--json", "--no-ratio"]
                    result, why = measure(name, k, command)
                    if result:
                        found.setdefault((name, k), []).append(result)
                    else:
                        dropped[name] = why
    table(args, found, dropped)
    if args.replicas:
        replicas(args, ours, measure)
    return check(args, found)


def replicas(args, ours, measure):
    """The same steps of R trainings in one program, 50 a call: ours, and JAX's scan under vmap. Prints ms a step of one training."""
    vmap = SCAN + " under vmap"
    print(f"\n| R | fsnet | {vmap} |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([*ours, "--k", "10", "--steps", "1500", "--inputs", f"{directory}/in"], check=True, stderr=subprocess.DEVNULL)
        for r in args.replicas:
            mine = [*ours, "--k", "10", "--steps", str(args.steps), "--json", "--no-ratio", "--replicas", str(r)]
            peer = [sys.executable, str(HERE / "peer_jax.py"), "--inputs", f"{directory}/in", "--k", "10", "--replicas", str(r), "--steps", str(args.steps)]
            cells = []
            for name, command in (("fsnet", mine), (vmap, peer)):
                result, why = measure(name, 10, command, r)
                cells.append(f"{result['ms_per_step'] / r:.4f}" if result else why)
            print(f"| {r} | {cells[0]} | {cells[1]} |", flush=True)


def median(found, name, k, key):
    return statistics.median(r[key] for r in found[name, k])


def table(args, found, dropped):
    ks = args.k
    print("| | " + " | ".join(f"ms a step, K = {k} | fsnet is faster by" for k in ks) + " | peak memory, MB | compiles in, s |")
    print("|---" * (2 * len(ks) + 3) + "|")
    for name, *_ in PROGRAMS:
        if (name, ks[0]) not in found:
            continue
        cells = []
        for k in ks:
            if (name, k) not in found:
                cells += ["", ""]
                continue
            ms, by = median(found, name, k, "ms_per_step"), ""
            if name != "fsnet" and ("fsnet", k) in found:
                by = f"{ms / median(found, 'fsnet', k, 'ms_per_step'):.2f} ×"
            cells += [f"{ms:.2f}", by]
        memory = max(median(found, name, k, "peak_mb") for k in ks if (name, k) in found)
        seconds = median(found, name, ks[0], "compile_seconds")
        bold = "**" if name == "fsnet" else ""
        print(f"| {bold}{name}{bold} | " + " | ".join(cells) + f" | {memory:.0f} | {seconds:.1f} |")
    for name, why in dropped.items():
        print(f"\n{name} did not run: {why}")


def check(args, found):
    """The programs do the same arithmetic if their losses agree: with other noise, so within a few percent of one another."""
    status = 0
    for k in args.k:
        if ("fsnet", k) not in found:
            status = 1
            continue
        want = median(found, SCAN, k, "loss") if (SCAN, k) in found else median(found, "fsnet", k, "loss")
        if want == 0:
            print(f"K = {k}: fewer than 500 steps, so the losses are not compared", file=sys.stderr)
            continue
        for name, *_ in PROGRAMS:
            if (name, k) in found and abs(median(found, name, k, "loss") / want - 1) > 0.15:
                print(f"K = {k}: the loss of {name} after 400 steps is {median(found, name, k, 'loss'):.4f}, of the others {want:.4f}: not the same step", file=sys.stderr)
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
