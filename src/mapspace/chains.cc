#include "mapspace/chains.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace tilewright::mapspace {

namespace {

// A slot may have so many; sizes up to some millions stay below, in any space.
constexpr std::size_t kMostJumps = std::size_t{1} << 23U;

// In ascending order, made from the prime factors: trial division up to the
// root of what is left of n ends early for the sizes that occur.
std::vector<std::int64_t> divisors(std::int64_t n) {
  std::vector<std::int64_t> all = {1};
  const auto multiply = [&](std::int64_t prime, int power) {
    const std::size_t known = all.size();
    std::int64_t factor = 1;
    for (int i = 0; i < power; ++i) {
      factor *= prime;
      for (std::size_t k = 0; k < known; ++k) all.push_back(all[k] * factor);
    }
  };
  for (std::int64_t prime = 2; prime <= n / prime; ++prime) {
    int power = 0;
    for (; n % prime == 0; n /= prime) ++power;
    multiply(prime, power);
  }
  if (n > 1) multiply(n, 1);
  std::sort(all.begin(), all.end());
  return all;
}

// The bounds that a slot may take where n iterations are left, as intervals
// that lead to one and the same number of iterations further out.
// Stops when `visit` says so.
template <typename Visit>
void for_each_interval(const ChainSlot& slot, std::int64_t n, const Visit& visit) {
  const std::int64_t most = std::min(slot.most, n);
  if (!slot.remainder) {
    for (const std::int64_t b : divisors(n)) {
      if (b >= slot.least && b <= most && !visit(n / b, b, b)) return;
    }
    return;
  }
  for (std::int64_t b = slot.least; b <= most;) {
    const std::int64_t left = ceil_div(n, b);
    // The largest bound with the same ceiling.
    const std::int64_t last = left == 1 ? most : std::min(most, (n - 1) / (left - 1));
    if (!visit(left, b, last)) return;
    b = last + 1;
  }
}

}  // namespace

int Chains::Step::position(std::int64_t n) const {
  const auto found = std::lower_bound(left.begin(), left.end(), n, std::greater<>());
  return found != left.end() && *found == n ? static_cast<int>(found - left.begin()) : -1;
}

Chains::Chains(std::int64_t size, std::vector<ChainSlot> slots,
               const std::vector<Resource>& resources, std::uint32_t own, const Deadline* deadline)
    : slots_(std::move(slots)) {
  std::set<int> used;
  for (const ChainSlot& slot : slots_) used.insert(slot.resources.begin(), slot.resources.end());
  std::uint64_t place = 1;
  for (const int id : used) {
    resource_ids_.push_back(id);
    resources_.push_back(resources[at(id)]);
    radices_.push_back(place);
    place *= static_cast<std::uint64_t>(resources_.back().class_count());
  }
  steps_.resize(slots_.size() + 1);
  steps_[0].left = {size};
  for (int k = 1; k < static_cast<int>(steps_.size()) && !too_many_; ++k) {
    make_jumps(k, deadline);
  }
  if (too_many_) return;
  drop_dead_ends();
  if (steps_.back().left.empty()) return;
  steps_[0].begin = {0, 1};
  steps_[0].keys = {0};
  steps_[0].counts = {1};
  for (int k = 1; k < static_cast<int>(steps_.size()); ++k) make_nodes(k, deadline);
  make_classes(resources, own);
}

BigUint Chains::total() const {
  BigUint sum;
  for (const ChainClass& a_class : classes_) sum += a_class.count;
  return sum;
}

void Chains::make_jumps(int step, const Deadline* deadline) {
  const Step& before = steps_[at(step - 1)];
  Step& here = steps_[at(step)];
  const ChainSlot& slot = slots_[at(step - 1)];
  const std::int64_t size = steps_.front().left.front();
  struct Found {
    int from;
    std::int64_t to, first, last;
  };
  std::vector<Found> found;
  for (int i = 0; i < static_cast<int>(before.left.size()); ++i) {
    check(deadline);
    for_each_interval(slot, before.left[at(i)],
                      [&](std::int64_t to, std::int64_t first, std::int64_t last) {
                        // The least product of bounds that leaves this many.
                        if (ceil_div(size, to) > slot.most_extent) return true;
                        found.push_back({i, to, first, last});
                        here.left.push_back(to);
                        return found.size() < kMostJumps;
                      });
  }
  too_many_ = found.size() >= kMostJumps;
  if (too_many_) return;
  std::sort(here.left.begin(), here.left.end(), std::greater<>());
  here.left.erase(std::unique(here.left.begin(), here.left.end()), here.left.end());
  for (const Found& jump : found) {
    here.jumps.push_back({jump.from, here.position(jump.to), jump.first, jump.last});
  }
}

