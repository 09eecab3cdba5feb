# shellcheck shell=bash
# Releases for machines without a clone: a wheel for pip, and an archive. Both hold one tree, bin and
# share. Those for platforms other than linux/amd64 are marked untested; Go builds them without a C
# compiler, and so without XLA, unless CC names a cross compiler.

release_platforms='linux/amd64 linux/arm64 darwin/arm64 darwin/amd64'

# verb_wheel [PLATFORM…|all] builds dist/fsnetlab-….whl, by default for this machine.
verb_wheel() { build_release wheel "$@"; }

# verb_release [PLATFORM…|all] builds wheel, archive, bill of materials and checksums.
verb_release() { build_release release "$@"; }

# verb_docs builds dist/site.
verb_docs() {
  if [ $# -gt 0 ]; then fail "docs takes nothing, but got $1" "./install.sh help" 2; fi
  check_machine
  dist=$root/dist logs=$root/dist/logs
  step docs-python "Python environment, MkDocs" "look at the network" python_environment "$root/install/python/docs.txt" "$dist/python"
  step docs-fsnet "fsnet" "look at the log" build_fsnet "$dist/fsnet-here"
  step docs "site" "look at the log: it names the dead link" site
}

site() {
  "$dist/python/bin/python" "$root/install/site/build.py" "$dist/fsnet-here" "$dist/site"
  note "$dist/site/index.html"
}

build_release() {
  local verb=$1 platform
  local -a platforms=()
  shift
  for platform in "$@"; do
    case " $release_platforms all " in
      *" $platform "*) ;;
      *) fail "$verb does not build for $platform" "choose from: $release_platforms all" 2 ;;
    esac
    if [ "$platform" = all ]; then read -r -a platforms <<<"$release_platforms"; else platforms+=("$platform"); fi
  done
  check_machine
  dist=$root/dist logs=$root/dist/logs
  rm -f -- "$dist/fsnet-here" "$dist"/fsnetlab-* # from earlier builds
  if [ ${#platforms[@]} -eq 0 ]; then platforms=("$(go env GOOS)/$(go env GOARCH)"); fi
  for platform in "${platforms[@]}"; do build_platform "$verb" "${platform%/*}" "${platform#*/}"; done
  rm -f -- "$dist/fsnet-here"
}

# build_platform VERB GOOS GOARCH
build_platform() {
  local verb=$1 goos=$2 goarch=$3
  tree=$dist/tree
  release_number=$(sed -n 's/^const number = "\(.*\)"$/\1/p' "$root/internal/system/version.go")
  SOURCE_DATE_EPOCH=$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 315532800) # the same commit packs to the same bytes
  export SOURCE_DATE_EPOCH
  release_name=fsnetlab-$release_number-$goos-$goarch
  export GOOS=$goos GOARCH=$goarch cgo=1
  if [ "$goos/$goarch" != "$(go env GOHOSTOS)/$(go env GOHOSTARCH)" ] && [ -z "${CC:-}" ]; then cgo=0; fi
  rm -rf -- "$tree"
  mkdir -p "$tree/bin" "$tree/share/fsnetlab"
  step "$verb-fsnet" "fsnet for $goos/$goarch" "$network" release_program
  if [ "$goos/$goarch" = linux/amd64 ]; then
    step "$verb-plugin" "XLA plugin for the CPU" "$network" release_plugin
  else
    release_name+=-untested
    untested >"$tree/share/fsnetlab/UNTESTED"
    say "  untested, without XLA: it trains on the Go backend, about ten times slower"
  fi
  step "$verb-words" "kernel, man pages, licences" "look at git status: the clone may be incomplete" release_words
  step "$verb-wheel" "wheel" "free some space" pack wheel.py "$release_number" "$goos" "$goarch"
  if [ "$verb" = release ]; then step "$verb-archive" "archive" "free some space" pack archive.py "$release_name"; fi
  rm -rf -- "$tree"
}

# untested prints the note in builds for other platforms.
untested() {
  say "This build of FsNet Lab for $GOOS/$GOARCH was compiled on another platform. Its tests have not run there."
  if [ "$cgo" = 0 ]; then
    say "It was built without a C compiler, and therefore without XLA: it trains on GoMLX's Go backend, about ten times slower."
    say "Everything else is in it. For XLA, clone FsNet Lab and run ./install.sh on that machine."
  else
    say "It has no XLA plugin; it loads the one that PJRT_PLUGIN_LIBRARY_PATH names, or else trains on the Go backend."
  fi
}

# release_program builds the program, and one for this machine, which writes the other files.
release_program() {
  build_fsnet "$tree/bin/fsnet"
  if "$tree/bin/fsnet" version >/dev/null 2>&1; then
    cp "$tree/bin/fsnet" "$dist/fsnet-here"
  elif ! "$dist/fsnet-here" version 2>/dev/null | grep -qF "$release_number"; then
    unset GOOS GOARCH CC cgo
    build_fsnet "$dist/fsnet-here"
  fi
  note "$release_number$([ "$cgo" = 1 ] || echo ", without C")"
}

# release_plugin unpacks the plugin from the wheel with the known hash. That wheel is not a dependency,
# since it would bring JAX and SciPy.
release_plugin() {
  local scratch=$dist/download
  rm -rf -- "$scratch"
  "$python" -m venv "$scratch/python"
  plugin_wheel "$scratch/python" "$tree/share/fsnetlab/pjrt" "$scratch/wheel"
  rm -rf -- "$scratch"
  note "from the wheel of $(cut -d ' ' -f 1 "$root/install/python/pjrt.txt"), hash checked"
}

# release_words writes a kernelspec that finds its program by relative path, JupyterLab's settings, man
# pages, completion, methods/, licences and the bill of materials.
release_words() {
  local share=$tree/share
  env -u FSNET_HOME "$dist/fsnet-here" kernelspec --dir "$share/jupyter/kernels/fsnet" --command '{resource_dir}/../../../../bin/fsnet'
  "$dist/fsnet-here" pages --share "$share"
  mkdir -p "$share/jupyter/lab/settings/overrides.d"
  cp "$root/install/release/overrides.json" "$share/jupyter/lab/settings/overrides.d/fsnetlab.json"
  cp -R "$root/methods" "$share/fsnetlab/methods"
  rm -rf -- "$share/fsnetlab/methods/__pycache__"
  cp "$root/LICENSE" "$share/fsnetlab/LICENSE"
  cd -- "$root"
  go_here list -deps -json=Module,Standard ./cmd/fsnet |
    "$python" install/release/bill.py "$release_number" "$(go env GOROOT)" "$(go env GOVERSION)" "$tree" "$dist/$release_name.cdx.json"
}

# pack SCRIPT WORD… runs a packer and notes what it packed.
pack() {
  local packed
  packed=$("$python" "$root/install/release/$1" "$tree" "$dist" "${@:2}")
  note "$packed"
}
