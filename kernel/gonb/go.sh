#!/bin/sh
# The go command as GoNB sees it: the real one, except in GoNB's own module.
#   mod init   puts the prepared module there
#   build      that misses a package gets it: the kernel tells GoNB not to do so before every build
#              of a program that imports what was looked up is the compiler and the linker alone (see quick)
# shellcheck disable=SC2154 # what the kernel has looked up is sourced
go=$FSNET_REAL_GO

# quick builds main.go as the program $1 with what the kernel has looked up (lookup.go). Whether that fits is seen while the compiler works.
# What goes wrong here is for the go command to tell.
quick() {
	[ -f "$FSNET_LOOKED_UP" ] || return 1
	# shellcheck source=/dev/null
	. "$FSNET_LOOKED_UP"
	"$tools/compile" -dwarf=false -p main -lang="$language" -complete -nolocalimports -importcfg "$files/imports" -pack -o "$files/main.a" main.go &
	if ! fits; then
		wait
		return 1
	fi
	if linked "$1"; then
		kill $!
		wait
		return 0
	fi
	: >"$files/linked" # nothing is
	cp main.go "$files/linked.go" && wait $! &&
		"$tools/link" -s -w -buildmode=exe -importcfg "$files/packages" -o "$1" "$files/main.a" && stamp "$1" >"$files/linked"
}

# stamp is what the system says of a program, or of sources and what lies in them: another one says otherwise, however old it says that it is.
stamp() { find "$@" -maxdepth 1 -printf '%p %s %T@ %C@\n' 2>&1; }

# linked tells whether the program $1 is that of main.go already: the cell is run again.
linked() {
	cmp -s main.go "$files/linked.go" && [ "$(stamp "$1")" = "$(cat "$files/linked")" ]
}

# fits tells whether what was looked up is of this go.mod and these settings, main.go is all there is, and no source has changed since.
fits() {
	[ "$environment" = "$GOFLAGS $GOOS $GOARCH $CGO_ENABLED" ] && [ "$(echo *.go)" = main.go ] && [ ! -f go.work ] &&
		cmp -s go.mod "$files/go.mod" || return 1
	grep -q -e '^[[:space:]]*//go:' -e '"C"$' -e '"embed"$' -e '"runtime/debug"$' main.go && return 1
	set -f
	IFS='
'
	# shellcheck disable=SC2086 # a source a line
	if [ "$(stamp $sources)" != "$stamps" ]; then
		rm -f "$FSNET_LOOKED_UP" # to be looked up again
		return 1
	fi
}

# built runs a command of go, and passes on what it says where it succeeds.
built() {
	output=$("$go" "$@" 2>&1) || return
	[ -z "$output" ] || printf '%s\n' "$output"
}

case $PWD in
"$TMPDIR"/gonb_*) ;;
*) exec "$go" "$@" ;;
esac
case $1 in
mod)
	if [ "$2" = init ] && [ $# -eq 3 ]; then
		exec cp "$FSNET_MODULE" go.mod
	fi
	;;
build | test)
	export GOGC=off GOMEMLIMIT=1GiB # compiler and linker end before it is worth collecting; the cell is not run here
	if [ "$1" = build ] && [ $# -eq 3 ] && [ "$2" = -o ] && quick "$3" >/dev/null 2>&1; then
		exit 0
	fi
	built "$@" && exit
	# A directory of the user's own is not for the network to hear of.
	own=$(printf '%s\n' "$output" | sed -n 's/.*: module \([^ ]*\) provides package .* is replaced but not required.*/\1/p')
	# shellcheck disable=SC2086 # a module a word
	[ -n "$own" ] && GOPROXY=off "$go" get $own >/dev/null 2>&1 && built "$@" && exit
	case $output in
	*'no required module provides package'* | *'cannot find module providing package'* | *'missing go.sum entry'* | *'is replaced but not required'* | *'updates to go.mod needed'*)
		if [ "$1" = test ]; then "$go" get -t; else "$go" get; fi || exit
		exec "$go" "$@"
		;;
	esac
	printf '%s\n' "$output"
	exit 1
	;;
esac
exec "$go" "$@"
