#include "map/failures.h"

namespace tilewright {

namespace {

bool same_reason(const Verdict& a, const Verdict& b) {
  return a.kind == b.kind && a.level == b.level && a.tensor == b.tensor && a.axis == b.axis;
}

// By how much more is needed than there is, relative to what there is.
bool is_closer(const Verdict& a, const Verdict& b) {
  return static_cast<Int128>(a.needed) * b.available < static_cast<Int128>(b.needed) * a.available;
}

std::size_t position_of(const std::vector<Failure>& failures, const Verdict& verdict) {
  std::size_t at = 0;
  while (at < failures.size() && !same_reason(failures[at].closest, verdict)) ++at;
  return at;
}

}  // namespace

std::size_t place_failure(std::vector<Failure>& failures, const Verdict& verdict,
                          const Mapping& mapping) {
  const std::size_t at = position_of(failures, verdict);
  if (at == failures.size()) {
    failures.push_back({verdict, mapping, 0});
  } else if (is_closer(verdict, failures[at].closest)) {
    failures[at].closest = verdict;
    failures[at].mapping = mapping;
  }
  return at;
}

bool count_failure(std::vector<Failure>& failures, const Verdict& verdict) {
  const std::size_t at = position_of(failures, verdict);
  if (at == failures.size() || is_closer(verdict, failures[at].closest)) return false;
  ++failures[at].count;
  return true;
}

void merge_failures(std::vector<Failure>& into, const std::vector<Failure>& from) {
  for (const Failure& failure : from) {
    into[place_failure(into, failure.closest, failure.mapping)].count += failure.count;
  }
}

}  // namespace tilewright
