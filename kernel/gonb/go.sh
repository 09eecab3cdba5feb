#!/bin/sh
# The go command as GoNB sees it: the real one, except in GoNB's own module, where it saves a network look-up a cell.
#   mod init   writes the prepared module
#   get        is put off: a build that misses a package does it
#   build      of a program that imports what an earlier one did is the compiler and the linker alone (see learn)
go=$FSNET_REAL_GO

# learn writes down, after a build and beside the cell, what the compiler and the linker need for these imports: the go command finds that
# out anew in every build, which takes longer than both. Programs with C or other files in them, other platforms and older defaults stay
# the go command's. By the time that it is done main.go may be another one. An interrupt may end it on the way: the set is there once all of
# it is, and until then every build learns it anew.
learn() {
	new=${FSNET_MODULE%/*}/learning/$$
	rm -rf "$new" # of an earlier process of this number
	mkdir -p "$new" "${set%/*}" && : >"$new/began" || return
	nice "$go" list -export -deps -f '{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}{{if and (not .Standard) .Module}}{{if or .Module.Main .Module.Replace}}
{{if or .EmbedFiles .CgoFiles .CFiles .SFiles .SysoFiles}}other files{{end}}
source {{.Dir}}
source {{.Module.GoMod}}{{end}}{{end}}' runtime "$@" >"$new/listed" || return
	sed -n '/^packagefile /p' "$new/listed" >"$new/packages" && sed -n 's/^source //p' "$new/listed" | sort -u >"$new/sources" || return
	about=$(nice "$go" list -f '{{.Module.GoVersion}} {{.DefaultGODEBUG}}' .) && tools=$("$go" env GOTOOLDIR) || return
	language=${about%% *} defaults=${about#* }
	printf "tools='%s'\nlanguage=go%s\n" "$tools" "$(echo "$language" | cut -d . -f 1,2)" >"$new/settings" || return
	if [ -z "$defaults" ] && ! grep -q -e '^packagefile runtime/cgo=' -e '^other files$' "$new/listed" &&
		! "$go" env -changed | grep -qv '^GO\(FLAGS\|PROXY\|SUMDB\|NOSUMDB\|PRIVATE\|NOPROXY\|MODCACHE\|CACHE\|PATH\|BIN\|TMPDIR\|TELEMETRY\|TOOLCHAIN\|WORK\|ENV\|AUTH\|INSECURE\)='; then
		mv "$new/began" "$new/ready" || return # with the time of before
	fi
	[ -d "$set" ] || mv "$new" "$set"
}

# imports finds the set of main.go's imports: its directory, for this go.mod and these settings.
imports() {
	[ -f main.go ] && [ "$(echo *.go)" = main.go ] && [ ! -f go.work ] || return 1
	case $GOFLAGS in
	"'-ldflags=-s -w'" | "-modcacherw '-ldflags=-s -w'" | "-mod=mod '-ldflags=-s -w'" | "-buildvcs=false '-ldflags=-s -w'") ;;
	*) return 1 ;;
	esac
	grep -q -e '^[[:space:]]*//go:' -e '"C"$' -e '"embed"$' -e '"runtime/debug"$' main.go && return 1
	sum=$({ block && cat go.mod && echo "$GOFLAGS $GOOS $GOARCH $CGO_ENABLED"; } | cksum)
	set=${FSNET_MODULE%/*}/sets/${sum%% *}-${sum##* }
}

block() { sed -n '/^import (/,/^)/p' main.go; }

# unchanged reports whether no source of a directory is newer than what was learnt of it.
unchanged() {
	set -- # of the function
	while read -r source; do set -- "$@" "$source"; done <"$set/sources"
	[ $# -eq 0 ] || [ -z "$(find "$@" -maxdepth 1 -newer "$set/ready" 2>&1)" ]
}

# quick builds with what was learnt, if nothing has changed since. What goes wrong here is for the go command to tell.
quick() {
	[ -f "$set/ready" ] || return 1
	# shellcheck source=/dev/null
	. "$set/settings"
	if ! unchanged; then
		rm -rf "$set" # to be learnt again
		return 1
	fi
	"$tools/compile" -p main -lang="$language" -complete -nolocalimports -importcfg "$set/packages" -pack -o "$set/main.a" main.go &&
		"$tools/link" -s -w -buildmode=exe -importcfg "$set/packages" -o "$1" "$set/main.a"
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
	GOGC=${GOGC:-400} # compiler and linker collect less; the cell is not run here
	export GOGC
	set=
	if [ "$1" = build ] && [ $# -eq 3 ] && [ "$2" = -o ] && imports && quick "$3" >/dev/null 2>&1; then
		exit 0
	fi
	if output=$("$go" "$@" 2>&1); then
		[ -z "$output" ] || printf '%s\n' "$output"
		if [ -n "$set" ] && [ ! -d "$set" ]; then
			packages=$(block | sed -n 's/.*"\(.*\)"$/\1/p')
			# In the background, and without the output: GoNB waits until nobody has it open. flag alone is the hidden first cell.
			# shellcheck disable=SC2086 # paths of packages have no spaces
			{ [ "$packages" = flag ] || learn $packages; } </dev/null >/dev/null 2>&1 &
		fi
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
