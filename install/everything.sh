# shellcheck shell=bash
# The installation: what there is to do, in its order, each step with its remedy.

install_everything() {
  local network="look at the network (HTTPS_PROXY, GOPROXY, PIP_INDEX_URL and the settings of go and pip are used)"
  say "${bold}FsNet${plain} goes into $prefix"
  check_machine
  step python "Python environment, JupyterLab" "$network" jupyter_environment
  step plugin "XLA plugin for the CPU" "free some space" pjrt_plugin
  step fsnet "fsnet" "$network; if it does not compile, the clone may be incomplete (git status)" fsnet_binary
  step gonb "GoNB and goimports" "$network" gonb_and_goimports
  step gopls "gopls" "$network" gopls_binary
  step cells "packages for Go cells" "look at git status: the clone may be incomplete" cell_source
  step kernelspec "kernel" "look at the log: a directory may not be yours" kernelspec
  step link "command" "make $links yours" link_fsnet
}

# verb_install is what ./install.sh does without a verb.
verb_install() {
  no_arguments install "$@"
  install_everything
  say
  if ! "$bin/fsnet" doctor; then
    fail "the doctor found problems" "mend what is marked ✗ above, then run ./install.sh again"
  fi
  say
  say "Installed. ./install.sh lab opens the quickstart; any Jupyter of yours now offers the kernel FsNet (Go)."
}

# no_arguments VERB ARGUMENT… refuses arguments where there are none.
no_arguments() {
  if [ $# -gt 1 ]; then
    fail "$1 takes no arguments, but got $2" "./install.sh help" 2
  fi
}
