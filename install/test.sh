# shellcheck shell=bash
# Every check there is, each a stage with a time, a log and counts: which are chosen, which go on beside which, the summary; stages.sh has the stages.

test_stages=(format lint unit race install notebooks browser)

# verb_test [all] [STAGE…] runs all stages or those named, in their order; all adds what takes minutes and guards what few changes
# touch. The last line is "N passed, N failed, N skipped".
verb_test() {
  local began=$SECONDS
  local -a chosen=() early=()
  choose_stages "$@"
  own_cache
  check_test_places
  check_machine
  isolate
  announce=yes
  anew "$results"
  mkdir "$results/counts"
  logs=$results/logs
  if needs_installation; then run_installation; fi
  run_stages
  summary "$((SECONDS - began))"
}

# run_installation runs it beside the chosen stages that need none, which it calls early: it keeps hardly more than one core busy. Format
# comes before it, for it reads what the installation copies to below this folder. Where it fails, those in Python are left out.
run_installation() {
  local stage failed
  read -r -a early <<<"$(chosen_of lint)"
  if [ "${#early[@]}" -eq 0 ]; then
    run_stage installation
  else
    for stage in $(chosen_of format); do run_stage "$stage"; done
    start_lane installation
    for stage in "${early[@]}"; do run_stage "$stage"; done
    end_lanes
    early+=(format)
  fi
  read -r _ failed _ <"$results/counts/installation"
  if [ "$failed" != 0 ]; then read -r -a chosen <<<"$(chosen_of format lint unit race)"; fi
}

# chosen_of STAGE… prints those of them that are chosen.
chosen_of() {
  local stage
  for stage in "$@"; do
    case " ${chosen[*]-} " in
      *" $stage "*) printf '%s ' "$stage" ;;
    esac
  done
}

# run_stages runs the chosen ones, one after another in each of two lanes: those in Python mostly wait, for the browser or for a program, and
# what Go's tests compute keeps the cores busy. The other lane's lines come when the first one is done. None of the stages changes what
# others use. Two cores take one lane: there a second one keeps tests waiting longer than they wait, and nothing is tried again.
run_stages() {
  local stage beside=''
  if [ "$(getconf _NPROCESSORS_ONLN)" -gt 2 ]; then
    case " ${chosen[*]-} " in
      " browser ") ;; # it is all there is
      *" unit "* | *" race "*) beside=$(chosen_of browser notebooks install) ;;
      *) beside=$(chosen_of browser) ;;
    esac
  fi
  start_lane $beside
  for stage in ${chosen[@]+"${chosen[@]}"}; do
    case " $beside ${early[*]-} " in
      *" $stage "*) ;;
      *) run_stage "$stage" ;;
    esac
  done
  end_lanes
}

# start_lane STAGE… runs them in the background.
start_lane() {
  local stage
  if [ $# -eq 0 ]; then return 0; fi
  say "· beside what follows: $*"
  set -m # a process group of its own, which an interrupt ends
  (
    attempt_child='' lanes=''
    trap interrupted INT TERM
    for stage in "$@"; do run_stage "$stage"; done
  ) >"$results/lane.$1" 2>&1 </dev/null &
  lanes="$lanes $!" lane_lines+=("$results/lane.$1")
  set +m
}

# end_lanes waits for them and shows what they said.
end_lanes() {
  local lane
  for lane in $lanes; do
    wait "$lane" || true
    cat "${lane_lines[0]}"
    rm -f "${lane_lines[0]}"
    lane_lines=("${lane_lines[@]:1}")
  done
  lanes=''
}

# choose_stages STAGE… sets chosen, in the order in which they make sense.
choose_stages() {
  local word stage
  if [ "${1-}" = all ]; then
    export FSNET_TEST_ALL=1
    shift
  fi
  for word in "$@"; do
    case " ${test_stages[*]} " in
      *" $word "*) ;;
      *) fail "unknown stage $word" "all, or some of ${test_stages[*]}" 2 ;;
    esac
  done
  for stage in "${test_stages[@]}"; do
    case " ${*:-$stage} " in
      *" $stage "*) chosen+=("$stage") ;;
    esac
  done
}

