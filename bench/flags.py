#!/usr/bin/env python3
"""Measures fsnet on a GPU under sets of XLA's flags, and whether two fits still give the same bytes: python bench/flags.py --fsnet PATH"""
import argparse, json, os, pathlib, subprocess, sys, tempfile

GRAPHS = "--xla_gpu_enable_command_buffer=FUSION,CUBLAS,CUBLASLT,CUSTOM_CALL,CUDNN,CONDITIONAL,WHILE --xla_gpu_graph_min_graph_size=1"
SETS = {"ours": "", "autotuned": "--xla_gpu_autotune_level=4", "command buffers": GRAPHS, "cuBLAS alone": "--xla_gpu_enable_triton_gemm=false"}
STEP = "--epochs 300 --screen 0 --batch 8 --sharpness 1 --repulsion 0 --no-ratio --json".split()
SIZES = [(7129, 10, 1000), (7129, 50, 1000), (100_000, 50, 400), (1_000_000, 50, 100)]  # features, K, steps


def arguments():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--fsnet", required=True, help="the fsnet program")
    p.add_argument("--backend", default="xla:cuda")
    p.add_argument("--sets", nargs="*", default=list(SETS), choices=list(SETS))
    p.add_argument("--most", type=int, default=1_000_000, help="the largest number of features")
    return p.parse_args()


def main():
    args = arguments()
    sizes = [s for s in SIZES if s[0] <= args.most]
    print("| flags | " + " | ".join(f"ms a step, d = {d}, K = {k}" for d, k, _ in sizes) + " | two fits |\n" + "|---" * (len(sizes) + 2) + "|")
    for name in args.sets:
        env = dict(os.environ, XLA_FLAGS=f"{os.environ.get('XLA_FLAGS', '')} {SETS[name]}".strip(), FSNET_PROGRAMS="off")

        def run(*words):
            done = subprocess.run([args.fsnet, *words, "--backend", args.backend], capture_output=True, text=True, env=env, timeout=900)
            if done.returncode:
                print(f"{name}: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
            return json.loads(done.stdout) if done.returncode == 0 else None

        cells = []
        for d, k, steps in sizes:
            data = ["ALLAML"] if d == 7129 else ["--d", str(d)]
            result = run("bench", *data, *STEP, "--k", str(k), "--steps", str(steps))
            cells.append(f"{result['ms_per_step']:.3f}" if result else "fails")
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder, f"{i}.safetensors") for i in (1, 2)]
            fits = [run("fit", "ALLAML", "--k", "10", "--seed", "1", "--screen", "0", "--json", "--save", str(f)) for f in files]
            same = "fail" if None in fits else "same bytes" if files[0].read_bytes() == files[1].read_bytes() else "**differ**"
        print(f"| {name} | " + " | ".join(cells) + f" | {same} |", flush=True)


if __name__ == "__main__":
    main()
