#!/bin/sh
# gopls under a pid file: GoNB gives it a process group of its own, so the kernel could not end it otherwise.
echo $$ >"$FSNET_GOPLS_PID"
exec "$FSNET_REAL_GOPLS" "$@"
