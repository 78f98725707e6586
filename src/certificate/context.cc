#include "certificate/context.h"

#include <algorithm>

namespace tilewright::certificate {

Context::Context(const Terms& terms, const Rules& rules, const Placement& placement,
                 const Unrolling& unrolling, std::vector<std::shared_ptr<const Chain>> chains)
    : terms_(&terms),
      rules_(&rules),
      placement_(&placement),
      unrolling_(&unrolling),
      chains_(std::move(chains)),
      places_(fanout_places(*terms.problem)),
      y_slots_(fanout_slots(*terms.problem)) {
  links_.reserve(at(memories() * problem().tensor_count()));
  instances_.reserve(at(memories() + 1));
  outside_.reserve(at((memories() + 1) * dims()));
  for (int m = 0; m <= memories(); ++m) {
    Count product = 1;
    for (int d = 0; d < dims(); ++d) {
      outside_.push_back(unrolled_between(d, -1, m));
      product *= outside_.back();
    }
    instances_.push_back(narrow(product));
  }
  least_.reserve(outside_.size());
  for (int m = 0; m <= memories(); ++m) {
    for (int d = 0; d < dims(); ++d) least_.push_back(find_least_instances(m, d));
  }
  for (int t = 0; t < problem().tensor_count(); ++t) {
    int child = memories();
    for (int m = memories(); m-- > 0;) {
      if (!keeps(m, t)) continue;
      links_.push_back({t, m, child});
      child = m;
    }
  }
  held_.reserve(at(memories()));
  held_first_.reserve(at(memories()));
  for (int m = 0; m < memories(); ++m) limit_held(m);
}

bool Context::is_home(int memory, int tensor) const {
  for (int m = 0; m < memory; ++m) {
    if (keeps(m, tensor)) return false;
  }
  return true;
}

const Fanout& Context::fanout_level(int fanout) const {
  const Slot& slot = problem().slots()[at(y_slots_[at(fanout)])];
  return std::get<Fanout>(problem().arch().level(slot.level));
}

std::uint32_t Context::movable(int memory) const {
  const std::uint32_t kept = (*placement_)[at(memory)];
  if (!contains(rules_->uneven, memory) || __builtin_popcount(kept) < 2) return 0;
  std::uint32_t found = 0;
  for (const int t : members(kept)) {
    if (!is_home(memory, t)) found |= 1U << t;
  }
  return found;
}

bool Context::shares(int fanout, int tensor) const {
  const Fanout& found = fanout_level(fanout);
  return is_output(tensor) ? found.reduction : found.multicast;
}

bool Context::shares_halos(int fanout, int tensor) const {
  return fanout_level(fanout).shares_halos && !is_output(tensor);
}

std::int64_t Context::unrolled_between(int dim, int outer, int inner) const {
  Count product = 1;
  for (std::size_t f = 0; f < places_.size(); ++f) {
    if (places_[f] > outer && places_[f] <= inner) {
      product *= unrolling_->factor(static_cast<int>(f), dim);
    }
  }
  return narrow(product);
}

// The branches of one slot, the largest that this unrolling of a fan-out can have on
// its inner axis with the outer one in use, or all where the outer one is not.
std::int64_t Context::inner_branches(int fanout, int dim) const {
  const std::int64_t factor = unrolling_->factor(fanout, dim);
  const int y = y_slots_[at(fanout)];
  const std::int64_t most_y = std::min(rules_->at_slot(y, dim).most, problem().instances_along(y));
  const std::int64_t most_x =
      std::min(rules_->at_slot(y + 1, dim).most, problem().instances_along(y + 1));
  for (std::int64_t outer = 2; outer <= std::min(most_y, factor); ++outer) {
    if (factor % outer == 0 && factor / outer <= most_x) return factor / outer;
  }
  return 1;
}

int Context::outermost_unrolling(int memory, int dim) const {
  for (int f = 0; f < unrolling_->fanouts() && places_[at(f)] <= memory; ++f) {
    if (unrolling_->factor(f, dim) > 1) return f;
  }
  return -1;
}

std::int64_t Context::least_instances(int memory) const {
  Count product = 1;
  for (int d = 0; d < dims(); ++d) product *= least_instances(memory, d);
  return narrow(product);
}

std::int64_t Context::find_least_instances(int memory, int dim) const {
  if (is_perfect()) return unrolled(dim, -1, memory);
  const int outermost = outermost_unrolling(memory, dim);
  if (outermost < 0) return 1;
  return least_instances(memory, dim, chain(dim).largest_outside[at(outermost)]);
}

// All have an index where the extents do not go beyond the dimension. Otherwise some of the last
// branch of the outermost spatial slot may have none, or of the last branch that has any. Its
// first one exists, and so does everything before that.
std::int64_t Context::least_instances(int memory, int dim, std::int64_t most) const {
  const int outermost = outermost_unrolling(memory, dim);
  const std::int64_t all = unrolled(dim, -1, memory);
  if (outermost < 0 || most <= size(dim)) return all;
  const std::int64_t factor = unrolling_->factor(outermost, dim);
  const std::int64_t inside = all / factor;
  const auto branches = static_cast<std::int64_t>(
      std::min<Int128>(factor, ceil_div(Int128{size(dim)} * factor, Int128{most})));
  return std::max(all - inside * inner_branches(outermost, dim) + 1, (branches - 1) * inside + 1);
}

// An instance of the first branch takes so many steps; branches further in deal indices out.
std::int64_t Context::most_without_waste(int memory, int dim) const {
  const std::int64_t all = unrolled(dim, memory, memories());
  return narrow(Count(ceil_div(size(dim), all)) * all);
}

void Context::limit_held(int memory) {
  if (problem().arch().reads_first_sums) {  // nothing is spared
    held_.push_back(0);
    held_first_.push_back(0);
    return;
  }
  const Parts& parts = terms_->parts.back();
  // Timeloop's shares of what is seen through windows follow from the tiles.
  if (problem().arch().accounting != Accounting::Exact && !parts.windows.empty()) {
    held_.push_back(kWideLimit);
    held_first_.push_back(kWideLimit);
    return;
  }
  Count all = 1;
  Count first = 1;
  for (int d = 0; d < dims(); ++d) {
    if (!contains(parts.relevant, d)) all *= std::min(unrolled(d, -1, memory), size(d));
  }
  for (const int d : parts.alone) {
    all *= size(d);
    first *= is_perfect() ? size(d) / unrolled(d, -1, memory) : size(d);
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
    const Int128 each = std::min<Int128>(indices, window.size(whole));
    all *= std::min(indices * instances, instances * each);
    first *= each;
  }
  held_.push_back(all);
  held_first_.push_back(first);
}

}  // namespace tilewright::certificate
