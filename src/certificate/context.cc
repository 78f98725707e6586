#include "certificate/context.h"

#include <algorithm>

namespace tilewright::certificate {

Context::Context(const Terms& terms, const Rules& rules, const Placement& placement,
                 const Unrolling& unrolling, std::vector<const Chain*> chains)
    : terms_(&terms),
      rules_(&rules),
      placement_(&placement),
      unrolling_(&unrolling),
      chains_(std::move(chains)),
      places_(fanout_places(*terms.problem)) {
  for (int t = 0; t < problem().tensor_count(); ++t) {
    int child = memories();
    for (int m = memories(); m-- > 0;) {
      if (!keeps(m, t)) continue;
      links_.push_back({t, m, child});
      child = m;
    }
  }
  for (int m = 0; m < memories(); ++m) limit_held(m);
}

bool Context::is_home(int memory, int tensor) const {
  for (int m = 0; m < memory; ++m) {
    if (keeps(m, tensor)) return false;
  }
  return true;
}

bool Context::shares(int fanout, int tensor) const {
  int number = 0;
  for (const Level& level : problem().arch().levels) {
    const auto* found = std::get_if<Fanout>(&level);
    if (found == nullptr || number++ != fanout) continue;
    return is_output(tensor) ? found->reduction : found->multicast;
  }
  return false;
}

std::int64_t Context::unrolled(int dim, int outer, int inner) const {
  Count product = 1;
  for (std::size_t f = 0; f < places_.size(); ++f) {
    if (places_[f] > outer && places_[f] <= inner) {
      product *= unrolling_->factor(static_cast<int>(f), dim);
    }
  }
  return product;
}

std::int64_t Context::instances(int memory) const {
  Count product = 1;
  for (int d = 0; d < dims(); ++d) product *= unrolled(d, -1, memory);
  return product;
}

// Of one fan-out with two axes at least half of a dimension's branches occur.
std::int64_t Context::least_instances(int memory) const {
  if (is_perfect()) return instances(memory);
  Count product = 1;
  for (int d = 0; d < dims(); ++d) {
    std::int64_t most = 1;
    for (std::size_t f = 0; f < places_.size(); ++f) {
      const std::int64_t factor = unrolling_->factor(static_cast<int>(f), d);
      if (places_[f] <= memory && factor > 1) most = std::max(most, factor / 2 + 1);
    }
    product *= most;
  }
  return product;
}

void Context::limit_held(int memory) {
  const Parts& parts = terms_->parts.back();
  // Timeloop's shares of what is seen through windows follow from the tiles.
  if (problem().arch().accounting != Accounting::Exact && !parts.windows.empty()) {
    held_.push_back(kCountLimit);
    held_first_.push_back(kCountLimit);
    return;
  }
  Count all = 1;
  Count first = 1;
  for (int d = 0; d < dims(); ++d) {
    const std::int64_t outside = unrolled(d, -1, memory);
    const bool relevant = ((parts.relevant >> d) & 1U) != 0;
    if (!relevant) all *= std::min(outside, size(d));
  }
  for (const int d : parts.alone) {
    const std::int64_t outside = unrolled(d, -1, memory);
    all *= size(d);
    first *= is_perfect() ? size(d) / outside : size(d);
  }
  for (const Window& window : parts.windows) {
    Count instances = 1;
    Count indices = 1;
    Extents whole;
    for (const int d : window.dims()) {
      const std::int64_t outside = unrolled(d, -1, memory);
      instances *= std::min(outside, size(d));
      indices *= is_perfect() ? size(d) / outside : size(d);
      whole.push_back(size(d));
    }
    const std::int64_t each = std::min<std::int64_t>(indices, window.size(whole));
    all *= std::min(indices * instances, instances * each);
    first *= each;
  }
  held_.push_back(all);
  held_first_.push_back(first);
}

}  // namespace tilewright::certificate
