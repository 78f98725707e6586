#!/usr/bin/env bash
# Runs a command of the Python package from this checkout: `import` and whatever else is written in
# Python. The first use builds the package and installs it, with the packages of
# python/requirements-import.lock, into an environment of its own below build/command.
#
# usage: tools/python_command.sh import timeloop FILE... -o DIR
set -euo pipefail

self=$(readlink -f -- "${BASH_SOURCE[0]}")
root=${self%/tools/*}
folder=$root/build/command
python=/usr/bin/python3
[[ -x $python ]] || python=python3
source "$root/tools/setup.sh"

# environment NAME: has exactly the packages of python/requirements-NAME.lock.
environment() {
  local place=$folder/$1 lock=$root/python/requirements-$1.lock
  cmp -s "$lock" "$place/requirements.lock" && return 0
  rm -rf "$place"
  "$python" -m venv "$place" &&
    "$place/bin/pip" install --quiet --disable-pip-version-check --require-hashes \
      --only-binary :all: -r "$lock" &&
    cp "$lock" "$place/requirements.lock"
}

# Whether something that the package is made of has changed since it was installed.
is_stale() {
  [[ ! -x $folder/import/bin/tilewright || ! -f $folder/installed ]] && return 0
  [[ -n $(find "$root"/{src,include,python,architectures,models,cmake} "$root"/{CMakeLists.txt,pyproject.toml} \
    -type f -newer "$folder/installed" -not -name "*.pyc" -not -name "*.so" -print -quit) ]]
}

install_package() {
  is_stale || return 0
  say "building the Python package for this command, which takes a minute or two the first time"
  install_packages build && environment build && environment import || return 1
  type ccache &>/dev/null && export CMAKE_CXX_COMPILER_LAUNCHER=ccache
  rm -f "$folder"/wheel/*.whl
  touch "$folder/building"
  PATH=$folder/build/bin:$PATH logged "$folder/wheel.log" "$folder/build/bin/pip" wheel \
    --disable-pip-version-check --no-build-isolation --no-deps --wheel-dir "$folder/wheel" "$root" &&
    "$folder/import/bin/pip" install --quiet --disable-pip-version-check --no-index --no-deps \
      --force-reinstall "$folder"/wheel/tilewright-*.whl &&
    mv "$folder/building" "$folder/installed"
}

mkdir -p "$folder"
if ! "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
  say "this command needs Python 3.11 or later with venv (on Debian: apt install python3-venv)"
  exit 1
fi
if [[ -w $root || ! -f $folder/installed ]] && ! with_lock command install_package; then
  say "the Python package could not be built; see above"
  exit 1
fi
exec "$folder/import/bin/tilewright" "$@"
