# shellcheck shell=bash
# Where everything goes: only in the user's home, and each place can be moved by the usual variables.

# places sets the variables that the other parts use.
places() {
  if [ -z "${HOME:-}" ] || [ ! -d "$HOME" ]; then
    fail "HOME is ${HOME:-not set}, which is no directory" "set HOME to a directory that you may write to"
  fi
  prefix=$(absolute "${FSNET_HOME:-${XDG_DATA_HOME:-$HOME/.local/share}/fsnet}")
  cache=$(absolute "${XDG_CACHE_HOME:-$HOME/.cache}/fsnet")
  case $prefix in
    / | "$HOME" | "$HOME/") fail "FSNET_HOME=$prefix is not a directory for FsNet alone" "name one that may be removed as a whole, such as ~/.local/share/fsnet" 2 ;;
  esac
  bin=$prefix/bin
  venv=$prefix/venv
  links=$HOME/.local/bin
  logs=$prefix/logs
  notebooks=$root/notebooks
  cuda='' # asked for with --cuda
  export FSNET_HOME=$prefix
}

# absolute PATH is PATH from the root, whether or not it exists.
absolute() {
  case $1 in
    /*) printf '%s\n' "$1" ;;
    *) printf '%s\n' "$PWD/$1" ;;
  esac
}

# sha256 FILE prints its hash.
sha256() {
  if command -v sha256sum >/dev/null; then
    sha256sum "$1" | cut -d ' ' -f 1
  else
    shasum -a 256 "$1" | cut -d ' ' -f 1
  fi
}

# platform prints what Go would call this machine: linux/amd64, darwin/arm64 …
platform() {
  local system machine
  system=$(uname -s | tr '[:upper:]' '[:lower:]')
  machine=$(uname -m)
  case $machine in
    x86_64 | amd64) machine=amd64 ;;
    aarch64 | arm64) machine=arm64 ;;
  esac
  printf '%s/%s\n' "$system" "$machine"
}
