# shellcheck shell=bash
# Notebooks: in JupyterLab, or headless.

# verb_lab [--methods] [OPTION…] installs what is missing and opens the quickstart. The other options are JupyterLab's own.
verb_lab() {
  local -a options
  local address=$notebooks
  if [ "${1:-}" = --methods ]; then
    methods=yes
    shift
  fi
  install_everything
  if [ -f "$notebooks/quickstart.ipynb" ]; then
    address=$notebooks/quickstart.ipynb
  fi
  options=("--ServerApp.root_dir=$root" --log-level=WARN) # notebooks link to ../docs
  if [ "$(id -u)" -eq 0 ]; then
    options+=(--allow-root) # JupyterLab refuses root without it
  fi
  say
  say "JupyterLab works in $root and stops with Ctrl-C."
  print_url $$ &
  export PATH=$venv/bin:$PATH
  unset PYTHONPATH PYTHONHOME
  exec "$venv/bin/jupyter-lab" "${options[@]}" "$@" "$address"
}

# print_url PID says where the server of that process answers, as soon as it does. jupyter-lab keeps the number of this process.
print_url() {
  local file tries=0
  file=$("$venv/bin/jupyter" --runtime-dir)/jpserver-$1.json
  until [ -s "$file" ]; do
    kill -0 "$1" 2>/dev/null && [ "$tries" -lt 300 ] || return 0
    tries=$((tries + 1))
    sleep 0.2
  done
  "$venv/bin/python" - "$file" <<'P'
import json, os, sys
from urllib.parse import quote

with open(sys.argv[1]) as f:
    server = json.load(f)
quickstart = "notebooks/quickstart.ipynb"
place = "lab/tree/" + quickstart if os.path.exists(os.path.join(server["root_dir"], quickstart)) else "lab"
token = "?token=" + quote(server["token"]) if server["token"] else ""
print(f"\n  open  {server['url']}{place}{token}\n", flush=True)
P
}

# verb_run NOTEBOOK [OPTION…] executes a notebook without a browser.
verb_run() {
  if [ $# -eq 0 ]; then
    fail "run needs a notebook" "./install.sh run notebooks/quickstart.ipynb" 2
  fi
  if [ ! -x "$bin/fsnet" ] || [ ! -x "$venv/bin/python" ] || [ ! -x "$bin/gonb" ]; then
    install_everything >&2
  fi
  unset PYTHONPATH PYTHONHOME
  export PATH=$bin:$venv/bin:$PATH
  exec "$venv/bin/python" "$root/install/run_notebook.py" "$@"
}
