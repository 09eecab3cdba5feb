#!/bin/sh
# The go command as GoNB sees it: the real one, except in GoNB's own module. There it has settings of its own, and
#   mod init   puts the prepared module there
#   build      that misses a package gets it: the kernel tells GoNB not to do so before every build
go=$FSNET_REAL_GO

# built runs a command of go, and passes on what it says where it succeeds.
built() {
	output=$("$go" "$@" 2>&1) || return
	[ -z "$output" ] || printf '%s\n' "$output"
}

case $PWD in
"$FSNET_BUILDS"*) . "$FSNET_SETTINGS" ;;
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
