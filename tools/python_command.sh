#!/usr/bin/env bash
# Runs a command of the Python package from this checkout: `import` and whatever else is written in
# Python. The first use builds the package and installs it, with the packages of
# python/requirements-import.lock, into an environment of its own below build/command.
#
# usage: tools/python_command.sh import timeloop FILE... -o DIR
set -euo pipefail

self=$(readlink -f -- "${BASH_SOURCE[0]}")
root=${self%/tools/*}
base=$root/build/command
source "$root/tools/setup.sh"
source "$root/tools/python_setup.sh"

# Whether something that the package is made of has changed since it was installed.
is_stale() {
  [[ ! -x $base/import/bin/tilewright || ! -f $base/installed ]] && return 0
  [[ -n $(find "$root"/{src,include,python,architectures,models,cmake} "$root"/{CMakeLists.txt,pyproject.toml} \
    -type f -newer "$base/installed" -not -name "*.pyc" -not -name "*.so" -print -quit) ]]
}

install_package() {
  is_stale || return 0
  say "building the Python package for this command, which takes a minute or two the first time"
  install_packages build && environment build && environment import || return 1
  touch "$base/building"
  install_wheel import && mv "$base/building" "$base/installed"
}

mkdir -p "$base"
if ! "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
  say "this command needs Python 3.11 or later with venv (on Debian: apt install python3-venv)"
  exit 1
fi
if [[ -w $root || ! -f $base/installed ]] && ! with_lock command install_package; then
  say "the Python package could not be built; see above"
  exit 1
fi
exec "$base/import/bin/tilewright" "$@"
