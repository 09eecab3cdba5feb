#!/usr/bin/env bash
# once.sh FILE.tar.xz [OUT] runs the stage gpu in about ten minutes with what pack.sh packed, on a machine with a card and a Python that has
# JAX and its CUDA plugin. OUT gets a line for each figure as soon as it is there. FSNET_TEST_BACKEND=xla:cpu rehearses it on a processor.
set -euo pipefail
export FSNET_TEST_BACKEND=${FSNET_TEST_BACKEND:-xla:cuda}
out=$(realpath -m -- "${2:-${OUT:-tests/out/gpu}}") work=$(mktemp -d)
mkdir -p "$out"
python3 -c 'import sys, tarfile; tarfile.open(sys.argv[1]).extractall(sys.argv[2])' "$1" "$work"
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
python3 -m pip install -q --no-index --no-deps --no-compile --no-cache-dir --target "$work/site" "$work"/wheels/*.whl
if [ "$FSNET_TEST_BACKEND" = xla:cuda ]; then
  nvidia-smi --query-gpu=name,driver_version,memory.used,memory.total --format=csv,noheader | tee "$out/card"
  plugin=$(python3 -c 'import jax_plugins.xla_cuda13 as m, os; print(os.path.join(os.path.dirname(m.__file__), "xla_cuda_plugin.so"))')
  mkdir "$work/plugin"
  ln -s "$plugin" "$work/plugin/pjrt_c_api_cuda_plugin.so"
  export PJRT_PLUGIN_LIBRARY_PATH=$work/plugin
fi
export PYTHONPATH=$work/site${PYTHONPATH:+:$PYTHONPATH} PYTHONDONTWRITEBYTECODE=1 FSNET_GPU_BINARIES=$work/programs
export FSNET_GPU_SECONDS=${FSNET_GPU_SECONDS:-570} FSNET_TEST_MEASURED=$out/measured
python3 -m pytest -p no:cacheprovider -v -ra --durations=20 --tb=short --color=no gpu 2>&1 | tee "$out/log"
