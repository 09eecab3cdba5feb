#!/usr/bin/env bash
# Installs FsNet from this clone: without root, only in the home directory, as often as you like. ./install.sh help explains.
set -euo pipefail

root=$(unset CDPATH && cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)

# shellcheck source=install/lib.sh
. "$root/install/lib.sh"
# shellcheck source=install/release.sh
. "$root/install/release.sh"
# shellcheck source=install/test.sh
. "$root/install/test.sh"

verb_help() { cat "$root/install/help.txt"; }

main() {
  local verb=${1:-install} verbs='install lab run test wheel release docs uninstall help'
  case $verb in
    -h | --help) verb=help ;;
    --*) verb=install ;; # an option without a verb is one of install
    *) if [ $# -gt 0 ]; then shift; fi ;;
  esac
  case " $verbs " in
    *" $verb "*) ;;
    *) fail "unknown verb $verb" "one of $verbs" 2 ;;
  esac
  case " $* " in
    *" --help "* | *" -h "*) verb=help ;;
  esac
  if [ "$verb" != help ]; then places; fi
  "verb_$verb" "$@"
}

main "$@"