// What cannot reach a single iteration behind the last slot is left out.
void Chains::drop_dead_ends() {
  std::vector<bool> alive(steps_.back().left.size());
  const int one = steps_.back().position(1);
  if (one >= 0) alive[at(one)] = true;
  for (std::size_t k = steps_.size() - 1;; --k) {
    Step& step = steps_[k];
    std::vector<int> renamed(step.left.size(), -1);
    std::vector<std::int64_t> kept;
    for (std::size_t i = 0; i < step.left.size(); ++i) {
      if (!alive[i]) continue;
      renamed[i] = static_cast<int>(kept.size());
      kept.push_back(step.left[i]);
    }
    step.left = kept;
    if (k + 1 < steps_.size()) {
      for (Jump& jump : steps_[k + 1].jumps) {
        jump.from = renamed[at(jump.from)];
      }
    }
    if (k == 0) break;
    alive.assign(steps_[k - 1].left.size(), false);
    std::erase_if(step.jumps, [&](const Jump& jump) { return renamed[at(jump.to)] < 0; });
    for (Jump& jump : step.jumps) {
      jump.to = renamed[at(jump.to)];
      alive[at(jump.from)] = true;
    }
    std::stable_sort(step.jumps.begin(), step.jumps.end(),
                     [](const Jump& a, const Jump& b) { return a.to < b.to; });
  }
}

// A jump cut where the bound's class of a resource changes.
std::vector<Chains::Jump> Chains::pieces(const Jump& jump, const ChainSlot& slot) const {
  std::vector<Jump> cut;
  for (std::int64_t b = jump.first; b <= jump.last;) {
    std::int64_t last = jump.last;
    for (std::size_t r = 0; r < resources_.size(); ++r) {
      if (((resources_[r].slots() >> slot.slot) & 1U) == 0) continue;
      const int a_class = resources_[r].class_of(b);
      if (a_class < 0) return cut;  // larger bounds are too large as well
      last = std::min(last, resources_[r].last_of(a_class));
    }
    cut.push_back({jump.from, jump.to, b, last});
    b = last + 1;
  }
  return cut;
}

std::optional<std::uint64_t> Chains::advance(std::uint64_t key, const ChainSlot& slot,
                                             std::int64_t bound) const {
  if (bound > 1) key |= slot.order_bit;
  if (slot.resources.empty()) return key;
  std::uint64_t used = key >> kMaxOrderBits;
  for (std::size_t r = 0; r < resources_.size(); ++r) {
    if (((resources_[r].slots() >> slot.slot) & 1U) == 0) continue;
    const auto classes = static_cast<std::uint64_t>(resources_[r].class_count());
    const auto before = static_cast<int>(used / radices_[r] % classes);
    const int bound_class = resources_[r].class_of(bound);
    const int after = bound_class < 0 ? -1 : resources_[r].combined(before, bound_class);
    if (after < 0) return std::nullopt;
    used = used - static_cast<std::uint64_t>(before) * radices_[r] +
           static_cast<std::uint64_t>(after) * radices_[r];
  }
  return used << kMaxOrderBits | (key & ((std::uint64_t{1} << kMaxOrderBits) - 1));
}

void Chains::make_nodes(int step, const Deadline* deadline) {
  const Step& before = steps_[at(step - 1)];
  Step& here = steps_[at(step)];
  const ChainSlot& slot = slots_[at(step - 1)];
  auto jump = here.jumps.begin();
  here.begin.push_back(0);
  for (int to = 0; to < static_cast<int>(here.left.size()); ++to) {
    check(deadline);
    std::map<std::uint64_t, BigUint> nodes;  // in the order of their keys
    for (; jump != here.jumps.end() && jump->to == to; ++jump) {
      for (const Jump& piece : pieces(*jump, slot)) {
        const auto ways = static_cast<std::uint64_t>(piece.last - piece.first + 1);
        for (int node = before.begin[at(piece.from)]; node < before.begin[at(piece.from) + 1];
             ++node) {
          const auto key = advance(before.keys[at(node)], slot, piece.first);
          if (!key) continue;
          BigUint paths = before.counts[at(node)];
          nodes[*key] += paths *= ways;
        }
      }
    }
    for (const auto& [key, count] : nodes) {
      here.keys.push_back(key);
      here.counts.push_back(count);
    }
    here.begin.push_back(static_cast<int>(here.keys.size()));
  }
}

