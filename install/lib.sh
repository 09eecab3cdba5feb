# shellcheck shell=bash
# The installation: messages, places, ownership, checks of the machine, the steps, and the removal.

# --- Messages: one line a step; the details are in a log.

bold='' red='' green='' dim='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
  bold=$'\e[1m' red=$'\e[31m' green=$'\e[32m' dim=$'\e[2m' plain=$'\e[0m'
fi

say() { printf '%s\n' "$*"; }

# fail WHAT REMEDY [STATUS] prints one readable message and exits.
fail() {
  printf '%sinstall.sh: %s%s\n  → %s\n' "$red" "$1" "$plain" "$2" >&2
  exit "${3:-1}"
}

# note TEXT… appends text to the line of the step that calls it.
note() { printf '%s\n' "$*" >&3; }

# attempt NAME WHAT FUNCTION… runs a function in a process of its own, writes its output to
# $logs/NAME.log and prints one line. It sets attempt_status, attempt_seconds and attempt_log, and
# always returns 0: inside an if or ||, bash would ignore failures within the function.
attempt() {
  local name=$1 what=$2 began=$SECONDS sign=$green✓
  shift 2
  attempt_status=0 attempt_log=$logs/$name.log
  mkdir -p "$logs"
  : >"$attempt_log.note"
  # Its own process group lets an interrupt end the compilers in it, too.
  if [ -z "$is_beside" ]; then set -m; fi
  (
    set -euo pipefail
    "$@"
  ) >"$attempt_log" 2>&1 3>"$attempt_log.note" </dev/null &
  attempt_child=$!
  set +m
  if [ -t 1 ] && [ -z "$is_beside" ]; then show_activity "$what" "$began"; fi
  wait "$attempt_child" || attempt_status=$?
  attempt_child='' attempt_seconds=$((SECONDS - began))
  if [ "$attempt_status" -ne 0 ]; then sign=$red✗; fi
  if [ -t 1 ]; then printf '\r\e[K'; fi
  printf '%s%s %-34s %s%4d s%s  %s\n' "$sign" "$plain" "$what" "$dim" "$attempt_seconds" "$plain" "$(cat "$attempt_log.note")"
  rm -f "$attempt_log.note"
}

# step NAME WHAT REMEDY FUNCTION… is an attempt that must succeed.
step() {
  attempt "$1" "$2" "${@:4}"
  if [ "$attempt_status" -ne 0 ]; then
    printf '%s%s%s\n' "$dim" "$(tail -n 15 "$attempt_log" | sed 's/^/    /')" "$plain" >&2
    fail "$2 failed; its output is in $attempt_log" "$3, then run ./install.sh again: it continues where it stopped"
  fi
}

# show_activity WHAT BEGAN redraws one line while the child works: seconds and the last line of output.
show_activity() {
  local last width
  while kill -0 "$attempt_child" 2>/dev/null; do
    width=$(($(tput cols 2>/dev/null || echo 80) - 50))
    last=$(tail -n 1 "$attempt_log" 2>/dev/null | tr -dc '[:print:]')
    printf '\r\e[K… %-34s %s%4d s  %s%s' "$1" "$dim" "$((SECONDS - $2))" "${last:0:$((width > 0 ? width : 0))}" "$plain"
    sleep 0.2
  done
}

# interrupted ends the processes below and reports that nothing is broken.
interrupted() {
  trap '' INT TERM
  local child
  for child in $attempt_child $beside_child; do kill -TERM -- "-$child" 2>/dev/null || true; done
  printf '\ninstall.sh: interrupted\n  → run it again: it continues where it stopped\n' >&2
  trap - INT TERM # a second interrupt does not wait
  wait || true
  exit 130
}
attempt_child='' beside_child='' is_beside='' # the stage beside others, and whether this process runs it
trap interrupted INT TERM

# --- Places: only in the user's home. The usual variables move them.

# places sets the variables for the other parts.
places() {
  if [ -z "${HOME:-}" ] || [ ! -d "$HOME" ]; then
    fail "HOME is ${HOME:-not set}, which is no directory" "set HOME to a directory that you may write to"
  fi
  prefix=$(physical "${FSNET_HOME:-${XDG_DATA_HOME:-$HOME/.local/share}/fsnet}")
  cache=$(physical "${XDG_CACHE_HOME:-$HOME/.cache}/fsnet")
  bin=$prefix/bin venv=$prefix/venv logs=$prefix/logs
  link=$HOME/.local/bin/fsnet
  cuda='' methods='' # set by --cuda and by lab --methods
  export FSNET_HOME=$prefix
}

