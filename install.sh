#!/usr/bin/env bash
# Installs FsNet from this clone: without root, only in the home directory, as often as you like. ./install.sh help explains.
set -euo pipefail

root=$(unset CDPATH && cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)

# shellcheck source=install/say.sh
. "$root/install/say.sh"
# shellcheck source=install/places.sh
. "$root/install/places.sh"
# shellcheck source=install/mark.sh
. "$root/install/mark.sh"
# shellcheck source=install/check.sh
. "$root/install/check.sh"
# shellcheck source=install/python.sh
. "$root/install/python.sh"
# shellcheck source=install/plugin.sh
. "$root/install/plugin.sh"
# shellcheck source=install/cuda.sh
. "$root/install/cuda.sh"
# shellcheck source=install/binaries.sh
. "$root/install/binaries.sh"
# shellcheck source=install/cells.sh
. "$root/install/cells.sh"
# shellcheck source=install/kernel.sh
. "$root/install/kernel.sh"
# shellcheck source=install/everything.sh
. "$root/install/everything.sh"
# shellcheck source=install/release.sh
. "$root/install/release.sh"
# shellcheck source=install/lab.sh
. "$root/install/lab.sh"
# shellcheck source=install/test.sh
. "$root/install/test.sh"
# shellcheck source=install/stages.sh
. "$root/install/stages.sh"
# shellcheck source=install/uninstall.sh
. "$root/install/uninstall.sh"

verb_help() { cat "$root/install/help.txt"; }

main() {
  local verb=${1:-install} near
  local -a verbs=(install lab run test wheel release docs uninstall help)
  case $verb in
    -h | --help) verb=help ;;
    --*) verb=install ;; # an option without a verb is one of install
    *) if [ $# -gt 0 ]; then shift; fi ;;
  esac
  case " ${verbs[*]} " in
    *" $verb "*) ;;
    *)
      near=$(nearest "$verb" "${verbs[@]}")
      if [ -n "$near" ]; then fail "unknown verb $verb" "did you mean $near?" 2; fi
      fail "unknown verb $verb" "one of ${verbs[*]}" 2
      ;;
  esac
  case " $* " in
    *" --help "* | *" -h "*) verb=help ;;
  esac
  if [ "$verb" != help ]; then places; fi
  "verb_$verb" "$@"
}

main "$@"