needs_installation() {
  case " ${chosen[*]} " in
    *" unit "* | *" race "* | *" install "* | *" notebooks "* | *" browser "*) ;;
    *) return 1 ;;
  esac
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
  there=$(plugin_there)
  case $there in
    '' | "$prefix"/*) ;;
    *) export PJRT_PLUGIN_LIBRARY_PATH=${PJRT_PLUGIN_LIBRARY_PATH:-${there%/*}} ;;
  esac
  unset XDG_DATA_HOME XDG_CONFIG_HOME XDG_STATE_HOME FSNET_HOME FSNET_SOCKET JUPYTER_PATH JUPYTER_DATA_DIR JUPYTER_CONFIG_DIR JUPYTER_RUNTIME_DIR
  export HOME=$root/tests/.home
  bear "$HOME"
  places
  test_python=$(environment_directory tests "$root/install/python/tests.txt")
}

# run_stage NAME runs one stage, shows what of its log a reader wants, and leaves its counts in $results/counts.
run_stage() {
  local stage=$1
  attempt "$stage" "$stage" "stage_$stage"
  printf '%s\n' "$attempt_seconds" >"$results/counts/$stage.seconds"
  if [ ! -f "$results/counts/$stage" ]; then
    if [ "$attempt_status" -eq 0 ]; then echo "1 0 0" >"$results/counts/$stage"; else echo "0 1 0" >"$results/counts/$stage"; fi
  elif [ "$attempt_status" -ne 0 ] && [ "$(cut -d ' ' -f 2 "$results/counts/$stage")" = 0 ]; then
    broken "$stage" # it failed outside its tests
  fi
  if [ -s "$results/$stage.details" ]; then
    sed 's/^/    /' "$results/$stage.details"
  elif [ "$attempt_status" -ne 0 ]; then
    tail -n 60 "$attempt_log" | sed 's/^/    /'
  fi
}

# broken STAGE counts one failure more.
broken() {
  local passed=0 failed=0 skipped=0
  if [ -f "$results/counts/$1" ]; then read -r passed failed skipped <"$results/counts/$1"; fi
  echo "$passed $((failed + 1)) $skipped" >"$results/counts/$1"
}

summary() {
  local stage passed failed skipped seconds all_passed=0 all_failed=0 all_skipped=0
  for stage in unit race; do
    if [ -f "$results/$stage.packages" ]; then
      printf '\ngo test (%s)\n' "$stage"
      cat "$results/$stage.packages"
    fi
  done
  printf '\n%-14s %8s %8s %8s %8s\n' stage seconds passed failed skipped
  for stage in installation "${test_stages[@]}"; do
    [ -f "$results/counts/$stage" ] || continue
    read -r passed failed skipped <"$results/counts/$stage"
    seconds=$(cat "$results/counts/$stage.seconds" 2>/dev/null || echo -)
    printf '%-14s %8s %8s %8s %8s\n' "$stage" "$seconds" "$passed" "$failed" "$skipped"
    all_passed=$((all_passed + passed)) all_failed=$((all_failed + failed)) all_skipped=$((all_skipped + skipped))
  done
  for stage in install notebooks browser; do
    if [ -s "$results/$stage.measured" ]; then sed 's/^/    /' "$results/$stage.measured"; fi
  done
  if grep -q '^[^#]' "$root/tests/quarantine.txt"; then
    say "in quarantine (tests/quarantine.txt); of these failed: $(cat "$results"/*.quarantined 2>/dev/null | tr '\n' ' ')"
    grep '^[^#]' "$root/tests/quarantine.txt" | sed 's/^/    /'
  fi
  say "$1 seconds in all; logs, screenshots and executed notebooks are in $results"
  say "$all_passed passed, $all_failed failed, $all_skipped skipped"
  [ "$all_failed" -eq 0 ] || exit 1
}
