# shellcheck shell=bash
# The installation: what there is to do, in its order, each step with its remedy.

install_everything() {
  local network="look at the network (HTTPS_PROXY, GOPROXY, PIP_INDEX_URL and the settings of go and pip are used)"
  say "${bold}FsNet${plain} goes into $prefix"
  own_prefix
  own_cache
  own_kernelspec
  check_machine
  bear "$prefix"
  step python "Python environment, JupyterLab" "$network" jupyter_environment
  if [ -n "${methods:-}" ]; then
    step methods "packages of methods/" "$network, or free some space" methods_packages
  fi
  step plugin "XLA plugin for the CPU" "free some space" pjrt_plugin
  if [ -n "${cuda:-}" ]; then
    step cuda "XLA plugin for NVIDIA GPUs" "$network, or free some space" cuda_plugin "$cuda"
  fi
  step fsnet "fsnet" "$network; if it does not compile, the clone may be incomplete (git status)" fsnet_binary
  step gonb "GoNB and goimports" "$network" gonb_and_goimports
  step gopls "gopls" "$network" gopls_binary
  step cells "packages for Go cells" "look at git status: the clone may be incomplete" cell_source
  step kernelspec "kernel" "look at the log: a directory may not be yours" kernelspec
  step link "command" "make $links yours" link_fsnet
}

# verb_install [--cuda[=12|13]] is what ./install.sh does without a verb.
verb_install() {
  while [ $# -gt 0 ]; do
    case $1 in
      --cuda) cuda=auto ;;
      --cuda=12 | --cuda=13) cuda=${1#--cuda=} ;;
      --cuda=*) fail "--cuda=${1#--cuda=} is not known" "--cuda chooses by the driver; --cuda=12 or --cuda=13 name it" 2 ;;
      *) fail "install takes --cuda and nothing else, but got $1" "./install.sh help" 2 ;;
    esac
    shift
  done
  install_everything
  say
  if ! "$bin/fsnet" doctor; then
    fail "fsnet doctor found problems" "fix what is marked ✗ above, then run ./install.sh again"
  fi
  say
  suggest_cuda
  say "Installed. ./install.sh lab opens the quickstart; every other Jupyter of yours now offers the kernel FsNet (Go), too."
}
