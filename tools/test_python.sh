#!/usr/bin/env bash
# Builds the wheel, installs it into an environment of its own and tests it there: the
# tests of python/tests, the examples in the docstrings, the types.
#
# usage: tools/test_python.sh [pytest arguments]
#
# Everything is below build/python. Packages come from the lock files in python/.
set -euo pipefail

self=$(readlink -f -- "${BASH_SOURCE[0]}")
root=${self%/tools/*}
folder=$root/build/python
python=/usr/bin/python3
[[ -x $python ]] || python=python3
source "$root/tools/setup.sh"
mkdir -p "$folder"

# environment NAME: has exactly the packages of python/requirements-NAME.lock; made anew when
# that has changed.
environment() {
  local place=$folder/$1 lock=$root/python/requirements-$1.lock
  if ! cmp -s "$lock" "$place/requirements.lock"; then
    rm -rf "$place"
    "$python" -m venv "$place" &&
      "$place/bin/pip" install --quiet --disable-pip-version-check --require-hashes \
        --only-binary :all: -r "$lock" &&
      cp "$lock" "$place/requirements.lock"
  fi
}

build_wheel() {
  type ccache &>/dev/null && export CMAKE_CXX_COMPILER_LAUNCHER=ccache
  rm -f "$folder"/wheel/*.whl
  logged "$folder/wheel.log" "$folder/build/bin/pip" wheel --disable-pip-version-check \
    --no-build-isolation --no-deps --wheel-dir "$folder/wheel" "$root"
}

# Nothing of the sources must be found in place of what the wheel has.
cd "$folder"
bin=$folder/test/bin
environment build
environment test
with_lock python build_wheel
"$bin/pip" install --quiet --disable-pip-version-check --no-index --no-deps --force-reinstall \
  "$folder"/wheel/tilewright-*.whl
"$bin/python" -m pytest --quiet -c "$root/pyproject.toml" --rootdir "$root" \
  -o cache_dir="$folder/pytest" "$root/python/tests" "$@"
"$bin/python" -m pytest --quiet -c "$root/pyproject.toml" --rootdir "$root" \
  -o cache_dir="$folder/pytest" --doctest-modules --pyargs tilewright
"$bin/mypy" --config-file "$root/pyproject.toml" --cache-dir "$folder/mypy" -p tilewright
"$bin/pyright" --project "$root/pyproject.toml" --pythonpath "$bin/python"
