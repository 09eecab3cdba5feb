# shellcheck shell=bash
# What each stage of ./install.sh test does.

# GoMLX's Go backend steps behind the ends of its slices before it stops, which the race build's pointer check takes for an error.
race_flags=(-race -short '-gcflags=github.com/gomlx/compute/...=-d=checkptr=0')
# The detector sees nothing of what XLA compiles, which takes two thirds of the time where the code need not be fast.
race_xla=--xla_backend_optimization_level=0

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
  "$python" tests/lint/sizes.py
}

stage_vet() {
  cd -- "$root"
  go_trimmed vet ./...
}

stage_lint() {
  local linter
  golangci_binary
  linter=$(tool_directory golangci-lint "$golangci_version")/golangci-lint
  cd -- "$root"
  if grep -rlx --include='*.go' 'import "C"' cmd fsnet install internal kernel widgets; then
    echo "these use cgo: what it writes names this folder, and where Go's cache hands that to another clone, vet and lint fail there"
    return 1
  fi
  GOFLAGS="${GOFLAGS:-} -trimpath" CGO_ENABLED=1 "$linter" run ./...
  "$python" tests/lint/layers.py "$linter"
}

# Where race follows, the tests that it does in whole are left to it, and the packages that have no others: the detector's build does the
# same and sees more.
stage_unit() {
  local elsewhere
  local -a packages
  cd -- "$root"
  case " ${chosen[*]} " in
    *" race "*)
      { read -r _ && read -r elsewhere && read -r _ && read -r -a packages; } <<<"$(raced_tests)" || return 1
      go_tests unit -skip "$elsewhere" fsnetlab/kernel "${packages[@]}"
      ;;
    *) go_tests unit ./kernel ./... ;;
  esac
}

stage_race() {
  local tests
  local -a packages
  cd -- "$root"
  { read -r tests && read -r _ && read -r -a packages; } <<<"$(raced_tests)" || return 1
  go_race race -run "$tests" fsnetlab/kernel "${packages[@]}"
}

# raced_tests prints what install/raced says, which reads all of the code once for both stages.
raced_tests() {
  if [ ! -f "$results/raced" ]; then
    GOGC=400 go_trimmed run ./install/raced >"$results/raced.new" || return
    mv "$results/raced.new" "$results/raced"
  fi
  cat "$results/raced"
}

# go_trimmed is go_here with what other clones and the installation have compiled: the paths of this clone are left out.
go_trimmed() { GOFLAGS="${GOFLAGS:-} -trimpath" go_here "$@"; }

# go_tests STAGE ARGUMENT… runs Go tests. Their event stream is counted, not their text. The kernel's come first: they take longest to wait,
# and should not be alone at the end.
go_tests() {
  local stage=$1 status=0
  # What vet finds is the stage vet's; go_trimmed would trim what tests compile, too; what a debugger asks for takes half of the linker's time,
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

# go_race is go_tests with the race detector. The kernel's tests go on for most of the stage and mostly wait: where there are but two cores,
# two other packages go on beside them.
go_race() {
  local stage=$1
  local -a at_once=()
  shift
  if [ "$(getconf _NPROCESSORS_ONLN)" -le 2 ]; then at_once=(-p 3); fi
  XLA_FLAGS="${XLA_FLAGS:+$XLA_FLAGS }$race_xla" go_tests "$stage" "${race_flags[@]}" ${at_once[@]+"${at_once[@]}"} "$@"
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
