#!/bin/sh
# The go command as GoNB sees it: the real one, except in GoNB's own module, where it saves a network look-up a cell.
#   mod init   writes the prepared module
#   get        is put off: a build that misses a package does it
go=$FSNET_REAL_GO
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
	GOGC=${GOGC:-400} # compiler and linker collect less; the cell is not run here
	export GOGC
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
