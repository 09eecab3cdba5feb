#!/bin/sh
# The go command as GoNB sees it: the real one, except in GoNB's own module, where it saves a network look-up a cell.
#   mod init   writes the prepared module
#   get        is put off: a build that misses a package does it
#   build      of a program that imports what an earlier one did is the compiler and the linker alone (see quick)
# shellcheck disable=SC2154 # what the kernel has looked up is sourced
go=$FSNET_REAL_GO

# quick builds with what the kernel has looked up (lookup.go), if it is of this go.mod and these settings and no source of a directory has
# changed since. What goes wrong here is for the go command to tell.
quick() {
	[ -f "$FSNET_LOOKED_UP" ] && [ "$(echo *.go)" = main.go ] && [ ! -f go.work ] || return 1
	grep -q -e '^[[:space:]]*//go:' -e '"C"$' -e '"embed"$' -e '"runtime/debug"$' main.go && return 1
	# shellcheck source=/dev/null
	. "$FSNET_LOOKED_UP"
	[ "$environment" = "$GOFLAGS $GOOS $GOARCH $CGO_ENABLED" ] && cmp -s go.mod "$files/go.mod" || return 1
	if ! (unchanged); then
		rm -f "$FSNET_LOOKED_UP" # to be looked up again
		return 1
	fi
	"$tools/compile" -dwarf=false -p main -lang="$language" -complete -nolocalimports -importcfg "$files/imports" -pack -o "$files/main.a" main.go &&
		"$tools/link" -s -w -buildmode=exe -importcfg "$files/packages" -o "$1" "$files/main.a"
}

# unchanged reports whether none of the sources, one a line, is newer than what was looked up of it.
unchanged() {
	set -f
	IFS='
'
	# shellcheck disable=SC2086 # a word a line
	[ -z "$(find $sources -maxdepth 1 -newer "$files/go.mod" 2>&1)" ]
}

case $PWD in
"$TMPDIR"/gonb_*) ;;
*) exec "$go" "$@" ;;
esac
case $1 in
mod)
	if [ "$2" = init ] && [ $# -eq 3 ]; then
		{ printf 'module %s\n\n' "$3" && cat "$FSNET_MODULE"; } >go.mod
		exit
	fi
	;;
get)
	if [ $# -eq 1 ] || { [ $# -eq 2 ] && [ "$2" = -t ]; }; then
		exit 0
	fi
	;;
build | test)
	export GOGC=off GOMEMLIMIT=1GiB # compiler and linker end before it is worth collecting; the cell is not run here
	if [ "$1" = build ] && [ $# -eq 3 ] && [ "$2" = -o ] && quick "$3" >/dev/null 2>&1; then
		exit 0
	fi
	if output=$("$go" "$@" 2>&1); then
		[ -z "$output" ] || printf '%s\n' "$output"
		exit 0
	fi
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
