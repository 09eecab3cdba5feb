# shellcheck shell=bash
# What each stage of ./install.sh test does.

# stage_installation is not one to choose: most others need it. What the tests want of Python comes beside what users have, and is kept for
# other clones.
stage_installation() {
  local own status=0
  kept_environment "$test_python" "$root/install/python/tests.txt" &
  own=$!
  "$root/install.sh" install || status=$?
  wait "$own" || status=$?
  return "$status"
}

stage_format() {
  local files
  cd -- "$root"
  files=$(gofmt -l .)
  if [ -n "$files" ]; then
    printf '%s\n' "$files" "these are not formatted: run gofmt -w on them"
    return 1
  fi
  "$python" tests/lint/lines.py
}

stage_lint() {
  local linter
  golangci_binary
  linter=$(tool_directory golangci-lint "$golangci_version")/golangci-lint
  cd -- "$root"
  if grep -rlx --include='*.go' 'import "C"' cmd fsnet install internal kernel widgets; then
    echo "these use cgo: what it writes names this folder, and where Go's cache hands that to another clone, lint fails there"
    return 1
  fi
  GOFLAGS="${GOFLAGS:-} -trimpath" CGO_ENABLED=1 "$linter" run --allow-parallel-runners ./...
}

# Packages in which goroutines meet, whose tests link no XLA: the detector sees nothing of what XLA compiles. The kernel's own tests take
# minutes with it, so they are raced with all.
raced=(./kernel/jupyter ./kernel/magic ./kernel/gopls ./kernel/internal/... ./widgets/ipywidgets ./widgets/views
  ./fsnet/session)
# Kills, floods and rows of cells of the kernel, and trainings that take long.
long_tests='^(TestBenchKernel(Row|Flood|Kills)?$|TestAFloodOf|TestCellSocket|TestReplicasOfManyGenes|TestCAETakes|TestOlderEmitters)'

stage_unit() {
  if [ -n "${FSNET_TEST_ALL:-}" ]; then
    go_tests unit ./kernel ./...
  else
    go_tests unit -skip "$long_tests" ./kernel ./...
  fi
}

stage_race() {
  local -a packages=("${raced[@]}")
  if [ -n "${FSNET_TEST_ALL:-}" ]; then packages=(./kernel "${packages[@]}"); fi
  go_tests race -race -short "${packages[@]}"
}

# go_trimmed is go_here with what other clones and the installation have compiled: the paths of this clone are left out.
go_trimmed() { GOFLAGS="${GOFLAGS:-} -trimpath" go_here "$@"; }

# go_tests STAGE ARGUMENT… runs Go tests. Their event stream is counted, not their text. The kernel's come first: they take longest to wait,
# and should not be alone at the end.
go_tests() {
  local stage=$1 status=0
  # What vet finds is the stage lint's; go_trimmed would trim what tests compile, too; what a debugger asks for takes half of the linker's time,
  # and its collector of garbage a fifth of the rest.
  local -a flags=(-trimpath -timeout 40m -vet=off '-ldflags=-s -w' -toolexec 'env GOGC=400')
  shift
  if [ -n "${CI:-}" ]; then flags+=(-count=1); fi
  cd -- "$root"
  {
    FSNET_TEST_UNOPTIMISED=1 go_here test -json "${flags[@]}" "$@" || status=$?
    printf '{"Action": "exit", "Status": %d}\n' "$status"
  } | "$python" "$root/install/gotest.py" "$results/counts/$stage" "$results/$stage" "$root/tests/quarantine.txt" || status=$?
  return "$status"
}

stage_install() { python_tests install; }

stage_notebooks() { python_tests notebooks; }

stage_browser() { python_tests browser; }

# python_tests STAGE [TEST…] runs those in its directory, or these.
python_tests() {
  cd -- "$root/tests"
  unset PYTHONPATH PYTHONHOME
  FSNET_TEST_COUNTS=$results/counts/$1 FSNET_TEST_MEASURED=$results/$1.measured \
    PATH=$bin:$test_python/bin:$PATH PYTHONDONTWRITEBYTECODE=1 \
    "$test_python/bin/python" -m pytest -p no:cacheprovider -v -ra --durations=5 --tb=short --color=no "${@:$(($# > 1 ? 2 : 1))}"
}
