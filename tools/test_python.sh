#!/usr/bin/env bash
# Builds the wheel, installs it into an environment of its own and tests it there: the
# tests of python/tests, the examples in the docstrings, the types; then those tests that
# stay in one process, with the native module under the sanitizers of addresses and undefined
# behaviour.
#
# usage: tools/test_python.sh [--step STEP]... [pytest arguments]
#
# The steps are environments, wheel, types, tests and sanitized; all of them, in this order, if none
# is named. Everything is below build/python. Packages come from the lock files in python/.
set -euo pipefail

self=$(readlink -f -- "${BASH_SOURCE[0]}")
root=${self%/tools/*}
base=$root/build/python
source "$root/tools/setup.sh"
source "$root/tools/python_setup.sh"
mkdir -p "$base"

run_pytest() {
  "$bin/python" -m pytest --quiet -c "$root/pyproject.toml" --rootdir "$root" \
    -o cache_dir="$base/pytest" "$@"
}

# run_pytest_in_parallel PROCESSES ...: files share what takes long to set up, so each runs in one
# process.
run_pytest_in_parallel() { run_pytest --numprocesses "$1" --dist loadfile "${@:2}"; }

step_environments() {
  environment build
  environment test
}

step_wheel() { with_lock python install_wheel test; }

step_types() {
  "$bin/mypy" --config-file "$root/pyproject.toml" --cache-dir "$base/mypy" -p tilewright
  "$bin/pyright" --project "$root/pyproject.toml" --pythonpath "$bin/python"
}

step_tests() {
  # Tests of pages wait for a browser for half of their time.
  run_pytest_in_parallel $(($(nproc) + 1)) "$root/python/tests" "$@"
  run_pytest --doctest-modules --pyargs tilewright
}

# The module of the same name in build/sanitize, whose library ./run-tests --sanitize has built.
build_sanitized() {
  configure sanitize -DTILEWRIGHT_DEVELOPER=ON -DTILEWRIGHT_PYTHON=ON \
    -DPython_EXECUTABLE="$base/build/bin/python" &&
    build sanitize tilewright_native &&
    rm -rf "$base/sanitized" && mkdir -p "$base/sanitized" &&
    cp -r "$root/python/tilewright" "$base/sanitized/" &&
    cp "$root"/build/sanitize/python/_native*.so "$base/sanitized/tilewright/"
}

# Python itself is not watched: its leaks are not ours, and the sanitizer has to be loaded
# before it. Pictures, notebooks and programs that are started are others' code for the most part.
test_sanitized() {
  local runtime
  runtime=$(clang++-19 -print-file-name="libclang_rt.asan-$(uname -m).so")
  LD_PRELOAD=$runtime ASAN_OPTIONS=detect_leaks=0:handle_sigill=1 \
    ASAN_SYMBOLIZER_PATH=$(command -v llvm-symbolizer-19) PYTHONPATH=$base/sanitized \
    run_pytest_in_parallel "$(nproc)" -k "not needs_nothing_but_the_c_library" \
    "$root"/python/tests/test_{errors,safety,searches,spaces,values}.py
}

step_sanitized() {
  with_lock sanitize build_sanitized
  test_sanitized
}

steps=()
while [[ ${1:-} == --step ]]; do
  steps+=("$2")
  shift 2
done
((${#steps[@]} > 0)) || steps=(environments wheel types tests sanitized)

# Nothing of the sources must be found in place of what the wheel has.
cd "$base"
bin=$base/test/bin
for step in "${steps[@]}"; do
  "step_$step" "$@"
done
