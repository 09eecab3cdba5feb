#!/usr/bin/env bash
# build.sh FOLDER builds what the stage gpu runs: the program, and Go's tests of what trains. It needs no GPU; the folder can be carried to a
# machine that has one and no Go. There, in a copy of the same clone: FSNET_GPU_BINARIES=FOLDER python3 -m pytest tests/gpu
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.."
mkdir -p "$1"
go build -trimpath '-ldflags=-s -w' -o "$1/fsnet" ./cmd/fsnet
go test -c -trimpath -vet=off '-ldflags=-s -w' -o "$1/" ./fsnet/{nn,device,engine,train,host}
