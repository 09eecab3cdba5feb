# shellcheck shell=bash
# The programs: fsnet from this clone, and the three that compile and explain Go cells, each of one exact version.

gopls_version=v0.22.0
gopls_sum=h1:9aON2mTxKrZ1y71RbQVnlPTTNfKZ9y5cv3x/f6XpsZw=
golangci_version=v2.11.4

# go_here runs go without the settings of a user that would change what is built; cgo=0 is for a platform that no C compiler is at hand for.
go_here() { CGO_ENABLED=${cgo:-1} GOWORK=off GO111MODULE=on go "$@"; }

# build_fsnet FILE builds from the clone; Go's build cache makes it quick when nothing changed.
build_fsnet() {
  local stamp=-buildvcs=false
  if git -C "$root" rev-parse HEAD >/dev/null 2>&1; then stamp=-buildvcs=true; fi
  cd -- "$root"
  GOFLAGS='' go_here build -v -trimpath "$stamp" -ldflags "-s -w" -o "$1" ./cmd/fsnet
}

fsnet_binary() {
  mkdir -p "$bin"
  build_fsnet "$bin/fsnet.new"
  mv -f "$bin/fsnet.new" "$bin/fsnet" # a running kernel keeps the file that it started from
  note "$("$bin/fsnet" version | head -n 1)"
}

# link_fsnet puts the command where a shell finds it, unless something else of that name lies there.
link_fsnet() {
  local link=$links/fsnet
  if there "$link" && ! ours "$link"; then
    note "left $link alone, which is not ours; the command is $bin/fsnet"
    return
  fi
  mkdir -p "$links"
  ours "$link" || ln -sfn "$bin/fsnet" "$link"
  case :$PATH: in
    *:"$links":*) note "$link" ;;
    *) note "$link (put $links on your PATH to call it fsnet)" ;;
  esac
}

# ours LINK is true for a link into this installation.
ours() { [ -L "$1" ] && same "$(readlink "$1")" "$bin/fsnet"; }

# tool_directory NAME VERSION prints where a built tool is kept: it depends on nothing but its version, the compiler and the platform.
tool_directory() { printf '%s/tools/%s-%s-%s\n' "$cache" "$1" "$2" "$(go env GOVERSION GOOS GOARCH | tr '\n' '-' | sed 's/-$//')"; }

# kept DIRECTORY NAME FUNCTION… runs a function that builds into the directory in its last argument, unless it is kept there already.
# Other clones may build the same at the same time: each builds in a directory of its own, and the one that is done first is kept.
kept() {
  local directory=$1 name=$2 new
  shift 2
  if [ -x "$directory/$name" ]; then
    note "already built"
    return
  fi
  bear "$cache"
  mkdir -p "${directory%/*}"
  find "${directory%/*}" -mindepth 1 -maxdepth 1 -name '*.new*' -mmin +1440 -exec rm -rf -- {} + # a day old: cut short
  new=$(mktemp -d "$directory.new-XXXXXX")
  "$@" "$new"
  if [ -d "$directory" ] && [ ! -x "$directory/$name" ]; then rm -rf "$directory"; fi
  mv "$new" "$directory" 2>/dev/null || [ -x "$directory/$name" ]
  rm -rf "$new" "${directory:?}/${new##*/}" # mv puts it there, or leaves it, where another was quicker
}

# into_bin FILE… copies tools beside fsnet.
into_bin() {
  local file
  mkdir -p "$bin"
  for file in "$@"; do
    cmp -s "$file" "$bin/${file##*/}" && continue
    cp "$file" "$bin/.${file##*/}.new"
    mv -f "$bin/.${file##*/}.new" "$bin/${file##*/}"
  done
}

# gonb_and_goimports: the versions and the hashes of all they need are in install/gonb/go.mod and go.sum; beside them lies what we change in GoNB.
gonb_and_goimports() {
  local directory
  directory=$(tool_directory gonb "$(cat "$root"/install/gonb/* | sha256 - | cut -c 1-12)")
  kept "$directory" gonb build_gonb
  into_bin "$directory/gonb" "$directory/goimports"
}

# build_gonb builds GoNB from its source with our patches, in a folder by whose name the kernel knows it (kernel/gonb/toolchain).
build_gonb() {
  local source=$1/source patch
  mkdir "$source"
  cp "$root"/install/gonb/go.* "$source"
  cd -- "$source"
  cp -R "$(GOFLAGS='' go_here mod download -json github.com/janpfeifer/gonb | json_field Dir)" patched-2
  chmod -R u+w patched-2
  for patch in "$root"/install/gonb/*.patch; do
    if command -v patch >/dev/null; then
      patch -s -p1 -d patched-2 <"$patch"
    else # git, which a clone comes by; not as a part of a repository around this folder
      (cd patched-2 && GIT_CEILING_DIRECTORIES=$source git apply "$patch")
    fi
  done
  GOFLAGS='' go_here mod edit -replace github.com/janpfeifer/gonb=./patched-2
  GOFLAGS='' go_here build -v -trimpath -buildvcs=false -ldflags "-s -w" -o "$1/" github.com/janpfeifer/gonb golang.org/x/tools/cmd/goimports
  cd -- "$1" && rm -rf "$source"
}

gopls_binary() {
  local directory
  directory=$(tool_directory gopls "$gopls_version")
  kept "$directory" gopls build_gopls
  into_bin "$directory/gopls"
}

# build_gopls builds inside gopls's own module, whose go.sum vouches for the rest.
build_gopls() {
  local module source
  cd -- "$1"
  module=$(GOFLAGS='' go_here mod download -json "golang.org/x/tools/gopls@$gopls_version")
  if [ "$(json_field Sum <<<"$module")" != "$gopls_sum" ]; then
    echo "gopls $gopls_version has the hash $(json_field Sum <<<"$module"), which is not $gopls_sum"
    return 1
  fi
  source=$(json_field Dir <<<"$module")
  cd -- "$source"
  GOFLAGS='' go_here build -v -trimpath -buildvcs=false -ldflags "-s -w" -o "$1/gopls" .
}

json_field() { "$python" -c 'import json, sys; print(json.load(sys.stdin).get(sys.argv[1], ""))' "$1"; }

# golangci_binary is for the tests only.
golangci_binary() { kept "$(tool_directory golangci-lint "$golangci_version")" golangci-lint build_golangci; }

build_golangci() {
  cd -- "$1"
  GOFLAGS='' GOBIN=$1 go_here install -v "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$golangci_version"
}
