# shellcheck shell=bash
# The checks. Each stage shows the commands that it runs; what they print is in tests/out/logs.

test_stages='format lint unit race install notebooks browser'
more_stages='gpu' # runs only where it is named
golangci_version=v2.11.4

# --- The stages.

# stage_installation runs if another stage needs it. Clones share the Python environment of the
# tests.
stage_installation() {
  local environment status=0
  kept "$test_python" bin/python python_environment "$root/install/python/tests.txt" &
  environment=$!
  run ./install.sh install || status=$?
  wait "$environment" || status=$?
  return "$status"
}

stage_format() {
  local files
  show "gofmt -l ."
  files=$(gofmt -l .)
  if [ -n "$files" ]; then
    printf '%s\n' "$files" "these are not formatted: run gofmt -w on them"
    return 1
  fi
  run "$python" tests/lint/lines.py
  run "$python" tests/lint/rates.py
  run "$python" tests/mutations.py --check
}

# stage_lint works below a link that all clones share: the linter's cache depends on the paths of
# files and takes minutes to fill.
stage_lint() {
  local linter clone=$cache/tools/clone
  linter=$(tool_directory golangci-lint "$golangci_version")
  kept "$linter" golangci-lint build_golangci
  find "${clone%/*}" -maxdepth 1 -name clone -mmin +60 -exec rm -f {} + # of a run that was killed
  if ln -sn "$root" "$clone" 2>/dev/null; then
    trap 'rm -f -- "$cache/tools/clone"' EXIT
    cd -- "$clone"
  fi
  export GOFLAGS="${GOFLAGS:-} -trimpath" CGO_ENABLED=1
  run "$linter/golangci-lint" run --allow-parallel-runners ./...
}

build_golangci() { GOFLAGS='' GOGC=400 GOBIN=$1 go_here install -v "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$golangci_version"; }

# race_packages are packages in which goroutines meet. The race detector cannot see into compiled
# programs, so those that train are not among them. The kernel's own tests take minutes with it.
race_packages='./kernel/jupyter ./kernel/magic ./kernel/gopls ./kernel/internal/... ./widgets/ipywidgets ./widgets/views ./fsnet/session ./fsnet/host'

# stage_unit skips kills, floods and rows of cells of the kernel, and long trainings, except with all.
# If race is yet to run, it leaves the packages of race to it, except for the live views, whose
# pictures are not drawn there, and the host, which trains no network there.
stage_unit() {
  local -a packages=(./kernel ./...)
  local long='^(TestBenchKernel(_(Row|Flood|Kills))?$|TestCellSocket|TestCAE_Takes)'
  if [ -n "${FSNET_TEST_ALL:-}" ]; then long='^$'; fi
  if is_todo race; then
    # shellcheck disable=SC2086 # words
    packages=(./kernel $(go_here list ./... | grep -vxF "$(go_here list $race_packages | grep -v -e /views -e /host)"))
  fi
  # One package more than processors, since some tests wait, and the kernel first, whose tests wait longest.
  go_test unit -p $(($(getconf _NPROCESSORS_ONLN) + 1)) -skip "$long" "${packages[@]}"
}

# stage_race runs race_packages with the race detector. Without checkptr=0 the runtime would end the
# tests of the host, whose XLA hands memory of its own to Go.
stage_race() {
  # shellcheck disable=SC2086 # words
  go_test race -race -gcflags=all=-d=checkptr=0 -short ${FSNET_TEST_ALL:+./kernel} $race_packages
}

# go_test STAGE ARGUMENT… runs Go tests; gotest.py counts their events. The stage lint vets. Without
# symbols and with GOGC=400 linking takes two fifths of the time. -trimpath is not in GOFLAGS, where
# programs that tests compile would see it.
go_test() {
  local status=0
  local -a flags=(-trimpath -timeout=40m -vet=off '-ldflags=-s -w' '-toolexec=env GOGC=400' ${CI:+-count=1} "${@:2}")
  export FSNET_TEST_UNOPTIMISED=1
  show "FSNET_TEST_UNOPTIMISED=1 go test $(quoted "${flags[@]}")"
  exec 4>&-
  {
    go_here test -json "${flags[@]}" || status=$?
    printf '{"Action": "exit", "Status": %d}\n' "$status"
  } | "$python" install/gotest.py "$results/counts/$1" "$results/$1" tests/quarantine.txt
}

stage_install() { pytest install; }

stage_notebooks() { pytest notebooks; }

stage_browser() { pytest browser; }

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
  pytest gpu
}

# pytest STAGE runs the tests in tests/STAGE, and writes their counts and measured lines for the summary. It
# returns pytest's status, and leaves the working directory in tests.
pytest() {
  local -a options=(-p no:cacheprovider -v -ra --durations=5 --tb=short --color=no "$1")
  cd -- tests
  unset PYTHONPATH PYTHONHOME
  show "cd tests; HOME=$HOME PATH=$bin:$test_python/bin:\$PATH python -m pytest ${options[*]}"
  FSNET_TEST_COUNTS=$results/counts/$1 FSNET_TEST_MEASURED=$results/$1.measured \
    PATH=$bin:$test_python/bin:$PATH PYTHONDONTWRITEBYTECODE=1 "$test_python/bin/python" -m pytest "${options[@]}" 4>&-
}

# show COMMAND prints a command of the current stage to its log and to the terminal.
show() {
  printf '$ %s\n' "$1"
  printf '%s $ %s\n' "$current" "$1" >&4
}

