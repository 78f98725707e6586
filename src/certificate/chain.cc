#include "certificate/chain.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "base/bits.h"

namespace tilewright::certificate {

namespace {

// Classes, each of them once.
class ClassSet {
 public:
  void add(int number) {
    if (at(number) >= has_.size()) has_.resize(at(number) + 1, 0);
    if (has_[at(number)] == 0) members_.push_back(number);
    has_[at(number)] = 1;
  }
  const std::vector<int>& members() const { return members_; }

 private:
  std::vector<char> has_;
  std::vector<int> members_;
};

class ChainMaker {
 public:
  ChainMaker(const Problem& problem, const Rules& rules, int dim,
             const std::vector<std::int64_t>& factors, Divisors& divisors,
             const ChainLimits& limits, Telling telling)
      : problem_(problem),
        rules_(rules),
        dim_(dim),
        factors_(factors),
        divisors_(divisors),
        most_classes_(telling == Telling::ByBounds ? limits.most_refined
                                                   : std::numeric_limits<std::size_t>::max()),
        refined_(telling == Telling::ByBounds) {
    chain_.size = problem.workload().dims[at(dim)].size;
    chain_.exact = rules.kind == SpaceKind::Perfect || rules.kind == SpaceKind::RubyS ||
                   chain_.size <= limits.small;
    chain_.loops.resize(at(problem.memory_count()));
    chain_.of_point.resize(at(problem.memory_count()));
    chain_.unrolled.resize(factors.size());
    chain_.largest_outside.resize(factors.size(), 1);
  }

  std::optional<Chain> make() {
    ClassSet here;
    here.add(number_of({chain_.size, 1, 1}));
    int fanout = static_cast<int>(factors_.size());
    int memory = problem_.memory_count();
    for (int s = problem_.slot_count(); s-- > 0;) {
      const Slot& slot = problem_.slots()[at(s)];
      if (slot.kind == SlotKind::SpatialY) continue;  // taken together with X
      if (slot.is_temporal()) {
        --memory;
        here =
            has_point_loops(memory, s) ? over_points(memory, s, here) : over_loop(memory, s, here);
      } else {
        here = over_fanout(--fanout, s, here);
      }
      if (has_too_many()) return std::nullopt;
    }
    for (const ExtentClass& one : chain_.classes) {
      chain_.ends.push_back(one.left == 1 ? 1 : 0);
      chain_.largest = std::max(chain_.largest, std::min(one.most, limit()));
    }
    chain_.possible = std::any_of(here.members().begin(), here.members().end(),
                                  [&](int i) { return chain_.ends[at(i)] != 0; });
    for (auto& unrolled : chain_.unrolled) unrolled.resize(chain_.classes.size(), -1);
    for (int m = 0; m < problem_.memory_count(); ++m) sort_out_loops(m);
    if (rules_.kind == SpaceKind::Perfect) find_prime_loops();
    return std::move(chain_);
  }

 private:
  // Steps from one class stand together.
  void sort_out_loops(int memory) {
    auto& of_class = chain_.loops_of_class.emplace_back(chain_.classes.size());
    const std::vector<Step>& steps = chain_.loops[at(memory)];
    for (std::size_t i = 0; i < steps.size(); ++i) {
      auto& [first, end] = of_class[at(steps[i].from)];
      if (end == 0) first = i;
      end = i + 1;
      if (steps[i].to != steps[i].from) chain_.looped |= 1U << memory;
    }
  }

  void find_prime_loops() {
    for (const auto& [one, number] : numbers_) chain_.by_extent.push_back(number);
    std::vector<std::int64_t> primes = divisors_.of(chain_.size);
    std::erase_if(primes, [&](std::int64_t number) { return divisors_.of(number).size() != 2; });
    for (const ExtentClass& from : chain_.classes) {
      std::vector<int>& loops = chain_.prime_loops.emplace_back();
      for (const std::int64_t prime : primes) {
        if (from.left % prime != 0) continue;
        const std::int64_t extent = from.least * prime;
        const ExtentClass one{from.left / prime, extent, extent};
        const auto to = place_of(one);
        if (to != numbers_.end() && !(one < to->first)) loops.push_back(to->second);
      }
    }
  }

