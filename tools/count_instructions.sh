#!/usr/bin/env bash
# Instructions per call, counted by callgrind: repeatable where seconds are not.
# Each call is made few and many times; the difference leaves out what is spent
# before the first one.
#
# usage: tools/count_instructions.sh [--check | --update] [CALL-PATTERN]
#
#   --check   fails if a count is more than 3 % above that of bench/instructions.txt
#   --update  writes all counts to that file
set -uo pipefail

self=$(readlink -f -- "${BASH_SOURCE[0]}")
root=${self%/tools/*}
source "$root/tools/setup.sh"

mode=show
case ${1:-} in
  --check | --update) mode=${1#--} && shift ;;
  -*) sed -n '6,9s/^# \{0,1\}//p' "$self" >&2 && exit 2 ;;
esac
pattern=${1:-.}
program=$root/build/release/bench/tilewright_instructions
committed=$root/bench/instructions.txt

prepare() {
  install_packages build test measure && configure release -DTILEWRIGHT_DEVELOPER=ON &&
    build release tilewright_instructions
}

# The committed counts are those of Debian 12's g++ on x86-64.
is_comparable() {
  local compiler
  compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[^=]*=//p' "$root/build/release/CMakeCache.txt")
  [[ $(uname -m) == x86_64 && $("$compiler" --version) == g++\ \(Debian\ 12.* ]]
}

# instructions CALL TIMES
instructions() {
  local output
  output=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$1" "$2" 2>&1) ||
    { printf '%s\n' "$output" >&2 && return 1; }
  sed -n 's/^==[0-9]*== Collected : \([0-9]*\).*/\1/p' <<<"$output"
}

# count CALL FEW MANY: prints the call and its count.
count() {
  local low high
  low=$(instructions "$1" "$2") && high=$(instructions "$1" "$3") &&
    printf '%-22s %12d\n' "$1" $(((high - low) / ($3 - $2)))
}

# count_all CALLS: the same for each line of them, in their order, as many at once as there are
# processors.
count_all() {
  export program
  export -f count instructions
  local counts
  counts=$(xargs -P "$(nproc)" -L 1 bash -c 'count "$@" || exit 255' count <<<"$1") || return 1
  awk 'NR == FNR { line[$1] = $0; next } { print line[$1] }' <(printf '%s\n' "$counts") \
    <(printf '%s\n' "$1")
}

# compare CALL COUNT: says how the count differs from the committed one; fails if
# it is too high.
compare() {
  awk -v name="$1" -v count="$2" '
    $1 == name { known = $2 }
    END {
      if (!known) { printf "%-22s %12d  not committed\n", name, count; exit 1 }
      more = 100 * (count / known - 1)
      printf "%-22s %12d %12d %+6.1f %%%s\n", name, count, known, more, (more > 3 ? "  TOO MANY" : "")
      exit (more > 3)
    }' "$committed"
}

if [[ $mode == update && $pattern != . ]]; then
  say "--update takes no pattern: it measures all calls"
  exit 2
fi
with_lock release prepare || exit 1
if [[ $mode != show ]] && ! is_comparable; then
  say "bench/instructions.txt is for Debian 12's g++ on x86-64, which this is not"
  [[ $mode == check ]]
  exit
fi
calls=$("$program" --list | grep -E -- "$pattern") || { say "no call matches $pattern" && exit 1; }

counts=$(count_all "$calls") || exit 1
failed=no
if [[ $mode == check ]]; then
  printf '%-22s %12s %12s\n' call instructions committed
  while read -r name count; do
    compare "$name" "$count" || failed=yes
  done <<<"$counts"
else
  printf '%s\n' "$counts"
fi

if [[ $mode == update ]]; then
  {
    echo "# Instructions per call, with Debian 12's g++ on x86-64: tools/count_instructions.sh --update"
    printf '%s\n' "$counts"
  } >"$committed"
elif [[ $failed == yes ]]; then
  say "more instructions than bench/instructions.txt has; if they are worth it," \
    "tools/count_instructions.sh --update writes the new counts"
  exit 1
fi
