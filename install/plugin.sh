# shellcheck shell=bash
# The PJRT CPU plugin: XLA as one library, without which FsNet trains on GoMLX's Go backend.

# pjrt_plugin takes the first of: one already there, the wheel whose hash is known, what go-xla's installer fetches, none. It never
# fails the installation: every part works without a plugin, only slower.
pjrt_plugin() {
  local there
  there=$(plugin_there)
  case $there in
    '') ;;
    "$prefix"/pjrt/*)
      if [ ! -f "$prefix/pjrt/ORIGIN.json" ] && [ ! -L "$prefix/pjrt" ]; then
        place_plugin record "$there" 'a file that was there before'
      fi
      note "already there: ${there##*/}"
      return
      ;;
    *)
      note "already there: $there"
      return
      ;;
  esac
  if wheel_fits; then
    if plugin_from_wheel; then
      note "from the wheel of $(cut -d ' ' -f 1 "$root/install/python/pjrt.txt"), hash checked"
      return
    fi
  elif plugin_from_goxla; then
    note "from go-xla's own installer"
    return
  fi
  if grep -q 'Expected sha256' "$attempt_log"; then
    note "REFUSED: what came does not have the known hash ($attempt_log). FsNet will train on the Go backend, about ten times slower"
    return
  fi
  note "none available: FsNet will train on the Go backend, about ten times slower ($attempt_log says why)"
}

# plugin_there prints the plugin that fsnet would load, if there is one. The directories are those of fsnet.PluginDirectories.
plugin_there() {
  local directory file IFS=:
  for directory in ${PJRT_PLUGIN_LIBRARY_PATH:-} "$prefix/pjrt" "$HOME/.local/lib/go-xla" /usr/local/lib/go-xla; do
    for file in "$directory"/pjrt_c_api_cpu*plugin.so "$directory"/pjrt_c_api_cpu*plugin.dylib; do
      if [ -f "$file" ]; then
        printf '%s\n' "$file"
        return
      fi
    done
  done
}

# wheel_fits: the wheel is for Linux on amd64 with glibc 2.27 or later.
wheel_fits() {
  local glibc
  [ "$(platform)" = linux/amd64 ] || return 1
  glibc=$(getconf GNU_LIBC_VERSION 2>/dev/null) || return 1
  at_least "${glibc##* }" 2.27
}

plugin_from_wheel() {
  local scratch status=0
  scratch=$(mktemp -d "${TMPDIR:-/tmp}/fsnet-plugin-XXXXXX")
  download_plugin "$venv/bin/python" "$scratch" && place_plugin wheel "$scratch"/*.whl || status=$?
  rm -rf "$scratch"
  return "$status"
}

# download_plugin PYTHON DIRECTORY fetches the wheel with the plugin, and refuses any other content than the one known.
download_plugin() {
  "$1" -m pip download --disable-pip-version-check --no-input --no-deps --only-binary :all: --require-hashes \
    --requirement "$root/install/python/pjrt.txt" --dest "$2"
}

plugin_from_goxla() {
  local there
  (cd -- "$root" && CGO_ENABLED=1 go run ./install/goxla "$prefix/pjrt") || return
  there=$(plugin_there)
  [ -n "$there" ] && place_plugin record "$there" "go-xla's installer"
}

place_plugin() { "$venv/bin/python" "$root/install/place_plugin.py" "$1" "$2" "$prefix/pjrt" "${3:-}"; }
