# Set-up shared by ./tilewright, ./run-tests and the scripts in tools: Debian
# packages, configuring, building. To be sourced, with `root` set to the
# checkout. Everything it has to say goes to stderr.

say() { printf 'tilewright: %s\n' "$*" >&2; }

# logged LOG COMMAND...: shows the output only if the command fails.
logged() {
  local log=$1
  shift
  "$@" </dev/null >"$log" 2>&1 && return 0
  cat "$log" >&2
  return 1
}

# --- packages ---------------------------------------------------------------

# missing_packages GROUP...: those of the groups that are not installed.
missing_packages() {
  local group wanted=() installed
  for group in "$@"; do
    wanted+=($(sed -n "s/^$group://p" "$root/tools/packages.txt"))
  done
  installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null)
  comm -23 <(printf '%s\n' "${wanted[@]}" | sort) \
    <(sed -n 's/^installed //p' <<<"$installed" | sort)
}

# as_root COMMAND...: asks for a password only where somebody can type one.
as_root() {
  local sudo=()
  if ((EUID != 0)); then
    sudo=(sudo)
    [[ ${CI:-} != true ]] && { : </dev/tty; } 2>/dev/null || sudo+=(-n)
  fi
  logged "$root/build/packages.log" \
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive "$@"
}

# install_packages GROUP...
install_packages() {
  if ! type dpkg-query apt-get &>/dev/null; then
    say "not a Debian system: taking it that the packages of tools/packages.txt are there"
    return 0
  fi
  local missing
  missing=($(missing_packages "$@"))
  ((${#missing[@]} == 0)) && return 0
  say "installing ${missing[*]}"
  mkdir -p "$root/build" || return 1
  local apt=(apt-get -qq -o DPkg::Lock::Timeout=300)
  # Stale package lists may still be good enough, so only the install decides.
  as_root "${apt[@]}" update || say "could not refresh the package lists"
  if ! as_root "${apt[@]}" install -y --no-install-recommends "${missing[@]}"; then
    say "could not install: ${missing[*]}"
    return 1
  fi
}

# --- building ---------------------------------------------------------------

# Ninja takes no lock of its own, and two runs in one folder spoil it.
# with_lock PRESET COMMAND...
with_lock() {
  local folder="$root/build/$1"
  shift
  mkdir -p "$folder" || return 1
  (flock 9 && "$@") 9>"$folder/.lock"
}

# is_configured PRESET: false also for a build folder that was moved or copied
# along with the checkout, whose paths are those of the old place.
is_configured() {
  local folder="$root/build/$1"
  [[ -f $folder/build.ninja ]] &&
    grep -qsxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"
}

# configure PRESET [CMAKE-ARGUMENT...]: what is compiled again after a change of
# branch, or in another checkout, comes from ccache where that is installed.
configure() {
  local preset=$1 fresh=() launcher=()
  shift
  type ccache &>/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  if ! is_configured "$preset"; then
    fresh=(--fresh)
    rm -f "$root/build/$preset/build.ninja"
  fi
  (cd "$root" && logged "build/$preset/configure.log" \
    cmake "${fresh[@]}" --preset "$preset" "${launcher[@]}" "$@")
}

# build PRESET TARGET...
build() {
  local folder="$root/build/$1"
  shift
  logged "$folder/build.log" ninja --quiet -C "$folder" "$@"
}

# The same, for a build that takes long enough for somebody to wait for it.
build_with_progress() {
  local folder="$root/build/$1"
  if [[ -t 2 ]]; then
    shift
    ninja -C "$folder" "$@" </dev/null >&2
  else
    build "$@"
  fi
}