void Chains::make_classes(const std::vector<Resource>& resources, std::uint32_t own) {
  const Step& end = steps_.back();
  std::map<std::pair<std::uint32_t, std::vector<int>>, std::size_t> known;
  for (int node = 0; node < static_cast<int>(end.keys.size()); ++node) {
    const std::uint64_t key = end.keys[at(node)];
    std::vector<int> used(resources.size(), 0);
    bool enough = true;
    for (std::size_t r = 0; r < resources_.size(); ++r) {
      const auto classes = static_cast<std::uint64_t>(resources_[r].class_count());
      const auto a_class = static_cast<int>((key >> kMaxOrderBits) / radices_[r] % classes);
      const std::size_t id = at(resource_ids_[r]);
      if (((own >> id) & 1U) == 0) {
        used[id] = a_class;
      } else {
        enough = enough && resources_[r].is_enough(a_class);
      }
    }
    if (!enough) continue;
    const auto order_bits = static_cast<std::uint32_t>(key & ((1U << kMaxOrderBits) - 1));
    const auto [place, added] = known.try_emplace({order_bits, used}, classes_.size());
    if (added) classes_.push_back({order_bits, used, {}, {}});
    ChainClass& a_class = classes_[place->second];
    a_class.count += end.counts[at(node)];
    a_class.ends.push_back(node);
  }
}

std::vector<InEdge> Chains::in_edges(int step, int node) const {
  const Step& before = steps_[at(step - 1)];
  const Step& here = steps_[at(step)];
  const ChainSlot& slot = slots_[at(step - 1)];
  const std::uint64_t key = here.keys[at(node)];
  const auto after = std::upper_bound(here.begin.begin(), here.begin.end(), node);
  const int to = static_cast<int>(after - here.begin.begin()) - 1;
  const auto [first, last] =
      std::equal_range(here.jumps.begin(), here.jumps.end(), Jump{0, to, 1, 1},
                       [](const Jump& a, const Jump& b) { return a.to < b.to; });
  std::vector<InEdge> edges;
  for (auto jump = first; jump != last; ++jump) {
    for (const Jump& piece : pieces(*jump, slot)) {
      for (int from = before.begin[at(piece.from)]; from < before.begin[at(piece.from) + 1];
           ++from) {
        if (advance(before.keys[at(from)], slot, piece.first) == key) {
          edges.push_back({from, piece.first, piece.last});
        }
      }
    }
  }
  return edges;
}

void Chains::write_chain(const ChainClass& a_class, BigUint index, std::int64_t* bounds) const {
  const int last = static_cast<int>(slots_.size());
  std::size_t end = 0;
  while (index >= count(last, a_class.ends[end])) index -= count(last, a_class.ends[end++]);
  int node = a_class.ends[end];
  for (int step = last; step > 0; --step) {
    for (const InEdge& edge : in_edges(step, node)) {
      const BigUint& paths = count(step - 1, edge.from);
      const BigUint block = paths * BigUint(static_cast<std::uint64_t>(edge.last - edge.first + 1));
      if (index >= block) {
        index -= block;
        continue;
      }
      const BigUint rest = index.divide(paths);
      bounds[step - 1] = edge.first + static_cast<std::int64_t>(*index.small());
      index = rest;
      node = edge.from;
      break;
    }
  }
}

void Chains::list_backwards(int step, int node, std::vector<std::int64_t>& chain,
                            std::vector<std::int64_t>& out) const {
  if (step == 0) {
    out.insert(out.end(), chain.begin(), chain.end());
    return;
  }
  for (const InEdge& edge : in_edges(step, node)) {
    for (std::int64_t b = edge.first; b <= edge.last; ++b) {
      chain[at(step - 1)] = b;
      list_backwards(step - 1, edge.from, chain, out);
    }
  }
}

std::vector<std::int64_t> Chains::list_chains(const ChainClass& a_class) const {
  std::vector<std::int64_t> all;
  std::vector<std::int64_t> chain(slots_.size(), 1);
  for (const int end : a_class.ends) {
    list_backwards(static_cast<int>(slots_.size()), end, chain, all);
  }
  return all;
}

}  // namespace tilewright::mapspace