  // Where a class stands, or would stand.
  std::vector<std::pair<ExtentClass, int>>::iterator place_of(const ExtentClass& one) {
    return std::lower_bound(
        numbers_.begin(), numbers_.end(), one,
        [](const auto& known, const ExtentClass& wanted) { return known.first < wanted; });
  }

  int number_of(const ExtentClass& one) {
    const auto known = place_of(one);
    if (known != numbers_.end() && !(one < known->first)) return known->second;
    const auto number = static_cast<int>(chain_.classes.size());
    numbers_.insert(known, {one, number});
    chain_.classes.push_back(one);
    return number;
  }

  // A bound may go beyond what is left, by less than the extent it meets.
  std::int64_t limit() const { return std::max<std::int64_t>(1, 2 * chain_.size - 2); }

  // The largest extent that leaves so many iterations.
  std::int64_t most_that_leave(std::int64_t left) const {
    return left == 1 ? limit() : ceil_div(chain_.size, left - 1) - 1;
  }

  bool has_too_many() const { return chain_.classes.size() > most_classes_; }

  // The class that bounds lead to from a class, all of them to the same one.
  int after(int from, std::int64_t least_bound, std::int64_t most_bound) {
    const ExtentClass one = chain_.classes[at(from)];
    if (chain_.exact) {
      const std::int64_t extent = one.least * least_bound;
      return number_of({ceil_div(chain_.size, extent), extent, extent});
    }
    const std::int64_t left = ceil_div(one.left, least_bound);
    ExtentClass to{left, ceil_div(chain_.size, left), most_that_leave(left)};
    if (refined_) {
      to.least = std::max(to.least, one.least * least_bound);
      to.most = static_cast<std::int64_t>(std::min<Int128>(to.most, Int128{one.most} * most_bound));
    }
    return number_of(to);
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
      for (const std::int64_t bound : divisors_.of(left)) within(bound, bound);
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

  void add_loops_from(int from, int slot, std::vector<Step>& steps) {
    const std::int64_t left = chain_.classes[at(from)].left;
    const bool divides = rules_.divides(problem_.slots()[at(slot)]);
    for_each_bound(left, divides, rules_.at_slot(slot, dim_), [&](auto least, auto most) {
      steps.push_back({from, after(from, least, most), least, most});
    });
  }

  // Where no loop has limits, the steps from a class are the same at every memory.
  bool add_known_loops(int from, int slot, std::vector<Step>& steps) {
    const Rules::Limits& limits = rules_.at_slot(slot, dim_);
    const bool free = limits.least <= 1 && limits.most >= chain_.size;
    if (!free || rules_.kind != SpaceKind::Perfect) return false;
    if (at(from) >= free_loops_.size()) free_loops_.resize(at(from) + 1);
    if (free_loops_[at(from)].empty()) add_loops_from(from, slot, free_loops_[at(from)]);
    steps.insert(steps.end(), free_loops_[at(from)].begin(), free_loops_[at(from)].end());
    return true;
  }

  ClassSet over_loop(int memory, int slot, const ClassSet& here) {
    std::vector<Step>& steps = chain_.loops[at(memory)];
    for (const int from : here.members()) {
      if (!add_known_loops(from, slot, steps)) add_loops_from(from, slot, steps);
      if (has_too_many()) return {};
    }
    ClassSet outside;
    for (const Step& step : steps) outside.add(step.to);
    return outside;
  }

  // Divisors of divisors divide what is left as well, so one loop leads as far as several.
  bool has_point_loops(int memory, int slot) const {
    const Rules::Limits& limits = rules_.at_slot(slot, dim_);
    const bool limited = limits.least > 1 || (limits.most > 1 && limits.most < chain_.size);
    return contains(rules_.uneven, memory) && limits.most > 1 &&
           (limited || !rules_.divides(problem_.slots()[at(slot)]));
  }

  // As many loops as the memory may have points.
  ClassSet over_points(int memory, int slot, const ClassSet& here) {
    auto& of_point = chain_.of_point[at(memory)];
    std::set<int> known;
    const auto steps_from = [&](int from) -> const std::vector<Step>& {
      if (at(from) >= of_point.size()) of_point.resize(at(from) + 1);
      if (known.insert(from).second) {
        std::vector<Step> steps;
        add_loops_from(from, slot, steps);
        of_point[at(from)] = std::move(steps);
      }
      return of_point[at(from)];
    };
    ClassSet outside;
    for (const int start : here.members()) {
      std::map<int, Step> reached;
      for (const Step& step : steps_from(start)) reached.emplace(step.to, step);
      std::set<int> last;
      for (const auto& [to, step] : reached) last.insert(to);
      for (int i = 1; i < __builtin_popcount(rules_.may[at(memory)]); ++i) {
        std::set<int> further;
        for (const int from : last) {
          for (const Step& step : steps_from(from)) {
            if (reached.emplace(step.to, Step{start, step.to, 1, 0}).second)
              further.insert(step.to);
          }
        }
        last = std::move(further);
      }
      for (const auto& [to, step] : reached) {
        chain_.loops[at(memory)].push_back(step);
        outside.add(to);
      }
    }
    of_point.resize(chain_.classes.size());
    return outside;
  }

  // The extent outside a fan-out, at most, that leaves so many iterations inside; nothing if no
  // split over the axes finds iterations for both. The last branch of the outer axis has an index.
  std::optional<std::int64_t> largest_over(int slot_x, std::int64_t factor, std::int64_t left) {
    if (rules_.divides(problem_.slots()[at(slot_x)])) {
      return left % factor == 0 ? std::optional(limit()) : std::nullopt;
    }
    if (factor == 1) return limit();
    const auto has = [&](int slot, std::int64_t bound) {
      const Rules::Limits& limits = rules_.at_slot(slot, dim_);
      return bound >= limits.least &&
             bound <= std::min(limits.most, problem_.instances_along(slot));
    };
    std::optional<std::int64_t> largest;
    for (const std::int64_t along_y : divisors_.of(factor)) {
      const std::int64_t along_x = factor / along_y;
      if (!has(slot_x - 1, along_y) || !has(slot_x, along_x)) continue;
      if (along_x > left || along_y > ceil_div(left, along_x)) continue;
      const std::int64_t outer = along_y > 1 ? along_y : along_x;
      const Int128 most = Int128{chain_.size - 1} * outer / (outer - 1);
      largest =
          std::max(largest.value_or(1), static_cast<std::int64_t>(std::min<Int128>(most, limit())));
    }
    return largest;
  }

  ClassSet over_fanout(int fanout, int slot_x, const ClassSet& here) {
    const std::int64_t factor = factors_[at(fanout)];
    ClassSet outside;
    for (const int from : here.members()) {
      const auto most = largest_over(slot_x, factor, chain_.classes[at(from)].left);
      if (!most) continue;
      const int to = after(from, factor, factor);
      auto& unrolled = chain_.unrolled[at(fanout)];
      if (unrolled.size() <= at(from)) unrolled.resize(at(from) + 1, -1);
      unrolled[at(from)] = to;
      std::int64_t& largest = chain_.largest_outside[at(fanout)];
      largest = std::max(largest, std::min(chain_.classes[at(to)].most, *most));
      outside.add(to);
    }
    return outside;
  }

  const Problem& problem_;
  const Rules& rules_;
  int dim_;
  const std::vector<std::int64_t>& factors_;
  Divisors& divisors_;
  std::size_t most_classes_;
  bool refined_;
  Chain chain_;
  std::vector<std::vector<Step>> free_loops_;         // [class]
  std::vector<std::pair<ExtentClass, int>> numbers_;  // of classes, from small to large
};

}  // namespace

bool is_prime(std::int64_t number) {
  for (std::int64_t i = 2; i * i <= number; ++i) {
    if (number % i == 0) return false;
  }
  return number > 1;
}

bool Step::has_prime_bound() const {
  if (most_bound >= 2 * least_bound) return true;
  for (std::int64_t bound = least_bound; bound <= most_bound; ++bound) {
    if (is_prime(bound)) return true;
  }
  return false;
}

Step Chain::perfect_loop(int from, int to) const {
  const ExtentClass& inside = classes[at(from)];
  const std::int64_t bound = classes[at(to)].least / inside.least;
  const bool leads = bound * inside.least == classes[at(to)].least && inside.left % bound == 0;
  return leads ? Step{from, to, bound, bound} : Step{from, to, 1, 0};
}

Step Chain::point_loop(int memory, int from, int to) const {
  const auto& steps = of_point[at(memory)];
  if (steps.empty()) return perfect_loop(from, to);
  if (from == to) return {from, to, 1, 1};
  if (at(from) >= steps.size()) return {from, to, 1, 0};
  const auto found = std::find_if(steps[at(from)].begin(), steps[at(from)].end(),
                                  [&](const Step& step) { return step.to == to; });
  return found != steps[at(from)].end() ? *found : Step{from, to, 1, 0};
}

std::vector<std::vector<Step>> Chain::point_loops(int memory) const {
  std::vector<std::vector<Step>> found(classes.size());
  const auto& steps = of_point[at(memory)];
  for (std::size_t i = 0; i < steps.size(); ++i) {
    for (const Step& step : steps[i]) {
      if (step.to != step.from) found[i].push_back(step);
    }
  }
  if (!steps.empty()) return found;
  std::set<int> reached;
  bool has_loop = false;
  for (const Step& step : loops[at(memory)]) {
    reached.insert(step.to);
    has_loop = has_loop || step.to != step.from;
  }
  for (const int from : has_loop ? reached : std::set<int>{}) {
    for (const int to : reached) {
      const Step step = perfect_loop(from, to);
      if (to != from && step.is_one_loop()) found[at(from)].push_back(step);
    }
  }
  return found;
}

const std::vector<std::int64_t>& Divisors::of(std::int64_t number) {
  std::vector<std::int64_t>& divisors = known_[number];
  if (!divisors.empty()) return divisors;
  for (std::int64_t i = 1; i * i <= number; ++i) {
    if (number % i != 0) continue;
    divisors.push_back(i);
    if (i * i != number) divisors.push_back(number / i);
  }
  return divisors;
}

Chains::Chains(const Problem& problem, const Rules& rules, const ChainLimits& limits)
    : problem_(&problem),
      rules_(&rules),
      limits_(limits),
      known_(at(problem.dim_count())),
      refined_(at(problem.dim_count())) {
  for (int d = 0; d < problem.dim_count(); ++d) {
    if (!has_free_loops(d)) {
      outlines_.emplace_back();
      continue;
    }
    Chain outline;
    outline.size = outline.largest = problem.workload().dims[at(d)].size;
    outline.classes = {{outline.size, 1, 1}};
    outline.possible = true;
    outlines_.push_back(std::make_shared<const Chain>(std::move(outline)));
  }
}

// Whether, of perfect factors, the outermost loop can take all that is left, and the others
// nothing.
bool Chains::has_free_loops(int dim) const {
  if (rules_->kind != SpaceKind::Perfect) return false;
  for (int s = 0; s < problem_->slot_count(); ++s) {
    const bool temporal = problem_->slots()[at(s)].is_temporal();
    if (temporal && rules_->at_slot(s, dim).least > 1) return false;
  }
  return problem_->slots().front().is_temporal() &&
         rules_->at_slot(0, dim).most >= problem_->workload().dims[at(dim)].size;
}

std::shared_ptr<const Chain> Chains::get(int dim, const Unrolling& unrolling) {
  return get(dim, unrolling, Telling::ByLeft);
}

std::shared_ptr<const Chain> Chains::get(int dim, const Unrolling& unrolling, Telling telling) {
  constexpr std::size_t kMostKept = std::size_t{1} << 14;
  std::vector<std::int64_t> factors;
  for (int f = 0; f < unrolling.fanouts(); ++f) factors.push_back(unrolling.factor(f, dim));
  Known& known = (telling == Telling::ByLeft ? known_ : refined_)[at(dim)];
  const auto found = known.find(factors);
  if (found != known.end()) return found->second;
  if (known.size() == kMostKept) known.clear();
  ChainMaker maker(*problem_, *rules_, dim, factors, divisors_, limits_, telling);
  std::optional<Chain> made = maker.make();
  auto kept = made ? std::make_shared<const Chain>(std::move(*made)) : nullptr;
  return known.emplace(std::move(factors), std::move(kept)).first->second;
}

std::optional<std::vector<std::shared_ptr<const Chain>>> Chains::all(const Unrolling& unrolling) {
  std::vector<std::shared_ptr<const Chain>> chains;
  chains.reserve(at(problem_->dim_count()));
  for (int d = 0; d < problem_->dim_count(); ++d) {
    chains.push_back(get(d, unrolling));
    if (!chains.back()->possible) return std::nullopt;
  }
  return chains;
}

// Storage points have steps of their own, from class to class.
bool Chains::can_be_refined() const {
  const bool remainders = rules_->kind == SpaceKind::Ruby || rules_->kind == SpaceKind::RubyT;
  return remainders && rules_->uneven == 0 && !has_parts(problem_->arch());
}

std::optional<std::vector<std::shared_ptr<const Chain>>> Chains::refined(
    const Unrolling& unrolling) {
  if (!can_be_refined()) return std::nullopt;
  std::vector<std::shared_ptr<const Chain>> chains;
  std::size_t volume = 1;
  for (int d = 0; d < problem_->dim_count(); ++d) {
    chains.push_back(get(d, unrolling));
    volume *= chains.back()->classes.size();
    if (volume > limits_.most_combinations) return std::nullopt;
  }
  bool any = false;
  for (int d = 0; d < problem_->dim_count(); ++d) {
    std::shared_ptr<const Chain>& chain = chains[at(d)];
    if (chain->exact) continue;
    std::shared_ptr<const Chain> finer = get(d, unrolling, Telling::ByBounds);
    if (finer == nullptr) continue;
    const std::size_t larger = volume / chain->classes.size() * finer->classes.size();
    if (larger > limits_.most_combinations) continue;
    volume = larger;
    chain = std::move(finer);
    any = true;
  }
  return any ? std::optional(std::move(chains)) : std::nullopt;
}

bool Chains::are_possible(const Unrolling& unrolling) {
  for (int d = 0; d < problem_->dim_count(); ++d) {
    const std::shared_ptr<const Chain>& outline = outlines_[at(d)];
    if (outline == nullptr) {
      if (!get(d, unrolling)->possible) return false;
      continue;
    }
    Count unrolled = 1;
    for (int f = 0; f < unrolling.fanouts(); ++f) unrolled *= unrolling.factor(f, d);
    if (outline->size % unrolled != 0) return false;
  }
  return true;
}

std::vector<std::shared_ptr<const Chain>> Chains::outlines(const Unrolling& unrolling) {
  std::vector<std::shared_ptr<const Chain>> chains = outlines_;
  for (int d = 0; d < problem_->dim_count(); ++d) {
    if (chains[at(d)] == nullptr) chains[at(d)] = get(d, unrolling);
  }
  return chains;
}

}  // namespace tilewright::certificate
