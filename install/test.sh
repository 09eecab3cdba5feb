# shellcheck shell=bash
# Every check there is, each a stage with a time, a log and counts.

test_stages='format lint unit race install notebooks browser'
more_stages='gpu' # which run only where they are named
golangci_version=v2.11.4

# --- What each stage does.

# stage_installation is not one to choose: most others need it. What the tests want of Python comes beside what users have, and is kept for
# other clones.
stage_installation() {
  local own status=0
  kept "$test_python" bin/python python_environment "$root/install/python/tests.txt" &
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
  "$python" tests/lint/shapes.py
  "$python" tests/mutations.py --check
}

# stage_lint works below a link that all clones share, for the linter keeps what it has found in a package by the paths of its files. While
# another clone has the link it begins anew, which takes minutes.
stage_lint() {
  local linter clone=$cache/tools/clone
  linter=$(tool_directory golangci-lint "$golangci_version")
  kept "$linter" golangci-lint build_golangci
  cd -- "$root"
  if grep -rlx --include='*.go' 'import "C"' cmd fsnet install internal kernel widgets; then
    echo "these use cgo: what it writes names this folder, and where Go's cache hands that to another clone, lint fails there"
    return 1
  fi
  find "${clone%/*}" -maxdepth 1 -name clone -mmin +60 -exec rm -f {} + # of a run that was killed
  if ln -sn "$root" "$clone" 2>/dev/null; then
    trap 'rm -f -- "$cache/tools/clone"' EXIT
    cd -- "$clone"
  fi
  GOFLAGS="${GOFLAGS:-} -trimpath" CGO_ENABLED=1 "$linter/golangci-lint" run --allow-parallel-runners ./...
}

build_golangci() { GOFLAGS='' GOBIN=$1 go_here install -v "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$golangci_version"; }

# Kills, floods and rows of cells of the kernel, and trainings that take long.
long_tests='^(TestBenchKernel(Row|Flood|Kills)?$|TestAFloodOf|TestCellSocket|TestReplicasOfManyGenes|TestCAETakes|TestOlderEmitters)'

stage_unit() {
  local skipped=$long_tests
  if [ -n "${FSNET_TEST_ALL:-}" ]; then skipped='^$'; fi
  go_tests unit -skip "$skipped" ./kernel ./...
}

# stage_race is of packages in which goroutines meet, whose tests link no XLA: the detector sees nothing of what XLA compiles. The kernel's
# own tests take minutes with it.
stage_race() {
  go_tests race -race -short ${FSNET_TEST_ALL:+./kernel} ./kernel/jupyter ./kernel/magic ./kernel/gopls ./kernel/internal/... \
    ./widgets/ipywidgets ./widgets/views ./fsnet/session
}

# go_tests STAGE ARGUMENT… runs Go tests. Their event stream is counted, not their text. The kernel's come first: they take longest to wait,
# and should not be alone at the end.
go_tests() {
  local stage=$1 status=0
  # What vet finds is the stage lint's; -trimpath in GOFLAGS would trim what tests compile, too; what a debugger asks for takes half of the
  # linker's time, and its collector of garbage a fifth of the rest.
  local -a flags=(-trimpath -timeout 40m -vet=off '-ldflags=-s -w' -toolexec 'env GOGC=400')
  if [ -n "${CI:-}" ]; then flags+=(-count=1); fi
  cd -- "$root"
  {
    FSNET_TEST_UNOPTIMISED=1 go_here test -json "${flags[@]}" "${@:2}" || status=$?
    printf '{"Action": "exit", "Status": %d}\n' "$status"
  } | "$python" "$root/install/gotest.py" "$results/counts/$stage" "$results/$stage" "$root/tests/quarantine.txt"
}

stage_install() { python_tests install; }

stage_notebooks() { python_tests notebooks; }

stage_browser() { python_tests browser; }