# physical PATH prints an absolute path without ., .. and links, whether or not it exists.
physical() {
  local rest=$1/ part at=''
  if [ "${1#/}" = "$1" ]; then rest=$PWD/$rest; fi
  while [ -n "$rest" ]; do
    part=${rest%%/*} rest=${rest#*/}
    case $part in
      '' | .) continue ;;
      ..) at=${at%/*} ;;
      *) at=$at/$part ;;
    esac
    if [ -d "$at" ]; then at=$(cd -P -- "$at" && pwd -P); fi
    at=${at%/}
  done
  printf '%s\n' "${at:-/}"
}

# same PATH PATH reports whether two paths name one file, which need not exist.
same() { [ "$1" = "$2" ] || [ "$1" -ef "$2" ]; }

# sha256 FILE prints a hash.
sha256() {
  if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

# platform prints Go's name for this machine: linux/amd64, darwin/arm64 …
platform() {
  printf '%s/%s\n' "$(uname -s | tr '[:upper:]' '[:lower:]')" "$(uname -m | sed 's/^x86_64$/amd64/; s/^aarch64$/arm64/')"
}

# --- Ownership. The installer replaces and removes only directories with its mark. If something else
# has a name of ours, it refuses before the first write; files added to our directories later stay.

mark=.fsnet-made-from

# made DIRECTORY reports whether install.sh made it. A link never counts.
made() { [ ! -L "$1" ] && [ -f "$1/$mark" ]; }

# there PATH reports whether the name exists, also as a dangling link.
there() { [ -e "$1" ] || [ -L "$1" ]; }

entries() { find -H "$1" -mindepth 1 -maxdepth 1 | sort; }

empty() { [ -d "$1" ] && [ ! -L "$1" ] && [ -z "$(entries "$1")" ]; }

# bear DIRECTORY creates a directory, if needed, and puts the mark into it. The mark records whether an
# empty one existed before.
bear() {
  local origin=made
  if made "$1"; then return; fi
  if empty "$1"; then origin=found; fi
  mkdir -p "$1"
  printf '%s by install.sh of %s\n' "$origin" "$root" >"$1/$mark"
}

# discard DIRECTORY removes a directory of ours, the mark last, so that an interrupted removal can be
# repeated.
discard() {
  if ! there "$1"; then return; fi
  if made "$1"; then
    find "$1" -mindepth 1 -maxdepth 1 ! -name "$mark" -exec rm -rf -- {} + && rm -f -- "$1/$mark" && rmdir -- "$1"
  elif [ -L "$1" ] || ! rmdir -- "$1" 2>/dev/null; then
    echo "$1 was not made by install.sh: move it away" >&2
    return 1
  fi
}

# anew DIRECTORY empties or creates a directory of ours.
anew() {
  discard "$1"
  bear "$1"
}

# prefix_strangers prints entries of $prefix that are not ours. Before the first installation it may
# hold the user's own plugin.
prefix_strangers() {
  local entry ours=''
  if made "$prefix"; then ours=ours; fi
  entries "$prefix" | while read -r entry; do
    case $ours/${entry##*/} in
      ours/venv | ours/src | ours/src.new | ours/cuda | ours/cuda.new-*) made "$entry" || empty "$entry" ;;
      ours/bin | ours/logs) [ -d "$entry" ] && [ ! -L "$entry" ] ;;
      /pjrt) [ -z "$(find -H "$entry" -mindepth 1 ! -name 'pjrt_c_api_*')" ] ;;
      *) [ -n "$ours" ] ;;
    esac || echo "$entry"
  done
}

# own_prefix refuses a prefix that is not for FsNet alone, before anything is written or removed.
own_prefix() {
  local place strangers inside=${prefix%/}/
  for place in "$HOME" "$root" "${link%/*}" "$(kernelspec_directory)" "$cache"; do
    case $(physical "$place")/ in
      "$inside"*) fail "$prefix is not a directory for FsNet alone: $place is in it" "name another place in FSNET_HOME, such as ~/.local/share/fsnet" 2 ;;
    esac
  done
  if ! there "$prefix"; then return; fi
  if [ ! -d "$prefix" ]; then fail "$prefix is not a directory" "move it away, or name another place in FSNET_HOME" 2; fi
  strangers=$(prefix_strangers | awk 'NR < 6 { printf "%s ", $0 }')
  if [ -n "$strangers" ]; then
    fail "$prefix holds what install.sh did not make: ${strangers% }" "move that away, or name another place in FSNET_HOME; nothing was changed" 2
  fi
}

# own DIRECTORY… refuses directories that would be replaced or removed but are not ours: built tools,
# and what tests leave in the clone.
own() {
  local place
  for place in "$@"; do
    if ! there "$place" || made "$place" || empty "$place"; then continue; fi
    # Tools with our names are ours even if the mark beside them was lost.
    if [ "$place" = "$cache/tools" ] && ! entries "$place" | grep -qvE '/(gonb|gopls|golangci-lint|python-tests)-[^/]*$'; then
      bear "$place"
      continue
    fi
    fail "$place was not made by install.sh" "move it away, or name another place in XDG_CACHE_HOME; nothing was changed" 2
  done
}

# --- Requirements. All checks come first, and everything missing is reported together.

# problem WHAT REMEDY counts and reports a missing requirement.
problem() {
  problems=$((problems + 1))
  printf '%s✗%s %s\n    → %s\n' "$red" "$plain" "$1" "$2" >&2
}

# check_machine sets python, and exits with status 1 if something is missing.
check_machine() {
  local need=4 place
  problems=0 found=$(platform)
  case $found in
    linux/amd64 | linux/arm64 | darwin/arm64 | darwin/amd64) ;;
    mingw* | msys* | cygwin*) problem "this is Windows without a Linux" "install WSL 2 and run this inside it" ;;
    *) problem "FsNet has not been tried on $found" "use Linux or macOS on amd64 or arm64, or WSL 2 on Windows" ;;
  esac
  check_go
  check_compiler
  check_python
  if ! command -v patch >/dev/null && ! command -v git >/dev/null; then
    problem "there is neither patch nor git, to build GoNB with our patches" "install one of them (Debian, Ubuntu: apt-get install patch)"
  fi
  if [ -x "$bin/gopls" ] && [ -x "$venv/bin/jupyter-lab" ]; then need=1; fi # updates take little
  for place in "$prefix" "$cache"; do check_space "$place" FsNet "$need" || break; done
  if [ -n "$cuda" ]; then check_cuda; fi
  if [ "$problems" -gt 0 ]; then
    fail "nothing was installed: $problems of the things that it needs $([ "$problems" = 1 ] && echo is || echo are) missing" "fix what is marked ✗ above, then run it again"
  fi
  printf '%s✓%s %s\n' "$green" "$plain" "$found · $free GB free"
}

