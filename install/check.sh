# shellcheck shell=bash
# What the machine must have. Everything is looked at before anything is done, and all that is missing is said at once.

# problem WHAT REMEDY
problem() {
  problems=$((problems + 1))
  printf '%s✗%s %s\n    → %s\n' "$red" "$plain" "$1" "$2" >&2
}

# check_machine ends with status 1 where something is missing. It sets python.
check_machine() {
  problems=0 found=''
  check_platform
  check_go
  check_compiler
  check_python
  if ! command -v patch >/dev/null && ! command -v git >/dev/null; then
    problem "there is neither patch nor git, to build GoNB with our patches" "install one of them (Debian, Ubuntu: apt-get install patch)"
  fi
  check_space
  if [ -n "${cuda:-}" ]; then check_cuda; fi
  if [ "$problems" -gt 0 ]; then
    fail "nothing was installed: $problems of the things that it needs $([ "$problems" = 1 ] && echo is || echo are) missing" "fix what is marked ✗ above, then run it again"
  fi
  printf '%s✓%s %s\n' "$green" "$plain" "${found# · }"
}

check_platform() {
  case $(platform) in
    linux/amd64 | linux/arm64 | darwin/arm64 | darwin/amd64) found="$found · $(platform)" ;;
    mingw* | msys* | cygwin*) problem "this is Windows without a Linux" "install WSL 2 and run this inside it" ;;
    *) problem "FsNet has not been tried on $(platform)" "use Linux or macOS on amd64 or arm64, or WSL 2 on Windows" ;;
  esac
}

# required_go is the version that go.mod asks for.
required_go() { awk '$1 == "go" { print $2; exit }' "$root/go.mod"; }

check_go() {
  local need said version elsewhere=''
  need=$(required_go)
  if ! command -v go >/dev/null; then
    if [ -x /usr/local/go/bin/go ]; then
      elsewhere="; there is one in /usr/local/go/bin that is not on your PATH"
    fi
    problem "Go is not installed$elsewhere" "install Go $need or later (also without root: unpack it in your home) and put its bin directory on PATH"
    return
  fi
  # Inside the clone, so that a Go that may fetch newer ones by itself does it now.
  if ! said=$(cd -- "$root" && go env GOVERSION 2>&1); then
    problem "Go is too old: $said" "install Go $need or later, or allow it to fetch one: GOTOOLCHAIN=auto"
    return
  fi
  version=${said#go}
  version=${version%% *}
  case $version in
    devel*) ;;
    *)
      if ! at_least "$version" "$need"; then
        problem "Go $version is too old" "install Go $need or later and put its bin directory first on PATH"
        return
      fi
      ;;
  esac
  found="$found · Go $version"
}

check_compiler() {
  local compiler=${CC:-} test_program said
  if [ -z "$compiler" ] && command -v go >/dev/null; then
    compiler=$(go env CC 2>/dev/null) || compiler=''
  fi
  compiler=${compiler:-cc}
  test_program=$(mktemp "${TMPDIR:-/tmp}/fsnet-check-XXXXXX")
  # The compiler may come with options, so it is split at spaces on purpose.
  # shellcheck disable=SC2086
  if said=$(printf '#include <stdlib.h>\nint main(void) { return 0; }\n' | $compiler -x c -o "$test_program" - 2>&1); then
    found="$found · $compiler"
  elif ! command -v "${compiler%% *}" >/dev/null; then
    problem "there is no C compiler ($compiler), which Go needs to load XLA" "$(compiler_remedy)"
  else
    problem "the C compiler $compiler does not compile: $(printf '%s' "$said" | head -n 1)" "$(compiler_remedy)"
  fi
  rm -f "$test_program"
}

compiler_remedy() {
  case $(uname -s) in
    Darwin) echo "xcode-select --install" ;;
    *) echo "install gcc or clang with the C library's headers (Debian, Ubuntu: apt-get install gcc libc6-dev), or name yours in CC" ;;
  esac
}

check_python() {
  local candidate version newest=''
  local -a candidates=(python3 python3.14 python3.13 python3.12 python3.11 python3.10)
  if [ -n "${PYTHON:-}" ]; then candidates=("$PYTHON"); fi
  python=''
  for candidate in "${candidates[@]}"; do
    version=$("$candidate" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' 2>/dev/null) || continue
    newest=${newest:-$version}
    if at_least "$version" 3.10; then
      python=$(command -v "$candidate")
      break
    fi
  done
  if [ -z "$python" ]; then
    if [ -n "$newest" ]; then newest="Python $newest is too old"; fi
    problem "${newest:-${PYTHON:-Python} is not installed}" "install Python 3.10 or later, or name one in PYTHON"
    return
  fi
  if ! "$python" -c 'import venv, ensurepip' 2>/dev/null; then
    problem "$python ($version) has no venv module" "install it (Debian, Ubuntu: apt-get install python3-venv), or name another Python in PYTHON"
    return
  fi
  found="$found · Python $version"
}

# check_space asks for what a first installation takes; later ones take little.
check_space() {
  local need=4 place free
  if [ -x "$bin/gopls" ] && [ -x "$venv/bin/jupyter-lab" ]; then
    need=1
  fi
  for place in "$prefix" "$cache"; do
    while [ ! -d "$place" ]; do place=$(dirname -- "$place"); done
    if [ ! -w "$place" ]; then
      problem "$place cannot be written to" "make it yours, or name another place in FSNET_HOME and XDG_CACHE_HOME"
      return
    fi
    free=$(df -Pk "$place" | awk 'NR == 2 { print int($4 / 1048576) }')
    if [ "$free" -lt "$need" ]; then
      problem "$place has $free GB free and needs $need" "free some, or name another place in FSNET_HOME (and XDG_CACHE_HOME, GOCACHE, GOMODCACHE)"
      return
    fi
  done
  found="$found · $free GB free"
}

# at_least VERSION NEEDED compares numbers between dots; a pre-release counts as its release.
at_least() {
  awk -v have="$1" -v need="$2" 'BEGIN {
    split(have, h, "."); n = split(need, w, ".")
    for (i = 1; i <= n; i++) { a = h[i] + 0; b = w[i] + 0; if (a != b) exit !(a > b) }
  }'
}
