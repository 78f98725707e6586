#!/usr/bin/env bash
# Instructions per evaluation, counted by callgrind: repeatable where seconds
# are not. Each case runs with two numbers of evaluations; the difference
# leaves out what is spent before the first one.
#
# usage: tools/count_instructions.sh [CASE-PATTERN [FEW MANY]]
set -uo pipefail

self=$(readlink -f -- "${BASH_SOURCE[0]}")
root=${self%/tools/*}
source "$root/tools/setup.sh"

pattern=${1:-.}
few=${2:-1000}
many=${3:-3000}
program=$root/build/release/bench/tilewright_instructions

prepare() {
  install_packages build test measure && configure release -DTILEWRIGHT_DEVELOPER=ON &&
    build release tilewright_instructions
}

# instructions CASE EVALUATIONS
instructions() {
  local output
  output=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" "$1" "$2" 2>&1) ||
    { printf '%s\n' "$output" >&2 && return 1; }
  sed -n 's/^==[0-9]*== Collected : \([0-9]*\).*/\1/p' <<<"$output"
}

with_lock release prepare || exit 1
cases=$("$program" --list | grep -E -- "$pattern") || { say "no case matches $pattern" && exit 1; }

printf '%-40s %s\n' case "instructions per evaluation"
while read -r name; do
  low=$(instructions "$name" "$few") && high=$(instructions "$name" "$many") || exit 1
  printf '%-40s %s\n' "$name" \
    "$(awk "BEGIN { printf \"%.1f\", ($high - $low) / ($many - $few) }")"
done <<<"$cases"