# required_go prints the version in go.mod.
required_go() { awk '$1 == "go" { print $2; exit }' "$root/go.mod"; }

check_go() {
  local need output version elsewhere=''
  need=$(required_go)
  if ! command -v go >/dev/null; then
    if [ -x /usr/local/go/bin/go ]; then elsewhere="; there is one in /usr/local/go/bin that is not on your PATH"; fi
    problem "Go is not installed$elsewhere" "install Go $need or later (also without root: unpack it in your home) and put its bin directory on PATH"
    return
  fi
  # In the clone, a Go that may download newer versions does so now.
  if ! output=$(cd -- "$root" && go env GOVERSION 2>&1); then
    problem "Go is too old: $output" "install Go $need or later, or allow it to fetch one: GOTOOLCHAIN=auto"
    return
  fi
  version=${output#go}
  version=${version%% *}
  if [ "${version#devel}" = "$version" ] && ! at_least "$version" "$need"; then
    problem "Go $version is too old" "install Go $need or later and put its bin directory first on PATH"
  fi
  found="$found · Go $version"
}

check_compiler() {
  local compiler=${CC:-} program output remedy="xcode-select --install"
  if [ "$(uname -s)" != Darwin ]; then
    remedy="install gcc or clang with the C library's headers (Debian, Ubuntu: apt-get install gcc libc6-dev), or name yours in CC"
  fi
  compiler=${compiler:-$(go env CC 2>/dev/null || true)}
  compiler=${compiler:-cc}
  program=$(mktemp "${TMPDIR:-/tmp}/fsnet-check-XXXXXX")
  # Options may follow the compiler's name, so the word is split on purpose.
  # shellcheck disable=SC2086
  if output=$(printf '#include <stdlib.h>\nint main(void) { return 0; }\n' | $compiler -x c -o "$program" - 2>&1); then
    found="$found · $compiler"
  elif ! command -v "${compiler%% *}" >/dev/null; then
    problem "there is no C compiler ($compiler), which Go needs to load XLA" "$remedy"
  else
    problem "the C compiler $compiler does not compile: $(printf '%s' "$output" | head -n 1)" "$remedy"
  fi
  rm -f "$program"
}

check_python() {
  local candidate version newest=''
  local -a candidates=(python3 python3.14 python3.13 python3.12 python3.11 python3.10)
  if [ -n "${PYTHON:-}" ]; then candidates=("$PYTHON"); fi
  python=''
  for candidate in "${candidates[@]}"; do
    version=$("$candidate" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null) || continue
    newest=${newest:-Python $version is too old}
    if at_least "$version" 3.10; then
      python=$(command -v "$candidate")
      break
    fi
  done
  if [ -z "$python" ]; then
    problem "${newest:-${PYTHON:-Python} is not installed}" "install Python 3.10 or later, or name one in PYTHON"
  elif ! "$python" -c 'import venv, ensurepip' 2>/dev/null; then
    problem "$python ($version) has no venv module" "install it (Debian, Ubuntu: apt-get install python3-venv), or name another Python in PYTHON"
  fi
  found="$found · Python $version"
}

# check_space PLACE WHAT GB reports a directory that is read-only or has too little space.
check_space() {
  local place=$1
  while [ ! -d "$place" ]; do place=$(dirname -- "$place"); done
  free=$(df -Pk "$place" | awk 'NR == 2 { print int($4 / 1048576) }')
  if [ ! -w "$place" ]; then
    problem "$place cannot be written to" "make it yours, or name another place in FSNET_HOME and XDG_CACHE_HOME"
  elif [ "$free" -lt "$3" ]; then
    problem "$place has $free GB free, and $2 needs $3" "free some, or name another place in FSNET_HOME (and XDG_CACHE_HOME, GOCACHE, GOMODCACHE)"
  else
    return 0
  fi
  return 1
}

# at_least VERSION NEEDED compares dotted numbers; a pre-release counts as its release.
at_least() {
  awk -v have="$1" -v need="$2" 'BEGIN {
    split(have, h, "."); n = split(need, w, ".")
    for (i = 1; i <= n; i++) { a = h[i] + 0; b = w[i] + 0; if (a != b) exit !(a > b) }
  }'
}

# --- Python environments, from lists of exact versions and hashes.

# pip_here DIRECTORY ARGUMENT… runs an environment's pip without settings that would redirect it.
pip_here() {
  unset PYTHONPATH PYTHONHOME PIP_USER PIP_TARGET PIP_PREFIX PIP_ROOT PIP_REQUIREMENT
  "$1/bin/python" -m pip "$2" --disable-pip-version-check --no-input "${@:3}"
}

# python_environment LIST DIRECTORY creates a virtual environment with exactly the packages of a list.
# It keeps one that the same Python made from the same list.
python_environment() {
  local list=$1 directory=$2 stamp
  stamp="$(sha256 "$list") $("$python" -c 'import sys; print(sys.version_info[:2], sys.base_prefix)') $directory"
  if [ "$(cat "$directory/$mark" 2>/dev/null)" = "$stamp" ] && "$directory/bin/python" -c '' 2>/dev/null; then
    note "already there"
    return
  fi
  anew "$directory"
  "$python" -m venv "$directory"
  pip_here "$directory" install --require-hashes --requirement "$list"
  printf '%s\n' "$stamp" >"$directory/$mark"
  note "$(grep -c '^[a-z].*==' "$list") packages with known hashes"
}

