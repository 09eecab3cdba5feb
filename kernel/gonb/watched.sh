#!/bin/sh
# Runs a program in place of this script, and kills its process group once the kernel has gone: a killed kernel cannot.
#   watched.sh PIDFILE PROGRAM [ARGUMENT …]
echo $$ >"$1"
shift
(
	while kill -0 "$FSNET_KERNEL_PID" && kill -0 $$; do sleep 1; done
	kill -9 -$$
) </dev/null >/dev/null 2>&1 &
exec "$@"
