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

# kept_environment DIRECTORY LIST is python_environment for every clone, behind a link. Others may make the same at the same time: each
# makes its own, since programs in it name their place, and the one that is done first is kept.
kept_environment() {
  local directory=$1 list=$2 new
  if "$directory/bin/python" -c '' 2>/dev/null; then
    note "already there"
    return
  fi
  if [ -L "$directory" ]; then rm -rf -- "$(readlink "$directory")" "$directory"; fi
  bear "$cache"
  mkdir -p "${directory%/*}"
  new=$(mktemp -d "$directory.made-XXXXXX")
  python_environment "$new" "$list"
  ln -sn "$new" "$directory" 2>/dev/null || rm -rf -- "$new"
}

# environment_directory NAME LIST prints where one is kept: it depends on nothing but its list and the Python that it is made with.
environment_directory() {
  local made_of
  made_of="$(sha256 "$2") $("$python" -c 'import sys; print(sys.version, sys.base_prefix)')"
  printf '%s/tools/python-%s-%s\n' "$cache" "$1" "$(sha256 <(printf '%s' "$made_of") | cut -c 1-12)"
}

# jupyter_environment is JupyterLab with the two prebuilt widget extensions, and its settings.
jupyter_environment() {
  python_environment "$venv" "$root/install/python/jupyter.txt"
  mkdir -p "$venv/share/jupyter/lab/settings" "$venv/etc/jupyter"
  place overrides.json "$venv/share/jupyter/lab/settings/overrides.json"
  # A page that nbconvert makes shows the pictures beside live views: the views themselves would be asked of the network.
  place nbconvert.json "$venv/etc/jupyter/jupyter_nbconvert_config.json"
}

# methods_packages adds what methods/ imports to the environment: exact versions, without the hundreds of hashes of PyTorch's parts.
methods_packages() {
  unset PYTHONPATH PYTHONHOME PIP_USER PIP_TARGET PIP_PREFIX PIP_ROOT PIP_REQUIREMENT
  "$venv/bin/python" -m pip install --disable-pip-version-check --no-input --requirement "$root/install/python/methods.txt"
}

# place NAME FILE copies a file where it is another: a JupyterLab that runs must not read half of it.
place() { cmp -s "$root/install/python/$1" "$2" || cp "$root/install/python/$1" "$2"; }