# jupyter_environment creates JupyterLab with the two prebuilt widget extensions, and its settings.
jupyter_environment() {
  python_environment "$root/install/python/jupyter.txt" "$venv"
  mkdir -p "$venv/share/jupyter/lab/settings" "$venv/etc/jupyter"
  place overrides.json "$venv/share/jupyter/lab/settings/overrides.json"
  # Pages made by nbconvert show pictures of live views: the views would need the network.
  place nbconvert.json "$venv/etc/jupyter/jupyter_nbconvert_config.json"
  # Its Python kernel imports fsnetlab from this clone and finds the command.
  printf '%s\n' "$root/python" >"$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/fsnetlab.pth"
  ln -sfn "$bin/fsnet" "$venv/bin/fsnet"
}

# place NAME FILE copies a file only if it differs: a running JupyterLab must not read half of it.
place() { cmp -s "$root/install/python/$1" "$2" || cp "$root/install/python/$1" "$2"; }

# --- The PJRT CPU plugin: XLA as one library. Without it FsNet trains on GoMLX's Go backend.

# pjrt_plugin installs the first available of: an existing plugin, the wheel with the known hash, and
# the download of go-xla's installer. It never fails the installation, since everything works without
# a plugin, only slower.
pjrt_plugin() {
  local there wheel slower="FsNet will train on the Go backend, about ten times slower"
  there=$(plugin_there cpu)
  if [ -n "$there" ]; then
    if [ "${there%/*}" = "$prefix/pjrt" ] && [ ! -f "$prefix/pjrt/ORIGIN.json" ] && [ ! -L "$prefix/pjrt" ]; then
      place_plugin record "$there" 'a file that was there before'
    fi
    note "already there: $there"
  elif wheel_fits; then
    wheel=$(mktemp -d "${TMPDIR:-/tmp}/fsnet-plugin-XXXXXX")
    if plugin_wheel "$venv" "$prefix/pjrt" "$wheel"; then
      note "from the wheel of $(cut -d ' ' -f 1 "$root/install/python/pjrt.txt"), hash checked"
    elif grep -q 'Expected sha256' "$attempt_log"; then
      note "REFUSED: what came does not have the known hash ($attempt_log). $slower"
    else
      note "none available: $slower ($attempt_log says why)"
    fi
    rm -rf "$wheel"
  elif (cd -- "$root" && CGO_ENABLED=1 go run ./install/goxla "$prefix/pjrt") && there=$(plugin_there cpu) && [ -n "$there" ]; then
    place_plugin record "$there" "go-xla's installer"
    note "from go-xla's own installer"
  else
    note "none available: $slower ($attempt_log says why)"
  fi
}

# plugin_there KIND prints the plugin (cpu or cuda) that fsnet would load. The directories are those
# in fsnet.PluginDirectories.
plugin_there() {
  local directory file IFS=:
  for directory in ${PJRT_PLUGIN_LIBRARY_PATH:-} "$prefix/pjrt" "$prefix/cuda/plugin" "$HOME/.local/lib/go-xla" /usr/local/lib/go-xla; do
    for file in "$directory"/pjrt_c_api_"$1"*plugin.so "$directory"/pjrt_c_api_"$1"*plugin.dylib; do
      if [ -f "$file" ]; then
        printf '%s\n' "$file"
        return
      fi
    done
  done
}

# wheel_fits reports whether the plugins' wheels run here: Linux on amd64 with glibc 2.27 or later.
wheel_fits() {
  local glibc
  [ "$(platform)" = linux/amd64 ] && glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null) && at_least "${glibc##* }" 2.27
}