# run COMMAND… shows a command and runs it. The command does not inherit the terminal, because a
# process that outlives its stage would hold it open.
run() {
  show "$(quoted "$@")"
  "$@" 4>&-
}

quoted() {
  local words
  words=$(printf ' %q' "$@")
  printf '%s' "${words# }"
}

# --- Their order, counts and times.

# verb_test [all] [STAGE…] runs all stages or the named ones; all adds slow tests of what few changes
# touch. The last line is "N passed, N failed, N skipped".
verb_test() {
  local stage failed=0 began=$SECONDS
  if [ "${1-}" = all ]; then
    export FSNET_TEST_ALL=yes
    shift
  fi
  todo=' '
  for stage in ${*:-$test_stages}; do
    case " $test_stages $more_stages " in
      *" $stage "*) is_todo "$stage" || todo+="$stage " ;;
      *) fail "unknown stage $stage" "all, or some of $test_stages $more_stages" 2 ;;
    esac
  done
  own "$cache/tools" "$root"/tests/{.home,out}
  check_machine
  isolate
  anew "$results"
  mkdir "$results/counts"
  cd -- "$root"
  exec 4>&1
  stages format # alone: an installation writes below this folder
  if is_todo unit race install notebooks browser gpu; then
    todo=" installation$todo"
    beside installation lint
    read -r _ failed _ <"$results/counts/installation"
  fi
  if [ "$failed" -gt 0 ]; then
    stages lint unit race
  else
    # Go's tests keep two cores busy; the other stages mostly wait, for the browser or for a program.
    if [ "$(getconf _NPROCESSORS_ONLN)" -le 2 ]; then stages lint unit; fi
    beside browser lint unit race install notebooks
    stages gpu
  fi
  summary "$((SECONDS - began))"
}

# is_todo STAGE… reports whether one of the stages is requested and has not begun.
is_todo() {
  local stage
  for stage in "$@"; do
    case $todo in *" $stage "*) return ;; esac
  done
  return 1
}

# stages STAGE… runs the requested ones that have not begun, one after another.
stages() {
  local stage
  for stage in "$@"; do
    if is_todo "$stage"; then
      todo=${todo/" $stage "/ }
      stage "$stage"
    fi
  done
}

# beside STAGE STAGE… runs the first concurrently with the others. No stage changes what another uses.
beside() {
  if ! is_todo "$1" || ! is_todo "${@:2}"; then
    stages "$@"
    return
  fi
  set -m # a process group of its own, which an interrupt ends
  (
    set +m
    is_beside=yes
    stages "$1"
  ) </dev/null &
  beside_child=$!
  set +m
  todo=${todo/" $1 "/ }
  stages "${@:2}"
  wait "$beside_child" || true
  beside_child=''
}

# stage NAME runs a stage, prints the details of failures, and writes counts and seconds to
# $results/counts/NAME.
stage() {
  local current=$1 passed=0 failed=0 skipped=0 counts=$results/counts/$1
  attempt "$1" "$1" "stage_$1"
  if [ -f "$counts" ]; then
    read -r passed failed skipped <"$counts"
  elif [ "$attempt_status" -eq 0 ]; then
    passed=1
  fi
  if [ "$attempt_status" -ne 0 ] && [ "$failed" -eq 0 ]; then failed=1; fi # outside its tests
  echo "$passed $failed $skipped $attempt_seconds" >"$counts"
  if [ -s "$results/$1.details" ]; then
    sed 's/^/    /' "$results/$1.details"
  elif [ "$attempt_status" -ne 0 ]; then
    tail -n 60 "$attempt_log" | sed 's/^/    /'
  fi
}

# isolate gives the tests a home of their own, so that they see this clone's installation and no
# personal settings. It keeps the caches of downloads and builds.
isolate() {
  local name plugin
  results=$root/tests/out
  for name in GOENV GOMODCACHE GOCACHE GOPATH; do export "$name=$(go env "$name")"; done
  export PIP_CACHE_DIR=${PIP_CACHE_DIR:-$("$python" -m pip cache dir 2>/dev/null || echo "${cache%/fsnet}/pip")}
  for name in "$HOME/.config/pip/pip.conf" "$HOME/.pip/pip.conf"; do
    if [ -z "${PIP_CONFIG_FILE:-}" ] && [ -f "$name" ]; then export PIP_CONFIG_FILE=$name; fi
  done
  export XDG_CACHE_HOME=${cache%/fsnet}
  cuda_plugin=$(plugin_there cuda)
  plugin=$(plugin_there cpu)
  case $plugin in
    '' | "$prefix"/*) ;;
    *) export PJRT_PLUGIN_LIBRARY_PATH=${PJRT_PLUGIN_LIBRARY_PATH:-${plugin%/*}} ;;
  esac
  unset XDG_DATA_HOME XDG_CONFIG_HOME XDG_STATE_HOME FSNET_HOME FSNET_SOCKET JUPYTER_PATH JUPYTER_DATA_DIR JUPYTER_CONFIG_DIR JUPYTER_RUNTIME_DIR
  export HOME=$root/tests/.home
  bear "$HOME"
  places
  logs=$results/logs
  name="$(sha256 "$root/install/python/tests.txt") $("$python" -c 'import sys; print(sys.version, sys.base_prefix)')"
  test_python=$cache/tools/python-tests-$(sha256 <(printf '%s' "$name") | cut -c 1-12)
}

# summary SECONDS prints the tables, and exits with 1 if a test failed.
summary() {
  local stage passed failed skipped seconds all_passed=0 all_failed=0 all_skipped=0
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
