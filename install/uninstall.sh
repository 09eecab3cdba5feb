# shellcheck shell=bash
# Everything that install.sh made goes again; what a person made stays.

# verb_uninstall [--purge] removes the installation and what the tests left; --purge also the built tools, which only save time.
verb_uninstall() {
  local purge='' spec left history=${XDG_STATE_HOME:-$HOME/.local/state}/fsnet/cell_history.jsonl
  case ${1:-} in
    '') ;;
    --purge) purge=yes ;;
    *) fail "unknown option $1 of uninstall" "./install.sh uninstall [--purge]" 2 ;;
  esac
  own_prefix
  if [ -n "$purge" ]; then own_cache; fi
  check_test_places
  if ours "$links/fsnet"; then
    rm -f -- "$links/fsnet"
    say "removed $links/fsnet"
  fi
  while read -r spec; do remove_kernelspec "$spec"; done < <(kernelspec_directories)
  if marked "$prefix"; then remove_prefix; fi
  for left in "$root"/tests/{.home,.python,out}; do remove "$left"; done
  if [ -n "$purge" ]; then
    remove_cache
  elif [ -d "$cache/tools" ]; then
    say "left    $cache: built tools that make the next installation quick (uninstall --purge removes them)"
  fi
  say "left    the caches of go and pip, your notebooks, and the runs in .fsnet directories beside them"
  if [ -f "$history" ]; then say "left    $history: the cells that you ran"; fi
}

# remove_prefix removes what install.sh made there, and the directory itself where it made that and nothing else is in it.
remove_prefix() {
  local left
  remove_plugin
  for left in "$prefix"/venv "$prefix"/src "$prefix"/src.new "$prefix"/cuda "$prefix"/cuda.new-*; do remove "$left"; done
  remove_files "$prefix/bin" "${bin_files[@]}"
  remove_files "$prefix/logs" "${log_files[@]}"
  remove_marked "$prefix"
}

remove_cache() {
  remove_programs
  if ! marked "$cache"; then return; fi
  rm -rf -- "$cache/tools"
  remove_marked "$cache"
}

# remove_programs removes what fsnet keeps there of what XLA compiled: files named by a hash, and those that a crash left unfinished.
remove_programs() {
  if [ ! -d "$cache/programs" ]; then return; fi
  find "$cache/programs" -mindepth 1 -maxdepth 1 -type f \( -name "$(printf '[0-9a-f]%.0s' {1..64})" -o -name '.fsnet-*' \) -exec rm -f -- {} +
  rmdir -- "$cache/programs" "$cache" 2>/dev/null || true # the installer's mark and tools go next
}

# remove_marked DIRECTORY takes the mark out, and the directory away where it is empty and was not there before.
remove_marked() {
  local origin='' left
  if marked "$1"; then read -r origin _ <"$1/$mark"; fi
  rm -f -- "$1/$mark"
  if [ "$origin" != found ] && rmdir -- "$1" 2>/dev/null; then
    say "removed $1"
  elif empty "$1" || [ -L "$1" ]; then
    say "left    $1, which was there before"
  else
    left=$(cd -- "$1" && find . -mindepth 1 -maxdepth 2 ! -type d | awk 'NR < 6 { printf " %s", $0 }')
    say "left    $1, which holds files that install.sh did not make:$left"
  fi
}

# remove_files DIRECTORY NAME… leaves what a person put beside them.
remove_files() {
  local directory=$1
  shift
  if [ ! -d "$directory" ]; then return; fi
  (cd -- "$directory" && rm -f -- "$@")
  if rmdir -- "$directory" 2>/dev/null; then say "removed $directory"; fi
}

# remove_plugin takes the plugin only where its record says that install.sh fetched it.
remove_plugin() {
  local directory=$prefix/pjrt file plugin
  if [ ! -d "$directory" ] || [ -L "$directory" ]; then return; fi
  if [ -f "$directory/ORIGIN.json" ] && ! grep -q '"a file that was there before"' "$directory/ORIGIN.json"; then
    plugin=$directory/$(sed -n 's/^ *"file": "\(pjrt_c_api_[^/"]*\)".*/\1/p' "$directory/ORIGIN.json")
    for file in "$directory"/pjrt_c_api_cpu*; do # go-xla's installer leaves a link and a lock beside it
      if [ "$file" -ef "$plugin" ] || [ "$file" = "$plugin.lock" ]; then rm -f -- "$file"; fi
    done
    rm -f -- "$directory"/{LICENSE,THIRD_PARTY_NOTICES} "$directory"/.placing-*
  fi
  remove_files "$directory" ORIGIN.json
  for file in "$directory"/*; do
    if there "$file"; then say "left    $file, which was there before"; fi
  done
}

# remove DIRECTORY removes one of ours as a whole.
remove() {
  if ! there "$1"; then return; fi
  discard "$1"
  say "removed $1"
}
