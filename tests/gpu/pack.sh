#!/usr/bin/env bash
# pack.sh FILE.tar.xz [3.12] packs what once.sh runs on a machine that has a card and no Go, network or pytest: the programs of build.sh, the
# genes that a processor chooses, and wheels for that version of Python. It takes some minutes and writes about 30 MB.
set -euo pipefail
file=$(realpath -m -- "$1") version=${2:-3.12} folder=$(mktemp -d)
trap 'rm -rf -- "$folder"' EXIT
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."
tests/gpu/build.sh "$folder/programs"

declare -A epochs=([paper]='--epochs 400' [authors]='--epochs 40') # as in test_gpu.py
for protocol in fsnet paper authors stepwise; do
  # shellcheck disable=SC2086 # words
  "$folder/programs/fsnet" fit ALLAML --k 10 --seed 1 --protocol $protocol ${epochs[$protocol]-} --backend xla:cpu --json >"$folder/programs/$protocol.json"
done

names='pytest|pluggy|iniconfig|packaging|pygments|nbclient|nbformat|jupyter-c[a-z]+|traitlets|tornado|pyzmq|fastjsonschema|jsonschema'
names+='|jsonschema-specifications|referencing|rpds-py|platformdirs|attrs|python-dateutil|typing-extensions'
grep -E "^($names)==" install/python/tests.txt | tr -d '\\' >"$folder/names"
platforms=$(printf -- '--platform manylinux_2_%d_x86_64 ' 12 17 24 26 28)
# shellcheck disable=SC2086 # words
python3 -m pip download -q --no-deps --only-binary=:all: --python-version "$version" --implementation cp $platforms --platform manylinux2014_x86_64 \
  -d "$folder/wheels" -r "$folder/names"
tar -C "$folder" -c programs wheels | xz --lzma2=preset=2,dict=128MiB >"$file"
ls -l "$file"