# stage_gpu trains on the first NVIDIA GPU, or on the backend that $FSNET_TEST_BACKEND names.
stage_gpu() {
  export FSNET_TEST_BACKEND=${FSNET_TEST_BACKEND:-xla:cuda}
  if [ "$FSNET_TEST_BACKEND" = xla:cuda ]; then
    if ! nvidia-smi -L >/dev/null; then
      note "skipped: nvidia-smi finds no NVIDIA GPU here"
      echo '0 0 1' >"$results/counts/gpu"
      return
    fi
    if [ -z "$cuda_plugin" ]; then
      echo 'no CUDA plugin: run ./install.sh --cuda, or link one as docs/install.md says'
      return 1
    fi
    export PJRT_PLUGIN_LIBRARY_PATH=${cuda_plugin%/*}${PJRT_PLUGIN_LIBRARY_PATH:+:$PJRT_PLUGIN_LIBRARY_PATH}
  fi
  python_tests gpu
}

# python_tests STAGE runs those in its directory.
python_tests() {
  cd -- "$root/tests"
  unset PYTHONPATH PYTHONHOME
  FSNET_TEST_COUNTS=$results/counts/$1 FSNET_TEST_MEASURED=$results/$1.measured \
    PATH=$bin:$test_python/bin:$PATH PYTHONDONTWRITEBYTECODE=1 \
    "$test_python/bin/python" -m pytest -p no:cacheprovider -v -ra --durations=5 --tb=short --color=no "$1"
}

# --- Which go on beside which, and what is said of them.

# verb_test [all] [STAGE…] runs all stages or those named, in their order; all adds what takes minutes and guards what few changes
# touch. The last line is "N passed, N failed, N skipped".
verb_test() {
  local stage failed=0 began=$SECONDS
  if [ "${1-}" = all ]; then
    export FSNET_TEST_ALL=yes
    shift
  fi
  chosen=" ${*:-$test_stages} "
  for stage in $chosen; do
    case " $test_stages $more_stages " in
      *" $stage "*) ;;
      *) fail "unknown stage $stage" "all, or some of $test_stages $more_stages" 2 ;;
    esac
  done
  own "$cache/tools" "$root"/tests/{.home,out}
  check_machine
  isolate
  anew "$results"
  mkdir "$results/counts"
  run_stages format # it reads what the installation copies to below this folder
  case $chosen in
    *" unit "* | *" race "* | *" install "* | *" notebooks "* | *" browser "* | *" gpu "*)
      chosen=" installation$chosen"
      beside installation lint
      read -r _ failed _ <"$results/counts/installation"
      ;;
  esac
  if [ "$failed" -gt 0 ]; then
    run_stages lint unit race
  else
    # What Go's tests compute keeps two cores busy; the other stages mostly wait, for the browser or for a program.
    if [ "$(getconf _NPROCESSORS_ONLN)" -le 2 ]; then run_stages lint unit; fi
    beside browser lint unit race install notebooks
    run_stages gpu
  fi
  summary "$((SECONDS - began))"
}

# pending STAGE… is true where one of them is chosen and has not run.
pending() {
  local stage
  for stage in "$@"; do
    if [[ "$chosen" = *" $stage "* && ! -f "$results/counts/$stage" ]]; then return; fi
  done
  return 1
}

# run_stages STAGE… runs those that are chosen and have not run, one after another.
run_stages() {
  local stage
  for stage in "$@"; do
    if pending "$stage"; then run_stage "$stage"; fi
  done
}

# beside STAGE STAGE… runs the first in a lane of its own while the others run. No stage changes what others use.
beside() {
  if pending "$1" && pending "${@:2}"; then
    set -m # a process group of its own, which an interrupt ends
    (
      in_lane=yes attempt_child=''
      trap interrupted INT TERM
      run_stages "$1"
    ) </dev/null &
    lanes=$!
    set +m
  fi
  run_stages "${@:2}"
  wait $lanes || true
  lanes=''
  run_stages "$1"
}

# run_stage NAME runs one, shows what of its log a reader wants, and leaves its counts and seconds in $results/counts.
run_stage() {
  local passed=0 failed=0 skipped=0
  if [ ! -t 1 ] || [ -n "$in_lane" ]; then say "· $1 …"; fi
  attempt "$1" "$1" "stage_$1"
  if [ -f "$results/counts/$1" ]; then
    read -r passed failed skipped <"$results/counts/$1"
  elif [ "$attempt_status" -eq 0 ]; then
    passed=1
  fi
  if [ "$attempt_status" -ne 0 ] && [ "$failed" -eq 0 ]; then failed=1; fi # outside its tests
  echo "$passed $failed $skipped $attempt_seconds" >"$results/counts/$1"
  if [ -s "$results/$1.details" ]; then
    sed 's/^/    /' "$results/$1.details"
  elif [ "$attempt_status" -ne 0 ]; then
    tail -n 60 "$attempt_log" | sed 's/^/    /'
  fi
}

# isolate moves into a home of the tests' own, so that they see this clone's installation and nobody's settings. What was downloaded
# and compiled before is shared.
isolate() {
  local name there
  results=$root/tests/out
  for name in GOENV GOMODCACHE GOCACHE GOPATH; do export "$name=$(go env "$name")"; done
  export PIP_CACHE_DIR=${PIP_CACHE_DIR:-$("$python" -m pip cache dir 2>/dev/null || echo "${cache%/fsnet}/pip")}
  for name in "$HOME/.config/pip/pip.conf" "$HOME/.pip/pip.conf"; do
    if [ -z "${PIP_CONFIG_FILE:-}" ] && [ -f "$name" ]; then export PIP_CONFIG_FILE=$name; fi
  done
  export XDG_CACHE_HOME=${cache%/fsnet}
  cuda_plugin=$(plugin_there cuda)
  there=$(plugin_there cpu)
  case $there in
    '' | "$prefix"/*) ;;
    *) export PJRT_PLUGIN_LIBRARY_PATH=${PJRT_PLUGIN_LIBRARY_PATH:-${there%/*}} ;;
  esac
  unset XDG_DATA_HOME XDG_CONFIG_HOME XDG_STATE_HOME FSNET_HOME FSNET_SOCKET JUPYTER_PATH JUPYTER_DATA_DIR JUPYTER_CONFIG_DIR JUPYTER_RUNTIME_DIR
  export HOME=$root/tests/.home
  bear "$HOME"
  places
  logs=$results/logs
  name="$(sha256 "$root/install/python/tests.txt") $("$python" -c 'import sys; print(sys.version, sys.base_prefix)')"
  test_python=$cache/tools/python-tests-$(sha256 <(printf '%s' "$name") | cut -c 1-12)
}

# summary SECONDS
summary() {
  local stage passed failed skipped seconds all_passed=0 all_failed=0 all_skipped=0
  for stage in unit race; do
    if [ -f "$results/$stage.packages" ]; then
      printf '\ngo test (%s)\n' "$stage"
      cat "$results/$stage.packages"
    fi
  done
  printf '\n%-14s %8s %8s %8s %8s\n' stage seconds passed failed skipped
  for stage in installation $test_stages $more_stages; do
    [ -f "$results/counts/$stage" ] || continue
    read -r passed failed skipped seconds <"$results/counts/$stage"
    printf '%-14s %8s %8s %8s %8s\n' "$stage" "$seconds" "$passed" "$failed" "$skipped"
    all_passed=$((all_passed + passed)) all_failed=$((all_failed + failed)) all_skipped=$((all_skipped + skipped))
  done
  cat "$results"/*.measured 2>/dev/null | sed 's/^/    /' || true
  if grep '^[^#]' "$root/tests/quarantine.txt"; then
    say "is in quarantine (tests/quarantine.txt); of it failed: $(cat "$results"/*.quarantined 2>/dev/null | tr '\n' ' ')"
  fi
  say "$1 seconds in all; logs, screenshots and executed notebooks are in $results"
  say "$all_passed passed, $all_failed failed, $all_skipped skipped"
  [ "$all_failed" -eq 0 ] || exit 1
}