# plugin_wheel ENVIRONMENT DIRECTORY SCRATCH fetches the plugin's wheel, checks its hash and unpacks it.
plugin_wheel() {
  pip_here "$1" download --no-deps --only-binary :all: --require-hashes --requirement "$root/install/python/pjrt.txt" --dest "$3" &&
    place_plugin wheel "$3"/*.whl "$2"
}

place_plugin() { "$python" "$root/install/place_plugin.py" "$@"; }

# --- XLA for NVIDIA GPUs, only on request: JAX's plugin and NVIDIA's libraries, some gigabytes, each of
# one exact version.

# cuda_driver prints the version of NVIDIA's driver, or nothing.
cuda_driver() {
  local version=''
  if command -v nvidia-smi >/dev/null; then
    version=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -n 1 | tr -dc '0-9.') || version=''
  fi
  if [ -z "$version" ] && [ -r /proc/driver/nvidia/version ]; then
    version=$(grep -oE '[0-9]{3,}\.[0-9.]+' /proc/driver/nvidia/version | head -n 1) || version=''
  fi
  printf '%s\n' "$version"
}

# cuda_version ASKED prints 12 or 13: the requested version, or else by driver and GPU. CUDA 13 needs
# driver 580 and a GPU of 2018 or later (compute capability 7.5), CUDA 12 driver 525. Without a driver
# it prints 13, for the machine that will have one.
cuda_version() {
  local driver oldest=''
  driver=$(cuda_driver)
  case $1 in
    12 | 13) printf '%s\n' "$1" && return ;;
  esac
  if [ -n "$driver" ] && ! at_least "$driver" 525.60; then return 1; fi
  if [ -n "$driver" ]; then
    oldest=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | sort -n | head -n 1) || oldest=''
  fi
  if at_least "${driver:-580}" 580 && at_least "${oldest:-7.5}" 7.5; then echo 13; else echo 12; fi
}

# check_cuda sets cuda to the version, or reports why CUDA cannot be installed here.
check_cuda() {
  local without="run ./install.sh without --cuda"
  if [ "$(platform)" != linux/amd64 ]; then
    problem "the CUDA plugin is for Linux on amd64, and this is $(platform)" "$without"
  elif ! wheel_fits; then
    problem "the CUDA plugin needs glibc 2.27 or later" "$without"
  elif ! cuda=$(cuda_version "$cuda"); then
    problem "NVIDIA's driver $(cuda_driver) is too old for CUDA" "install driver 525 or later (580 for CUDA 13), or $without"
  elif ! cuda_there "$cuda"; then
    check_space "$prefix" CUDA $((cuda == 12 ? 6 : 5)) || true
  fi
}

# cuda_list VERSION prints the file with the packages and hashes of CUDA.
cuda_list() { printf '%s/install/python/cuda%s.txt\n' "$root" "$1"; }

# cuda_there VERSION reports whether exactly this list is installed.
cuda_there() { [ "$(cat "$prefix/cuda/$mark" 2>/dev/null)" = "$(sha256 "$(cuda_list "$1")")" ]; }

# cuda_plugin VERSION fetches, unpacks and deletes one wheel after another: an interrupted download
# continues with the next one, and the disk holds one wheel at a time.
cuda_plugin() {
  local list new requirement name
  list=$(cuda_list "$1")
  new=$prefix/cuda.new-$(sha256 "$list" | cut -c 1-12)
  if cuda_there "$1"; then
    note "already there: CUDA $1"
    return
  fi
  bear "$new"
  mkdir -p "$new/.done"
  while read -r requirement; do
    name=${requirement%%==*}
    [ -e "$new/.done/$name" ] || cuda_wheel "$requirement" "$new"
    : >"$new/.done/$name"
  done <"$list"
  rm -rf "$new/.done" "$new/.wheel"
  sha256 "$list" >"$new/$mark"
  discard "$prefix/cuda"
  mv "$new" "$prefix/cuda"
  for name in "$prefix"/cuda.new-*; do discard "$name"; done # unfinished downloads of other lists
  note "CUDA $1, $(wc -l <"$list" | tr -d ' ') packages with known hashes, $(du -sk "$prefix/cuda" | awk '{ printf "%.1f", $1 / 1048576 }') GB"
}

# cuda_wheel REQUIREMENT DIRECTORY fetches and unpacks one wheel. pip's cache would keep a second copy.
# The wheel's Python code never runs, so its Python version does not matter.
cuda_wheel() {
  local wheel=$2/.wheel
  rm -rf "$wheel"
  mkdir -p "$wheel/temporary"
  printf '%s\n' "$1" >"$wheel/list.txt"
  echo "${1%% *}"
  TMPDIR=$wheel/temporary pip_here "$venv" download --no-cache-dir --progress-bar off --no-deps --only-binary :all: \
    --ignore-requires-python --require-hashes --requirement "$wheel/list.txt" --dest "$wheel"
  place_plugin cuda "$wheel"/*.whl "$2"
}

# --- Programs: fsnet from this clone, and three that compile and explain Go cells, of exact versions.

gopls_version=v0.22.0
gopls_sum=h1:9aON2mTxKrZ1y71RbQVnlPTTNfKZ9y5cv3x/f6XpsZw=

# go_here runs go without user settings that would change the build. cgo=0 is for a platform without a
# C compiler here.
go_here() { CGO_ENABLED=${cgo:-1} GOWORK=off GO111MODULE=on go "$@"; }

# build DIRECTORY ARGUMENT… builds programs of a module. A collector that waits saves the compiler an eighth of its time.
build() { (cd -- "$1" && GOFLAGS='' GOGC=400 go_here build -v -trimpath -ldflags "-s -w" "${@:2}"); }

# build_fsnet FILE builds fsnet from the clone.
build_fsnet() {
  local stamp=-buildvcs=false
  if git -C "$root" rev-parse HEAD >/dev/null 2>&1; then stamp=-buildvcs=true; fi
  build "$root" "$stamp" -o "$1" ./cmd/fsnet
}

fsnet_binary() {
  mkdir -p "$bin"
  build_fsnet "$bin/fsnet.new"
  mv -f "$bin/fsnet.new" "$bin/fsnet" # a running kernel keeps its file
  note "$("$bin/fsnet" version | head -n 1)"
}

# link_fsnet links the command into the user's bin directory, unless that name is taken.
link_fsnet() {
  if there "$link" && ! our_link; then
    note "left $link alone, which is not ours; the command is $bin/fsnet"
    return
  fi
  mkdir -p "${link%/*}"
  our_link || ln -sfn "$bin/fsnet" "$link"
  case :$PATH: in
    *:"${link%/*}":*) note "$link" ;;
    *) note "$link (put ${link%/*} on your PATH to call it fsnet)" ;;
  esac
}

# our_link reports whether the link leads into this installation.
our_link() { [ -L "$link" ] && same "$(readlink "$link")" "$bin/fsnet"; }

# tool_directory NAME VERSION prints where a built tool is kept, which depends on its version, the
# compiler and the platform alone.
tool_directory() { printf '%s/tools/%s-%s-%s\n' "$cache" "$1" "$2" "$(go env GOVERSION GOOS GOARCH | tr '\n' '-' | sed 's/-$//')"; }

# kept DIRECTORY PROGRAM FUNCTION… runs a function that makes a program in the directory given as its
# last argument, unless the program exists. The directory becomes a link to the result: of several
# clones that make the same program at once, the first one wins.
kept() {
  local directory=$1 program=$2
  shift 2
  if [ -x "$directory/$program" ]; then
    note "already built"
    return
  fi
  bear "$cache/tools"
  if [ -L "$directory" ]; then rm -rf -- "$(readlink "$directory")" "$directory"; fi
  making=$(mktemp -d "$directory.made-XXXXXX")
  trap 'rm -rf -- "$making"' EXIT
  "$@" "$making"
  ln -sn "$making" "$directory" 2>/dev/null || rm -rf -- "$making"
  trap - EXIT
}

# into_bin FILE… copies tools beside fsnet.
into_bin() {
  local file
  mkdir -p "$bin"
  for file in "$@"; do
    cmp -s "$file" "$bin/${file##*/}" && continue
    cp "$file" "$bin/.${file##*/}.new"
    mv -f "$bin/.${file##*/}.new" "$bin/${file##*/}"
  done
}

