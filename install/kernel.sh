# shellcheck shell=bash
# The kernelspec, by which every Jupyter of this user finds the kernel.

kernelspec() {
  "$bin/fsnet" kernelspec --command "$bin/fsnet"
  note "FsNet (Go), for every Jupyter of yours"
}
