# shellcheck shell=bash
# What a Go cell may import without a network: the handle to a session and the widgets' verbs, standard library only.

# cell_source copies those packages, and what they import of ours, into $prefix/src as a module that needs nothing.
cell_source() {
  local directory foreign new=$prefix/src.new
  anew "$new"
  cd -- "$root"
  foreign=$(go_here list -deps -f '{{if .Module}}{{if ne .Module.Path "fsnetlab"}}{{.ImportPath}}{{end}}{{end}}' ./fsnet/session ./widgets)
  if [ -n "$foreign" ]; then
    echo "a cell would need a network for $foreign"
    return 1
  fi
  go_here list -deps -f '{{if .Module}}{{.Dir}}{{end}}' ./fsnet/session ./widgets | while read -r directory; do
    mkdir -p "$new${directory#"$root"}"
    find "$directory" -maxdepth 1 -name '*.go' ! -name '*_test.go' -exec cp {} "$new${directory#"$root"}/" \;
  done
  printf 'module fsnetlab\n\ngo %s\n' "$(required_go)" >"$new/go.mod"
  if diff -r "$new" "$prefix/src" >/dev/null 2>&1; then
    discard "$new" # a cell may be compiling from what is there
    note "already there"
  else
    discard "$prefix/src"
    mv "$new" "$prefix/src"
  fi
  # The first cell finds the packages compiled, with the flags of cells (kernel/gonb, goFlags).
  cd -- "$prefix/src"
  GOFLAGS="-mod=mod '-ldflags=-s -w' -gcflags=all=-dwarf=false" GOPROXY=off go_here build ./... flag math math/rand sort
}