# gonb_and_goimports builds both from install/gonb: go.mod and go.sum fix the versions and hashes, and
# patches change GoNB.
gonb_and_goimports() {
  local directory
  directory=$(tool_directory gonb "$(cat "$root"/install/gonb/* | sha256 - | cut -c 1-12)")
  kept "$directory" gonb build_gonb
  into_bin "$directory/gonb" "$directory/goimports"
}

# build_gonb builds GoNB from its source with our patches, in a folder whose name the kernel looks for
# (kernel/gonb).
build_gonb() {
  local source=$1/source patch
  mkdir "$source"
  cp "$root"/install/gonb/go.* "$source"
  cd -- "$source"
  cp -R "$(GOFLAGS='' go_here mod download -json github.com/janpfeifer/gonb | json_field Dir)" patched-3
  chmod -R u+w patched-3
  for patch in "$root"/install/gonb/*.patch; do
    if command -v patch >/dev/null; then
      patch -s -p1 -d patched-3 <"$patch"
    else # git needs the ceiling: a repository around this folder would change the paths
      (cd patched-3 && GIT_CEILING_DIRECTORIES=$source git apply "$patch")
    fi
  done
  GOFLAGS='' go_here mod edit -replace github.com/janpfeifer/gonb=./patched-3
  build "$source" -buildvcs=false -o "$1/" github.com/janpfeifer/gonb golang.org/x/tools/cmd/goimports
  cd -- "$1" && rm -rf "$source"
}

gopls_binary() {
  local directory
  directory=$(tool_directory gopls "$gopls_version")
  kept "$directory" gopls build_gopls
  into_bin "$directory/gopls"
}

# build_gopls builds inside gopls's own module, whose go.sum fixes its dependencies.
build_gopls() {
  local module
  module=$(cd -- "$1" && GOFLAGS='' go_here mod download -json "golang.org/x/tools/gopls@$gopls_version")
  if [ "$(json_field Sum <<<"$module")" != "$gopls_sum" ]; then
    echo "gopls $gopls_version has the hash $(json_field Sum <<<"$module"), which is not $gopls_sum"
    return 1
  fi
  build "$(json_field Dir <<<"$module")" -buildvcs=false -o "$1/gopls" .
}

json_field() { "$python" -c 'import json, sys; print(json.load(sys.stdin).get(sys.argv[1], ""))' "$1"; }

# --- Packages that a Go cell may import without a network: the session's client and the widgets.

# cell_source copies them, and our packages that they import, to $prefix/src, a module without needs.
cell_source() {
  local directory foreign new=$prefix/src.new
  anew "$new"
  cd -- "$root"
  foreign=$(go_here list -deps -f '{{if .Module}}{{if ne .Module.Path "fsnetlab"}}{{.ImportPath}}{{end}}{{end}}' ./fsnet/session ./widgets)
  if [ -n "$foreign" ]; then
    echo "a cell would need a network for $foreign"
    return 1
  fi
  go_here list -deps -f '{{if .Module}}{{.Dir}}{{end}}' ./fsnet/session ./widgets | while read -r directory; do
    mkdir -p "$new${directory#"$root"}"
    find "$directory" -maxdepth 1 -name '*.go' ! -name '*_test.go' -exec cp {} "$new${directory#"$root"}/" \;
  done
  printf 'module fsnetlab\n\ngo %s\n' "$(required_go)" >"$new/go.mod"
  if diff -r "$new" "$prefix/src" >/dev/null 2>&1; then
    discard "$new" # a cell may be compiling from the existing one
    note "already there"
  else
    discard "$prefix/src"
    mv "$new" "$prefix/src"
  fi
  # Compile them for the first cell, with the flags of cells (kernel/gonb, goFlags).
  cd -- "$prefix/src"
  GOFLAGS="-mod=mod '-ldflags=-s -w' -gcflags=all=-dwarf=false" GOPROXY=off go_here build ./... flag math math/rand sort
}

# --- The kernelspec, with which every Jupyter of this user finds the kernel.

kernelspec() {
  "$bin/fsnet" kernelspec --command "$bin/fsnet"
  note "FsNet (Go), for every Jupyter of yours"
}

# kernelspec_directory prints where fsnet writes it (UserSpecDirectory in kernel).
kernelspec_directory() {
  if [ -z "${JUPYTER_DATA_DIR:-}" ] && [ "$(uname -s)" = Darwin ]; then
    printf '%s\n' "$HOME/Library/Jupyter/kernels/fsnet"
  else
    printf '%s\n' "${JUPYTER_DATA_DIR:-${XDG_DATA_HOME:-$HOME/.local/share}/jupyter}/kernels/fsnet"
  fi
}

# own_kernelspec refuses to overwrite another kernel of the same name.
own_kernelspec() {
  local spec
  spec=$(kernelspec_directory)
  if [ -f "$spec/kernel.json" ] && [ -z "$(kernelspec_command "$spec")" ]; then
    fail "$spec is another kernel of that name" "move it away, or name another place in JUPYTER_DATA_DIR; nothing was changed" 2
  fi
}

# kernelspec_command DIRECTORY prints the fsnet that a kernelspec starts, or nothing for another kernel.
kernelspec_command() {
  local words='"kernel", *"--connection-file", *"\{connection_file\}"'
  tr -d '\n' <"$1/kernel.json" | sed -nE 's/.*"argv": *\[ *"([^"]*\/fsnet)", *'"$words"' *\].*/\1/p' | sed 's/\\u0026/\&/g'
}

