# shellcheck shell=bash
# The kernelspec, by which every Jupyter of this user finds the kernel.

kernelspec() {
  "$bin/fsnet" kernelspec --command "$bin/fsnet"
  note "FsNet (Go), for every Jupyter of yours"
}

# kernelspec_directory prints where fsnet will write it, as UserDirectory in kernel/kernelspec says.
kernelspec_directory() {
  if [ -z "${JUPYTER_DATA_DIR:-}" ] && [ "$(uname -s)" = Darwin ]; then
    printf '%s\n' "$HOME/Library/Jupyter/kernels/fsnet"
  else
    printf '%s\n' "${JUPYTER_DATA_DIR:-${XDG_DATA_HOME:-$HOME/.local/share}/jupyter}/kernels/fsnet"
  fi
}

# own_kernelspec refuses to write over another kernel of that name.
own_kernelspec() {
  local spec
  spec=$(kernelspec_directory)
  if [ -f "$spec/kernel.json" ] && [ -z "$(kernelspec_command "$spec")" ]; then
    fail "$spec is another kernel of that name" "move it away, or name another place in JUPYTER_DATA_DIR; nothing was changed" 2
  fi
}

# kernelspec_directories prints where one of ours may lie: other variables may have been set when it was written.
kernelspec_directories() {
  {
    kernelspec_directory
    printf '%s/kernels/fsnet\n' "${XDG_DATA_HOME:-$HOME/.local/share}/jupyter" "$HOME/.local/share/jupyter" "$HOME/Library/Jupyter"
  } | awk '!seen[$0]++'
}

# kernelspec_command DIRECTORY prints the fsnet that the kernel there starts, or nothing where it is another kernel.
kernelspec_command() {
  local words='"kernel", *"--connection-file", *"\{connection_file\}"'
  tr -d '\n' <"$1/kernel.json" | sed -nE 's/.*"argv": *\[ *"([^"]*\/fsnet)", *'"$words"' *\].*/\1/p' | sed 's/\\u0026/\&/g'
}

# remove_kernelspec DIRECTORY removes the files of one that starts this installation.
remove_kernelspec() {
  if [ ! -f "$1/kernel.json" ] || ! same "$(kernelspec_command "$1")" "$bin/fsnet"; then return; fi
  rm -f -- "$1"/logo-{32x32.png,64x64.png,svg.svg} "$1/kernel.json"
  rmdir -- "$1" 2>/dev/null || say "left    $1, which holds files of yours"
  say "removed $1/kernel.json"
}
