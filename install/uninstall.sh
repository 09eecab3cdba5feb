# shellcheck shell=bash
# Everything that install.sh made goes again; what a person made stays.

# verb_uninstall [--purge] removes the installation and what the tests left; --purge also the built tools, which only save time.
verb_uninstall() {
  local purge='' spec left
  case ${1:-} in
    '') ;;
    --purge) purge=yes ;;
    *) fail "unknown option $1 of uninstall" "./install.sh uninstall [--purge]" 2 ;;
  esac
  if ours "$links/fsnet"; then remove "$links/fsnet"; fi
  while read -r spec; do
    if [ -f "$spec/kernel.json" ] && grep -qF "$prefix/" "$spec/kernel.json"; then remove "$spec"; fi
  done < <(kernelspec_directories)
  if [ -d "$prefix" ]; then
    remove_plugin
    for left in bin venv src src.new logs cuda; do
      if [ -e "$prefix/$left" ]; then remove "$prefix/$left"; fi
    done
    for left in "$prefix"/cuda.new-*; do
      if [ -e "$left" ]; then remove "$left"; fi
    done
    if rmdir "$prefix" 2>/dev/null; then
      say "removed $prefix"
    else
      say "left    $prefix, which holds files that install.sh did not make: $(cd -- "$prefix" && find . -mindepth 1 -maxdepth 2 ! -type d | head -n 5 | tr '\n' ' ')"
    fi
  fi
  for left in "$root/tests/.home" "$root/tests/.python" "$root/tests/out"; do
    if [ -e "$left" ]; then remove "$left"; fi
  done
  if [ -d "$cache" ]; then
    if [ -n "$purge" ]; then
      remove "$cache"
    else
      say "left    $cache: built tools that make the next installation quick (uninstall --purge removes them)"
    fi
  fi
  say "left    the caches of go and pip, your notebooks, and the runs in .fsnet directories beside them"
}

# remove_plugin takes the plugin only where its record says that install.sh fetched it.
remove_plugin() {
  local record=$prefix/pjrt/ORIGIN.json file
  if [ -f "$record" ] && ! grep -q '"a file that was there before"' "$record"; then
    remove "$prefix/pjrt"
    return
  fi
  rm -f "$record"
  rmdir "$prefix/pjrt" 2>/dev/null || true
  for file in "$prefix"/pjrt/*; do
    if [ -e "$file" ]; then say "left    $file, which was there before"; fi
  done
}

remove() {
  rm -rf -- "$1"
  say "removed $1"
}

# kernelspec_directories prints where a kernelspec of ours may lie.
kernelspec_directories() {
  if [ -n "${JUPYTER_DATA_DIR:-}" ]; then printf '%s\n' "$JUPYTER_DATA_DIR/kernels/fsnet"; fi
  printf '%s\n' "${XDG_DATA_HOME:-$HOME/.local/share}/jupyter/kernels/fsnet" "$HOME/.local/share/jupyter/kernels/fsnet" "$HOME/Library/Jupyter/kernels/fsnet"
}
