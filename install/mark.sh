# shellcheck shell=bash
# What is ours to replace and to remove: a directory that bears the installer's mark, which is a file in it. Where something else lies
# under a name of ours, all is refused before the first write; what a person puts beside our files later stays.

mark=.fsnet-made-from
programs=(fsnet gonb goimports gopls)
bin_files=("${programs[@]}" fsnet.new .gonb.new .goimports.new .gopls.new)
steps=(python plugin cuda fsnet gonb gopls cells kernelspec link)
log_files=("${steps[@]/%/.log}" "${steps[@]/%/.log.note}")

marked() { [ -f "$1/$mark" ]; }

# made DIRECTORY is true for one that install.sh made. A link is not, wherever it leads.
made() { [ ! -L "$1" ] && marked "$1"; }

# there PATH is true for anything of that name, a link into nothing too.
there() { [ -e "$1" ] || [ -L "$1" ]; }

# entries DIRECTORY prints what lies in it, hidden or not.
entries() { find -H "$1" -mindepth 1 -maxdepth 1 | sort; }

empty() { [ -d "$1" ] && [ ! -L "$1" ] && [ -z "$(entries "$1")" ]; }

# bear DIRECTORY puts the mark into it, and remembers whether install.sh made it: an empty one that is there it did not.
bear() {
  local origin=made
  if marked "$1"; then return; fi
  if empty "$1"; then origin=found; fi
  mkdir -p "$1"
  printf '%s by install.sh of %s\n' "$origin" "$root" >"$1/$mark"
}

# discard DIRECTORY removes one of ours as a whole, the mark last, so that a removal that is cut short goes on the next time.
discard() {
  if ! there "$1"; then return; fi
  if made "$1"; then
    find "$1" -mindepth 1 -maxdepth 1 ! -name "$mark" -exec rm -rf -- {} + && rm -f -- "$1/$mark" && rmdir -- "$1"
  elif [ -L "$1" ] || ! rmdir -- "$1" 2>/dev/null; then
    echo "$1 was not made by install.sh: move it away" >&2
    return 1
  fi
}

# anew DIRECTORY empties one of ours, or makes it.
anew() {
  discard "$1"
  bear "$1"
}

# plugins_only DIRECTORY: a plugin of the user's own may lie where the installer would put one.
plugins_only() {
  [ -z "$(find -H "$1" -mindepth 1 ! -name 'pjrt_c_api_*' ! -name ORIGIN.json ! -name LICENSE ! -name THIRD_PARTY_NOTICES \
    ! -name '.placing-*')" ]
}

# prefix_strangers prints what in $prefix bears no mark and should, or is not ours at all.
prefix_strangers() {
  local entry
  while read -r entry; do
    case ${entry##*/} in
      "$mark") ;;
      venv | src | src.new | cuda | cuda.new-*) made "$entry" || empty "$entry" ;;
      bin | logs) { marked "$prefix" && [ -d "$entry" ] && [ ! -L "$entry" ]; } || empty "$entry" ;;
      pjrt) marked "$prefix" || plugins_only "$entry" ;;
      *) marked "$prefix" ;;
    esac || echo "$entry"
  done < <(entries "$prefix")
}

# cache_strangers spares the programs that fsnet itself keeps there, before an installer came or after it went.
cache_strangers() {
  if ! marked "$cache"; then entries "$cache" | awk -v programs="$cache/programs" '$0 != programs'; fi
}

# own_place DIRECTORY VARIABLE STRANGERS OTHER refuses a directory that is not for us alone, before anything is written or removed.
# STRANGERS is the function that prints what is against it, OTHER another place of ours.
own_place() {
  local place strangers
  for place in "$HOME" "$root" "$links" "$(kernelspec_directory)" "$4"; do
    if within "$place" "$1"; then
      fail "$1 is not a directory for FsNet alone: $place is in it" "name another place in $2, such as ~/.local/share/fsnet in FSNET_HOME" 2
    fi
  done
  if ! there "$1"; then return; fi
  if [ ! -d "$1" ]; then fail "$1 is not a directory" "move it away, or name another place in $2" 2; fi
  strangers=$("$3" | awk 'NR < 6 { printf "%s ", $0 }')
  if [ -n "$strangers" ]; then
    fail "$1 holds what install.sh did not make: ${strangers% }" "move that away, or name another place in $2; nothing was changed" 2
  fi
}

own_prefix() { own_place "$prefix" FSNET_HOME prefix_strangers "$cache"; }

own_cache() { own_place "$cache" XDG_CACHE_HOME cache_strangers "$prefix"; }

# check_test_places looks at what the tests leave in the clone.
check_test_places() {
  local place
  for place in "$root"/tests/{.home,.python,out}; do
    if ! there "$place" || made "$place" || empty "$place"; then continue; fi
    fail "$place was not made by install.sh" "move it away; nothing was changed" 2
  done
}
