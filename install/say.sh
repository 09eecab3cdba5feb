# shellcheck shell=bash
# What a person sees: one line a step, the details in a log.

bold='' red='' green='' dim='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
  bold=$'\e[1m' red=$'\e[31m' green=$'\e[32m' dim=$'\e[2m' plain=$'\e[0m'
fi

say() { printf '%s\n' "$*"; }

# fail WHAT REMEDY [STATUS] ends with one readable message.
fail() {
  printf '%sinstall.sh: %s%s\n  → %s\n' "$red" "$1" "$plain" "$2" >&2
  exit "${3:-1}"
}

# note TEXT… puts words behind the line of the step that calls it.
note() { printf '%s\n' "$*" >&3; }

# attempt NAME WHAT FUNCTION… runs a function in a process of its own, its output in $logs/NAME.log, and shows one line. It sets
# attempt_status and attempt_log, and always returns 0: inside an if or ||, bash would ignore the function's own failures.
attempt() {
  local name=$1 what=$2 began=$SECONDS words=''
  shift 2
  attempt_status=0 attempt_log=$logs/$name.log
  mkdir -p "$logs"
  : >"$attempt_log.note"
  # A process group of its own, so that an interrupt can end the compilers under it too.
  set -m
  (
    set -euo pipefail
    "$@"
  ) >"$attempt_log" 2>&1 3>"$attempt_log.note" </dev/null &
  attempt_child=$!
  set +m
  if [ -t 1 ]; then
    show_activity "$what" "$began"
  elif [ -n "${announce:-}" ]; then
    printf '· %s …\n' "$what"
  fi
  wait "$attempt_child" || attempt_status=$?
  attempt_child=''
  words=$(cat "$attempt_log.note")
  rm -f "$attempt_log.note"
  attempt_seconds=$((SECONDS - began))
  if [ "$attempt_status" -eq 0 ]; then
    printf '%s✓%s %-34s %s%4d s%s  %s\n' "$green" "$plain" "$what" "$dim" "$attempt_seconds" "$plain" "$words"
  else
    printf '%s✗%s %-34s %s%4d s%s  %s\n' "$red" "$plain" "$what" "$dim" "$attempt_seconds" "$plain" "$words"
  fi
}

# step NAME WHAT REMEDY FUNCTION… is an attempt that must succeed.
step() {
  local remedy=$3
  attempt "$1" "$2" "${@:4}"
  if [ "$attempt_status" -ne 0 ]; then
    {
      printf '%s' "$dim"
      tail -n 15 "$attempt_log" | sed 's/^/    /'
      printf '%s' "$plain"
    } >&2
    fail "$2 failed; everything it said is in $attempt_log" "$remedy, then run ./install.sh again: it goes on where it stopped"
  fi
}

# show_activity redraws one line while the child works: the seconds, and the last thing it said.
show_activity() {
  local last width
  while kill -0 "$attempt_child" 2>/dev/null; do
    width=$(($(tput cols 2>/dev/null || echo 80) - 50))
    last=$(tail -n 1 "$attempt_log" 2>/dev/null | tr -dc '[:print:]')
    printf '\r\e[K… %-34s %s%4d s  %s%s' "$1" "$dim" "$((SECONDS - $2))" "${last:0:$((width > 0 ? width : 0))}" "$plain"
    sleep 0.2
  done
  printf '\r\e[K'
}

# interrupted ends what runs below and says that nothing is broken.
interrupted() {
  trap '' INT TERM
  local child
  for child in $attempt_child $lanes; do kill -TERM -- "-$child" 2>/dev/null || true; done
  printf '\ninstall.sh: interrupted\n  → run it again: it goes on where it stopped\n' >&2
  trap - INT TERM # a second interrupt does not wait
  wait || true
  exit 130
}
attempt_child='' lanes='' lane_lines=()
trap interrupted INT TERM

# nearest WORD CANDIDATES… prints the candidate that WORD was probably meant to be, or nothing.
nearest() {
  awk -v word="$1" 'BEGIN {
    best = 3
    for (a = 1; a < ARGC; a++) { d = distance(word, ARGV[a]); if (d < best && d < length(word)) { best = d; near = ARGV[a] } }
    if (near != "") print near
  }
  function distance(s, t,   i, j, m, n, cost, row, up, diagonal) {
    m = length(s); n = length(t)
    for (j = 0; j <= n; j++) row[j] = j
    for (i = 1; i <= m; i++) {
      diagonal = row[0]; row[0] = i
      for (j = 1; j <= n; j++) {
        up = row[j]
        cost = diagonal + (substr(s, i, 1) != substr(t, j, 1))
        if (up + 1 < cost) cost = up + 1
        if (row[j - 1] + 1 < cost) cost = row[j - 1] + 1
        diagonal = up; row[j] = cost
      }
    }
    return row[n]
  }' "${@:2}"
}
