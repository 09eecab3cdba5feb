# shellcheck shell=bash
# XLA for NVIDIA GPUs: the plugin of JAX's authors and NVIDIA's libraries, each of one exact version. Only where it is asked for: it is
# some gigabytes.

cuda_home() { printf '%s/cuda\n' "$prefix"; }

# cuda_driver prints the version of NVIDIA's driver, or nothing.
cuda_driver() {
  local version=''
  if command -v nvidia-smi >/dev/null; then
    version=$(nvidia-smi --query-gpu=driver_version --format=csv,noheader 2>/dev/null | head -n 1 | tr -dc '0-9.') || version=''
  fi
  if [ -z "$version" ] && [ -r /proc/driver/nvidia/version ]; then
    version=$(grep -oE '[0-9]{3,}\.[0-9.]+' /proc/driver/nvidia/version | head -n 1) || version=''
  fi
  printf '%s\n' "$version"
}

# cuda_version ASKED prints 12 or 13: what was asked for, else by driver and GPU. CUDA 13 needs driver 580 and a GPU of 2018 or later
# (compute capability 7.5), CUDA 12 driver 525. Without a driver it is 13, for the machine that will have one.
cuda_version() {
  local driver oldest
  driver=$(cuda_driver)
  case $1 in
    12 | 13) printf '%s\n' "$1" && return ;;
  esac
  if [ -z "$driver" ]; then
    echo 13
  elif ! at_least "$driver" 525.60; then
    return 1
  elif ! at_least "$driver" 580; then
    echo 12
  else
    oldest=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | sort -n | head -n 1) || oldest=''
    if [ -n "$oldest" ] && ! at_least "$oldest" 7.5; then echo 12; else echo 13; fi
  fi
}

# cuda_list VERSION is the file with the names and hashes of what CUDA needs.
cuda_list() { printf '%s/install/python/cuda%s.txt\n' "$root" "$1"; }

# check_cuda sets cuda, the version, or says why CUDA cannot be installed here. It is one of the checks of the machine.
check_cuda() {
  local free need=5
  if [ "$(platform)" != linux/amd64 ]; then
    problem "the CUDA plugin is for Linux on amd64, and this is $(platform)" "run ./install.sh without --cuda"
    return
  fi
  if ! wheel_fits; then
    problem "the CUDA plugin needs glibc 2.27 or later" "run ./install.sh without --cuda"
    return
  fi
  if ! cuda=$(cuda_version "$cuda"); then
    problem "NVIDIA's driver $(cuda_driver) is too old for CUDA" "install driver 525 or later (580 for CUDA 13), or run ./install.sh without --cuda"
    return
  fi
  if cuda_there "$cuda"; then return; fi
  if [ "$cuda" = 12 ]; then need=6; fi
  free=$(df -Pk "$(existing "$prefix")" | awk 'NR == 2 { print int($4 / 1048576) }')
  if [ "$free" -lt "$need" ]; then
    problem "$prefix has $free GB free, and CUDA needs $need" "free some, or name another place in FSNET_HOME"
  fi
}

# existing PATH prints the nearest directory above that exists.
existing() {
  local place=$1
  while [ ! -d "$place" ]; do place=$(dirname -- "$place"); done
  printf '%s\n' "$place"
}

# cuda_there VERSION is true where exactly this list was installed.
cuda_there() { [ "$(cat "$(cuda_home)/$mark" 2>/dev/null)" = "$(sha256 "$(cuda_list "$1")")" ]; }

# cuda_plugin VERSION fetches wheel after wheel, unpacks what a program needs of it and deletes it, so that an interrupted download goes on
# with the next one and no more than one wheel lies on the disk.
cuda_plugin() {
  local list new home requirement name
  home=$(cuda_home) list=$(cuda_list "$1")
  new=$home.new-$(sha256 "$list" | cut -c 1-12)
  if cuda_there "$1"; then
    note "already there: CUDA $1"
    return
  fi
  bear "$new"
  mkdir -p "$new/.done"
  while read -r requirement; do
    name=${requirement%%==*}
    [ -e "$new/.done/$name" ] || cuda_wheel "$requirement" "$name" "$new"
  done <"$list"
  rm -rf "$new/.done" "$new/.wheel"
  sha256 "$list" >"$new/$mark"
  discard "$home"
  mv "$new" "$home"
  for name in "$home".new-*; do discard "$name"; done # what other lists left half done
  note "CUDA $1, $(wc -l <"$list" | tr -d ' ') packages with known hashes, $(du -sk "$home" | awk '{ printf "%.1f", $1 / 1048576 }') GB"
}

# cuda_wheel REQUIREMENT NAME DIRECTORY. pip's cache would keep a second copy.
cuda_wheel() {
  local wheel=$3/.wheel
  rm -rf "$wheel"
  mkdir -p "$wheel/temporary"
  printf '%s\n' "$1" >"$wheel/list.txt"
  echo "${1%% *}"
  # No Python of it is run, so it does not matter for which Python it is.
  TMPDIR=$wheel/temporary "$venv/bin/python" -m pip download --disable-pip-version-check --no-input --no-cache-dir --progress-bar off --no-deps \
    --only-binary :all: --ignore-requires-python --require-hashes --requirement "$wheel/list.txt" --dest "$wheel"
  "$venv/bin/python" "$root/install/place_plugin.py" cuda "$wheel"/*.whl "$3"
  rm -rf "$wheel"
  : >"$3/.done/$2"
}

# suggest_cuda says in one line that there is a GPU which FsNet does not use yet.
suggest_cuda() {
  local driver
  [ ! -d "$(cuda_home)" ] && [ "$(platform)" = linux/amd64 ] || return 0
  driver=$(cuda_driver)
  if [ -n "$driver" ]; then
    say "This machine has an NVIDIA driver ($driver): ./install.sh --cuda lets FsNet train on the GPU (about 3 GB to download, 4 GB of disk)."
  fi
}
