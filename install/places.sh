# shellcheck shell=bash
# Where everything goes: only in the user's home, and each place can be moved by the usual variables.

# places sets the variables that the other parts use.
places() {
  if [ -z "${HOME:-}" ] || [ ! -d "$HOME" ]; then
    fail "HOME is ${HOME:-not set}, which is no directory" "set HOME to a directory that you may write to"
  fi
  prefix=$(absolute "${FSNET_HOME:-${XDG_DATA_HOME:-$HOME/.local/share}/fsnet}")
  cache=$(absolute "${XDG_CACHE_HOME:-$HOME/.cache}/fsnet")
  bin=$prefix/bin
  venv=$prefix/venv
  links=$HOME/.local/bin
  logs=$prefix/logs
  notebooks=$root/notebooks
  cuda=''    # asked for with --cuda
  methods='' # asked for with lab --methods
  export FSNET_HOME=$prefix
}

# within PATH DIRECTORY is true for the directory itself too, and whichever links lead there.
within() {
  local path directory
  path=$(physical "$1")/ directory=$(physical "$2")/
  [ "$directory" = // ] || [ "${path#"$directory"}" != "$path" ]
}

# same PATH PATH is true for two names of one file, which need not be there.
same() { [ "$1" = "$2" ] || [ "$1" -ef "$2" ]; }

# absolute PATH is PATH from the root, without . and .., whether or not it exists.
absolute() {
  local rest=$1/ part at=''
  case $1 in
    /*) ;;
    *) rest=$PWD/$rest ;;
  esac
  while [ -n "$rest" ]; do
    part=${rest%%/*} rest=${rest#*/}
    case $part in
      '' | .) ;;
      ..) # of where a link leads, as the system reads it
        at=$(physical "${at:-/}")
        at=${at%/*}
        ;;
      *) at=$at/$part ;;
    esac
  done
  printf '%s\n' "${at:-/}"
}

# physical PATH is an absolute path without the links in what of it there is.
physical() {
  local there=$1 rest=''
  until [ -d "$there" ]; do
    rest=/${there##*/}$rest there=${there%/*}
    there=${there:-/}
  done
  there=$(cd -P -- "$there" && pwd -P)
  there=${there%/}$rest
  printf '%s\n' "${there:-/}"
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
