#!/bin/sh
# Runs a program in place of this script, and ends all that is below it once the kernel has gone: a killed kernel cannot.
#   watched.sh PIDFILE PROGRAM [ARGUMENT …]
echo $$ >"$1"
shift
(
	lives() { # and is no zombie, which waits for its parent only
		kill -0 "$1" || return
		if read -r stat <"/proc/$1/stat"; then case $stat in *') Z '*) return 1 ;; esac; fi
	}
	while lives "$FSNET_KERNEL_PID" && lives $$; do sleep 1; done
	self=$(exec sh -c 'echo $PPID')
	end() { # what a process has started and what has left the group, but for what is to be kept
		for child in $(cat /proc/"$1"/task/*/children); do
			[ "$child" = "$self" ] && continue
			tr '\0' '\n' <"/proc/$child/environ" | grep -q '^FSNET_KEEP=[^0]' && continue
			end "$child"
			kill -9 "$child"
		done
	}
	end $$
	kill -9 -$$
) </dev/null >/dev/null 2>&1 &
exec "$@"
