# shellcheck shell=bash
# Python environments from lists of exact versions and hashes.

# python_environment DIRECTORY LIST makes a virtual environment that holds what the list says and nothing else. One that is there and
# was made from the same list by the same Python stays.
python_environment() {
  local directory=$1 list=$2 stamp
  stamp="$(sha256 "$list") $("$python" -c 'import sys; print(sys.version_info[:2], sys.base_prefix)') $directory"
  if [ "$(cat "$directory/$mark" 2>/dev/null)" = "$stamp" ] && "$directory/bin/python" -c '' 2>/dev/null; then
    note "already there"
    return
  fi
  anew "$directory"
  # Settings of the user that would lead away from the environment.
  unset PYTHONPATH PYTHONHOME PIP_USER PIP_TARGET PIP_PREFIX PIP_ROOT PIP_REQUIREMENT
  "$python" -m venv "$directory"
  "$directory/bin/python" -m pip install --disable-pip-version-check --no-input --require-hashes --requirement "$list"
  printf '%s\n' "$stamp" >"$directory/$mark"
  note "$(grep -c '^[a-z].*==' "$list") packages with known hashes"
}

# jupyter_environment is JupyterLab with the two prebuilt widget extensions, and its settings.
jupyter_environment() {
  python_environment "$venv" "$root/install/python/jupyter.txt"
  mkdir -p "$venv/share/jupyter/lab/settings" "$venv/etc/jupyter"
  place overrides.json "$venv/share/jupyter/lab/settings/overrides.json"
  # A page that nbconvert makes shows the pictures beside live views: the views themselves would be asked of the network.
  place nbconvert.json "$venv/etc/jupyter/jupyter_nbconvert_config.json"
}

# place NAME FILE copies a file where it is another: a JupyterLab that runs must not read half of it.
place() { cmp -s "$root/install/python/$1" "$2" || cp "$root/install/python/$1" "$2"; }
