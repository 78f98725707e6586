# What the scripts that build the Python package share. To be sourced after tools/setup.sh, with
# `root` the checkout and `base` the folder of everything that they make.

python=/usr/bin/python3
[[ -x $python ]] || python=python3

# environment NAME: has exactly the packages of python/requirements-NAME.lock; made anew when
# that has changed.
environment() {
  local place=$base/$1 lock=$root/python/requirements-$1.lock
  cmp -s "$lock" "$place/requirements.lock" && return 0
  rm -rf "$place"
  "$python" -m venv "$place" &&
    "$place/bin/pip" install --quiet --disable-pip-version-check --require-hashes \
      --only-binary :all: -r "$lock" &&
    cp "$lock" "$place/requirements.lock"
}

# The library is that of the command-line tool: whoever has used it has compiled it.
build_library() {
  { is_configured release || configure release -DTILEWRIGHT_DEVELOPER=OFF; } &&
    build_with_progress release tilewright_proof_commands
}

# install_wheel NAME: builds the wheel and installs it into an environment.
install_wheel() {
  with_lock release build_library || return 1
  type ccache &>/dev/null && export CMAKE_CXX_COMPILER_LAUNCHER=ccache
  rm -f "$base"/wheel/*.whl
  PATH=$base/build/bin:$PATH logged "$base/wheel.log" "$base/build/bin/pip" wheel \
    --disable-pip-version-check --no-build-isolation --no-deps --wheel-dir "$base/wheel" \
    --config-settings "cmake.define.TILEWRIGHT_COMPILED=$root/build/release" "$root" &&
    "$base/$1/bin/pip" install --quiet --disable-pip-version-check --no-index --no-deps \
      --force-reinstall "$base"/wheel/tilewright-*.whl
}