# --- The verbs install, lab, run and uninstall.

# network is the remedy of steps that download.
network="look at the network (HTTPS_PROXY, GOPROXY, PIP_INDEX_URL and the settings of go and pip are used)"

install_everything() {
  say "${bold}FsNet${plain} goes into $prefix"
  own_prefix
  own "$cache/tools"
  own_kernelspec
  check_machine
  bear "$prefix"
  step python "Python environment, JupyterLab" "$network" jupyter_environment
  if [ -n "$methods" ]; then # exact versions, without the hundreds of hashes of PyTorch's parts
    step methods "packages of methods/" "$network, or free some space" pip_here "$venv" install --requirement "$root/install/python/methods.txt"
  fi
  step plugin "XLA plugin for the CPU" "free some space" pjrt_plugin
  if [ -n "$cuda" ]; then step cuda "XLA plugin for NVIDIA GPUs" "$network, or free some space" cuda_plugin "$cuda"; fi
  step fsnet "fsnet" "$network; if it does not compile, the clone may be incomplete (git status)" fsnet_binary
  step gonb "GoNB and goimports" "$network" gonb_and_goimports
  step gopls "gopls" "$network" gopls_binary
  step cells "packages for Go cells" "look at git status: the clone may be incomplete" cell_source
  step kernelspec "kernel" "look at the log: a directory may not be yours" kernelspec
  step link "command" "make ${link%/*} yours" link_fsnet
}

# verb_install [--cuda[=12|13]] is the default verb.
verb_install() {
  local driver
  while [ $# -gt 0 ]; do
    case $1 in
      --cuda) cuda=auto ;;
      --cuda=12 | --cuda=13) cuda=${1#--cuda=} ;;
      --cuda=*) fail "--cuda=${1#--cuda=} is not known" "--cuda chooses by the driver; --cuda=12 or --cuda=13 name it" 2 ;;
      *) fail "install takes --cuda and nothing else, but got $1" "./install.sh help" 2 ;;
    esac
    shift
  done
  install_everything
  say
  if ! "$bin/fsnet" doctor; then
    fail "fsnet doctor found problems" "fix what is marked ✗ above, then run ./install.sh again"
  fi
  say
  driver=$(cuda_driver)
  if [ -n "$driver" ] && [ ! -d "$prefix/cuda" ] && [ "$(platform)" = linux/amd64 ]; then
    say "This machine has an NVIDIA driver ($driver): ./install.sh --cuda lets FsNet train on the GPU (about 3 GB to download, 4 GB of disk)."
  fi
  say "Installed. ./install.sh lab opens the quickstart; every other Jupyter of yours now offers the kernel FsNet (Go), too."
}

# verb_lab [--methods] [OPTION…] installs what is missing and opens the quickstart. Other options are
# JupyterLab's.
verb_lab() {
  local -a options=("--ServerApp.root_dir=$root" --log-level=WARN) # notebooks link to ../docs
  options+=(--ZMQChannelsWebsocketConnection.limit_rate=False)      # the kernel paces itself
  if [ "${1:-}" = --methods ]; then
    methods=yes
    shift
  fi
  install_everything
  if [ "$(id -u)" -eq 0 ]; then options+=(--allow-root); fi # or JupyterLab refuses
  say
  say "JupyterLab works in $root and stops with Ctrl-C."
  print_url $$ &
  export PATH=$venv/bin:$PATH
  unset PYTHONPATH PYTHONHOME
  exec "$venv/bin/jupyter-lab" "${options[@]}" "$@" "$root/notebooks/quickstart.ipynb"
}

# print_url PID prints the server's address as soon as it answers. jupyter-lab keeps this process's id.
print_url() {
  local file tries=0
  file=$("$venv/bin/jupyter" --runtime-dir)/jpserver-$1.json
  until [ -s "$file" ]; do
    kill -0 "$1" 2>/dev/null && [ "$tries" -lt 300 ] || return 0
    tries=$((tries + 1))
    sleep 0.2
  done
  "$venv/bin/python" - "$file" <<'P'
import json, os, sys
from urllib.parse import quote

with open(sys.argv[1]) as f:
    server = json.load(f)
quickstart = "notebooks/quickstart.ipynb"
place = "lab/tree/" + quickstart if os.path.exists(os.path.join(server["root_dir"], quickstart)) else "lab"
token = "?token=" + quote(server["token"]) if server["token"] else ""
print(f"\n  open  {server['url']}{place}{token}\n", flush=True)
P
}

