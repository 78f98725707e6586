#include "certificate/chain.h"

#include <algorithm>
#include <map>
#include <set>

namespace tilewright::certificate {

namespace {

// Up to this size the extents of a dimension with temporal remainders are all
// told apart.
constexpr std::int64_t kSmall = 8;

class ChainMaker {
 public:
  ChainMaker(const Problem& problem, const Rules& rules, int dim,
             const std::vector<std::int64_t>& factors)
      : problem_(problem), rules_(rules), dim_(dim), factors_(factors) {
    chain_.size = problem.workload().dims[at(dim)].size;
    chain_.exact =
        rules.kind == SpaceKind::Perfect || rules.kind == SpaceKind::RubyS || chain_.size <= kSmall;
    chain_.loops.resize(at(problem.memory_count()));
    chain_.unrolled.resize(factors.size());
  }

  Chain make() {
    std::set<int> here = {number_of(chain_.exact ? 1 : chain_.size)};
    int fanout = static_cast<int>(factors_.size());
    int memory = problem_.memory_count();
    for (int s = problem_.slot_count(); s-- > 0;) {
      const Slot& slot = problem_.slots()[at(s)];
      if (slot.kind == SlotKind::SpatialY) continue;  // taken together with X
      here = slot.is_temporal() ? over_loop(--memory, s, here) : over_fanout(--fanout, slot, here);
    }
    for (const ExtentClass& one : chain_.classes) {
      chain_.ends.push_back(one.left == 1 ? 1 : 0);
      chain_.largest = std::max(chain_.largest, std::min(one.most, limit()));
    }
    chain_.possible =
        std::any_of(here.begin(), here.end(), [&](int i) { return chain_.ends[at(i)] != 0; });
    for (auto& unrolled : chain_.unrolled) unrolled.resize(chain_.classes.size(), -1);
    return std::move(chain_);
  }

 private:
  // The class of an extent, or of what is left.
  int number_of(std::int64_t extent_or_left) {
    const auto [known, added] =
        numbers_.emplace(extent_or_left, static_cast<int>(chain_.classes.size()));
    if (added) chain_.classes.push_back(class_of(extent_or_left));
    return known->second;
  }

  ExtentClass class_of(std::int64_t value) const {
    if (chain_.exact) return {ceil_div(chain_.size, value), value, value};
    const std::int64_t most = value == 1 ? limit() : ceil_div(chain_.size, value - 1) - 1;
    return {value, ceil_div(chain_.size, value), most};
  }

  // A bound may go beyond what is left, by less than the extent it meets.
  std::int64_t limit() const { return std::max<std::int64_t>(1, 2 * chain_.size - 2); }

  // The class that a bound leads to from a class.
  int after(int from, std::int64_t bound) {
    const ExtentClass one = chain_.classes[at(from)];
    if (chain_.exact) return number_of(one.least * bound);
    return number_of(ceil_div(one.left, bound));
  }

  // Calls visit(least, most) for ranges of bounds that lead to the same class.
  template <typename Visit>
  void for_each_bound(std::int64_t left, bool divides, const Rules::Limits& limits, Visit visit) {
    const auto within = [&](std::int64_t least, std::int64_t most) {
      least = std::max(least, limits.least);
      most = std::min({most, limits.most, left});
      if (least <= most) visit(least, most);
    };
    if (divides) {
      for (std::int64_t b = 1; b * b <= left; ++b) {
        if (left % b != 0) continue;
        within(b, b);
        if (b * b != left) within(left / b, left / b);
      }
    } else if (chain_.exact) {
      for (std::int64_t b = 1; b <= left; ++b) within(b, b);
    } else {
      for (std::int64_t b = 1; b <= left;) {
        const std::int64_t after = ceil_div(left, b);
        const std::int64_t last = after == 1 ? left : (left - 1) / (after - 1);
        within(b, last);
        b = last + 1;
      }
    }
  }

  std::set<int> over_loop(int memory, int slot, const std::set<int>& here) {
    const bool divides = rules_.divides(problem_.slots()[at(slot)]);
    std::set<int> outside;
    for (const int from : here) {
      const std::int64_t left = chain_.classes[at(from)].left;
      for_each_bound(left, divides, rules_.at_slot(slot, dim_), [&](auto least, auto most) {
        const int to = after(from, least);
        chain_.loops[at(memory)].push_back({from, to, least, most});
        outside.insert(to);
      });
    }
    return outside;
  }

  std::set<int> over_fanout(int fanout, const Slot& slot, const std::set<int>& here) {
    const std::int64_t factor = factors_[at(fanout)];
    std::set<int> outside;
    for (const int from : here) {
      const std::int64_t left = chain_.classes[at(from)].left;
      // Two axes together may pass what is left by less than one of them.
      if (rules_.divides(slot) ? left % factor != 0 : factor > 2 * left - 1) continue;
      const int to = after(from, factor);
      auto& unrolled = chain_.unrolled[at(fanout)];
      if (unrolled.size() <= at(from)) unrolled.resize(at(from) + 1, -1);
      unrolled[at(from)] = to;
      outside.insert(to);
    }
    return outside;
  }

  const Problem& problem_;
  const Rules& rules_;
  int dim_;
  const std::vector<std::int64_t>& factors_;
  Chain chain_;
  std::map<std::int64_t, int> numbers_;
};

}  // namespace

bool is_prime(std::int64_t number) {
  for (std::int64_t i = 2; i * i <= number; ++i) {
    if (number % i == 0) return false;
  }
  return number > 1;
}

Chain make_chain(const Problem& problem, const Rules& rules, int dim,
                 const std::vector<std::int64_t>& factors) {
  return ChainMaker(problem, rules, dim, factors).make();
}

std::shared_ptr<const Chain> Chains::get(int dim, const Unrolling& unrolling) {
  constexpr std::size_t kMostKept = std::size_t{1} << 14;
  std::vector<std::int64_t> factors;
  for (int f = 0; f < unrolling.fanouts(); ++f) factors.push_back(unrolling.factor(f, dim));
  auto& known = known_[at(dim)];
  const auto found = known.find(factors);
  if (found != known.end()) return found->second;
  if (known.size() == kMostKept) known.clear();
  auto made = std::make_shared<const Chain>(make_chain(*problem_, *rules_, dim, factors));
  return known.emplace(std::move(factors), std::move(made)).first->second;
}

std::optional<std::vector<std::shared_ptr<const Chain>>> Chains::all(const Unrolling& unrolling) {
  std::vector<std::shared_ptr<const Chain>> chains;
  for (int d = 0; d < problem_->dim_count(); ++d) {
    chains.push_back(get(d, unrolling));
    if (!chains.back()->possible) return std::nullopt;
  }
  return chains;
}

}  // namespace tilewright::certificate