# verb_run NOTEBOOK [OPTION…] executes a notebook without a browser.
verb_run() {
  if [ $# -eq 0 ]; then fail "run needs a notebook" "./install.sh run notebooks/quickstart.ipynb" 2; fi
  if [ ! -x "$bin/fsnet" ] || [ ! -x "$venv/bin/python" ] || [ ! -x "$bin/gonb" ]; then install_everything >&2; fi
  unset PYTHONPATH PYTHONHOME
  export PATH=$bin:$venv/bin:$PATH
  exec "$venv/bin/python" "$root/install/run_notebook.py" "$@"
}

# verb_uninstall [--purge] removes the installation and what the tests left; --purge also removes built
# tools, which only save time.
verb_uninstall() {
  local purge='' directory history=${XDG_STATE_HOME:-$HOME/.local/state}/fsnet/cell_history.jsonl
  case ${1:-} in
    '') ;;
    --purge) purge=yes ;;
    *) fail "unknown option $1 of uninstall" "./install.sh uninstall [--purge]" 2 ;;
  esac
  own_prefix
  own "$root"/tests/{.home,out}
  if [ -n "$purge" ]; then own "$cache/tools"; fi
  if our_link; then
    rm -f -- "$link"
    say "removed $link"
  fi
  # The kernelspec may have been written with other variables.
  for directory in "$(kernelspec_directory)" "${XDG_DATA_HOME:-$HOME/.local/share}/jupyter/kernels/fsnet" "$HOME"/{.local/share/jupyter,Library/Jupyter}/kernels/fsnet; do
    remove_kernelspec "$directory"
  done
  if made "$prefix"; then
    remove_plugin
    for directory in "$prefix"/{venv,src,src.new,cuda} "$prefix"/cuda.new-*; do remove "$directory"; done
    remove_files "$prefix/bin" fsnet gonb goimports gopls fsnet.new .{gonb,goimports,gopls}.new
    remove_files "$prefix/logs" {python,methods,plugin,cuda,fsnet,gonb,gopls,cells,kernelspec,link}.log{,.note}
    remove_marked "$prefix"
  fi
  for directory in "$root"/tests/{.home,out}; do remove "$directory"; done
  if [ -n "$purge" ]; then
    remove "$cache/tools"
    remove_programs
  elif [ -d "$cache/tools" ]; then
    say "left    $cache/tools: built tools that make the next installation quick (uninstall --purge removes them)"
  fi
  say "left    the caches of go and pip, your notebooks, and the runs in .fsnet directories beside them"
  if [ -f "$history" ]; then say "left    $history: the cells that you ran"; fi
}

# remove_kernelspec DIRECTORY removes the files of a kernelspec that starts this installation.
remove_kernelspec() {
  if [ ! -f "$1/kernel.json" ] || ! same "$(kernelspec_command "$1")" "$bin/fsnet"; then return; fi
  rm -f -- "$1"/logo-{32x32.png,64x64.png,svg.svg} "$1/kernel.json"
  rmdir -- "$1" 2>/dev/null || say "left    $1, which holds files of yours"
  say "removed $1/kernel.json"
}

# remove_plugin removes the plugin if its record says that install.sh fetched it.
remove_plugin() {
  local directory=$prefix/pjrt file plugin
  if [ ! -d "$directory" ] || [ -L "$directory" ]; then return; fi
  if [ -f "$directory/ORIGIN.json" ] && ! grep -q '"a file that was there before"' "$directory/ORIGIN.json"; then
    plugin=$directory/$(sed -n 's/^ *"file": "\(pjrt_c_api_[^/"]*\)".*/\1/p' "$directory/ORIGIN.json")
    for file in "$directory"/pjrt_c_api_cpu*; do # go-xla's installer leaves a link and a lock, too
      if [ "$file" -ef "$plugin" ] || [ "$file" = "$plugin.lock" ]; then rm -f -- "$file"; fi
    done
    rm -f -- "$directory"/{LICENSE,THIRD_PARTY_NOTICES} "$directory"/.placing-*
  fi
  remove_files "$directory" ORIGIN.json
  for file in "$directory"/*; do
    if there "$file"; then say "left    $file, which was there before"; fi
  done
}

# remove_programs removes the programs that XLA compiled: files named by a hash, and unfinished ones.
remove_programs() {
  local hash
  hash=$(printf '[0-9a-f]%.0s' {1..64})
  if [ -d "$cache/programs" ]; then
    find "$cache/programs" -mindepth 1 -maxdepth 1 -type f \( -name "$hash" -o -name '.fsnet-*' \) -exec rm -f -- {} +
  fi
  rmdir -- "$cache/programs" "$cache" 2>/dev/null || true
}

# remove_files DIRECTORY NAME… removes the files, and the directory if nothing else is in it.
remove_files() {
  if [ ! -d "$1" ]; then return; fi
  (cd -- "$1" && rm -f -- "${@:2}")
  if rmdir -- "$1" 2>/dev/null; then say "removed $1"; fi
}

# remove_marked DIRECTORY removes the mark, and the directory if it is empty and install.sh made it.
remove_marked() {
  local origin left
  read -r origin _ <"$1/$mark"
  rm -f -- "$1/$mark"
  if [ "$origin" != found ] && rmdir -- "$1" 2>/dev/null; then
    say "removed $1"
  elif empty "$1"; then
    say "left    $1, which was there before"
  else
    left=$(cd -- "$1" && find . -mindepth 1 -maxdepth 2 ! -type d | awk 'NR < 6 { printf " %s", $0 }')
    say "left    $1, which holds files that install.sh did not make:$left"
  fi
}

# remove DIRECTORY removes a directory of ours with its contents.
remove() {
  if ! there "$1"; then return; fi
  discard "$1"
  say "removed $1"
}
