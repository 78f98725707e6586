#include "mapspace/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include "base/bits.h"

namespace tilewright::mapspace {

namespace {

// Steps of counting that a space may take; some seconds.
constexpr std::uint64_t kMostTransitions = 200'000'000;
// A fan-out of four million instances.
constexpr std::int64_t kMostInstances = std::int64_t{1} << 22U;
constexpr std::size_t kMostUses = std::size_t{1} << 16U;
// Ways to use all fan-outs together: a key holds them above its order bits.
constexpr std::uint64_t kMostCombinations = std::uint64_t{1} << (63U - kMaxOrderBits);

class Builder {
 public:
  Builder(const Problem& problem, SpaceKind kind, const Restrictions& restrictions,
          const Deadline* deadline)
      : problem_(problem), kind_(kind), restrictions_(restrictions), deadline_(deadline) {}

  Tables build() {
    tables_.plans = order_plans(problem_, restrictions_);
    make_resources();
    make_ordered();
    make_keepers();
    if (tables_.failures.empty()) make_stages();
    if (tables_.failures.empty()) make_sets();
    if (!tables_.failures.empty()) return std::move(tables_);
    std::vector<std::vector<BigUint>> ways = tables_.count_ways(/*with_choices=*/true, deadline_);
    for (std::size_t i = 0; i < ways.size(); ++i) tables_.sets[i].ways = std::move(ways[i]);
    if (tables_.sets.front().ways.front().is_zero()) {
      fail(no_room_text(problem_, restrictions_));
    }
    return std::move(tables_);
  }

 private:
  // Several dimensions share an axis; with a least use the two axes of a fan-
  // out count together as well.
  void make_resources() {
    for (int s = 0; s < problem_.slot_count(); ++s) {
      const Slot& slot = problem_.slots()[at(s)];
      if (slot.is_temporal()) continue;
      add_resource(1, problem_.instances_along(s), 1U << s);
      const std::int64_t least = restrictions_.least_instances(slot.level);
      if (slot.kind != SlotKind::SpatialX || least == 1) continue;
      // The slot of the y axis stands before that of the x axis.
      add_resource(least, problem_.instances_along(s) * problem_.instances_along(s - 1),
                   3U << (s - 1));
    }
    std::uint64_t combinations = 1;
    for (const Resource& resource : tables_.resources) {
      combinations *= static_cast<std::uint64_t>(resource.class_count());
      if (combinations <= kMostCombinations) continue;
      return refuse("too many fan-outs with a least use to count their mappings; constrain fewer");
    }
  }

  // For want of means, not of mappings.
  void refuse(const std::string& why) {
    tables_.too_large = true;
    fail(why);
  }

  void fail(const std::string& why) {
    std::vector<std::string>& failures = tables_.failures;
    if (!contains(failures, why)) failures.push_back(why);
  }

  void add_resource(std::int64_t least, std::int64_t most, std::uint32_t slots) {
    Int128 reachable = 1;
    for (int d = 0; d < problem_.dim_count(); ++d) {
      for (const int s : members(slots)) {
        reachable = std::min<Int128>(reachable * restrictions_.limits(s, DimId{d}).most,
                                     std::numeric_limits<std::int64_t>::max());
      }
    }
    // An axis that a single dimension fills is limited by its bound alone.
    most = std::min(most, static_cast<std::int64_t>(reachable));
    if (least > most) {
      fail(no_room_text(problem_, restrictions_));
    } else if (most > kMostInstances) {
      refuse(fmt::format("a fan-out of more than {} instances is too large to count its mappings",
                         kMostInstances));
    } else if (most > 1) {
      tables_.resources.emplace_back(least, most, slots);
    }
  }

  void make_ordered() {
    std::uint64_t radix = 1;
    for (std::size_t p = 0; p < tables_.plans.size(); ++p) {
      const auto loops = tables_.plans[p].free.size();
      if (loops < 2) continue;
      tables_.ordered.push_back({p, radix, loops + 1});
      radix *= loops + 1;
      if (radix >= std::uint64_t{1} << 47U) {
        return refuse(
            "too many memories with too many loops to count their orders; constrain some");
      }
    }
  }

  void make_keepers() {
    tables_.bypasses = 1;
    for (int t = 0; t < problem_.tensor_count(); ++t) {
      std::vector<std::uint32_t> sets = keepers_of(t);
      if (sets.empty()) {
        fail(fmt::format("no memory may keep {}", problem_.workload().tensor(TensorId{t}).name));
      }
      tables_.bypasses *= static_cast<std::uint64_t>(sets.size());
      tables_.keepers.push_back(std::move(sets));
    }
  }

  // The sets of memories, none of them empty, that may keep a tensor.
  std::vector<std::uint32_t> keepers_of(int tensor) const {
    std::uint32_t always = 0, allowed = 0;
    for (int m = 0; m < problem_.memory_count(); ++m) {
      if (contains(restrictions_.keep_always(MemoryId{m}), tensor)) always |= 1U << m;
      if (contains(restrictions_.keep_allowed(MemoryId{m}), tensor)) allowed |= 1U << m;
    }
    const std::uint32_t open = allowed & ~always;
    std::vector<std::uint32_t> sets;
    // All subsets of the open memories, in ascending order.
    for (std::uint32_t subset = 0;; subset = (subset - open) & open) {
      if ((subset | always) != 0) sets.push_back(subset | always);
      if (subset == open) return sets;
    }
  }

  std::uint32_t order_bit(int slot, DimId dim) const {
    for (std::size_t i = 0; i < tables_.ordered.size(); ++i) {
      const OrderPlan& plan = tables_.plans[tables_.ordered[i].plan];
      const bool free = contains(plan.free, dim);
      if (plan.slot == slot && free) return 1U << i;
    }
    return 0;
  }

  std::vector<ChainSlot> chain_slots(DimId dim) const {
    std::vector<ChainSlot> slots;
    int memory = problem_.memory_count();
    for (int s = problem_.slot_count() - 1; s >= 0; --s) {
      const Slot& slot = problem_.slots()[at(s)];
      if (restrictions_.limits(s, dim).most > 1) slots.push_back(chain_slot(s, dim));
      if (!slot.is_temporal()) continue;
      // The tile of a memory is made by all slots from its own inwards.
      const ExtentLimit& limit = restrictions_.extent_limit(MemoryId{--memory}, dim);
      if (!slots.empty()) {
        slots.back().most_extent = std::min(slots.back().most_extent, limit.most);
      }
    }
    return slots;
  }

  ChainSlot chain_slot(int s, DimId dim) const {
    const BoundLimits& limits = restrictions_.limits(s, dim);
    ChainSlot slot;
    slot.slot = s;
    slot.least = limits.least;
    slot.most = limits.most;
    slot.remainder = may_leave_remainder(kind_, problem_.slots()[at(s)]);
    slot.order_bit = order_bit(s, dim);
    for (std::size_t r = 0; r < tables_.resources.size(); ++r) {
      if (contains(tables_.resources[r].slots(), s)) slot.resources.push_back(static_cast<int>(r));
    }
    return slot;
  }

  // Bit per resource that the dimension may use.
  std::uint32_t uses(DimId dim) const {
    std::uint32_t mask = 0;
    for (const ChainSlot& slot : chain_slots(dim)) {
      for (const int r : slot.resources) mask |= 1U << r;
    }
    return mask;
  }

  std::uint32_t used_by_others(DimId dim) const {
    std::uint32_t others = 0;
    for (int d = 0; d < problem_.dim_count(); ++d) {
      if (DimId{d} != dim) others |= used_[at(d)];
    }
    return others;
  }

  void make_stages() {
    for (int d = 0; d < problem_.dim_count(); ++d) used_.push_back(uses(DimId{d}));
    for (int d = 0; d < problem_.dim_count(); ++d) add_stage(DimId{d});
    // Those that share fan-outs first, so that what is used of them need not be
    // remembered for long; then those with many classes, while states are few.
    const auto rank = [&](const Stage& stage) {
      const bool shares = (used_[at(stage.dim)] & used_by_others(stage.dim)) != 0;
      return std::pair(shares, stage.chains.classes().size());
    };
    std::stable_sort(tables_.stages.begin(), tables_.stages.end(),
                     [&](const Stage& a, const Stage& b) { return rank(a) > rank(b); });
  }

  void add_stage(DimId dim) {
    const Dimension& named = problem_.workload().dim(dim);
    Chains chains(named.size, chain_slots(dim), tables_.resources, ~used_by_others(dim), deadline_);
    if (chains.too_many()) {
      refuse(fmt::format(
          "{} has {} iterations, too many to list what remainders leave of it; choose a space "
          "with fewer remainders",
          named.name, named.size));
    } else if (chains.classes().empty()) {
      fail(no_chain_text(problem_, restrictions_, kind_, dim));
    }
    tables_.stages.push_back({dim, std::move(chains), {}, {}, {}, {}});
  }

  // What is used behind a stage; nothing if it does not fit. Resources that no
  // later dimension touches are settled and forgotten.
  std::optional<std::vector<int>> combine(const std::vector<int>& before,
                                          const std::vector<int>& added, std::uint32_t later,
                                          std::uint32_t closing) const {
    std::vector<int> after(before.size(), 0);
    for (int r = 0; r < static_cast<int>(before.size()); ++r) {
      const Resource& resource = tables_.resources[at(r)];
      const int a_class = resource.combined(before[at(r)], added[at(r)]);
      if (a_class < 0) return std::nullopt;
      if (contains(later, r)) after[at(r)] = a_class;
      if (contains(closing, r) && !resource.is_enough(a_class)) return std::nullopt;
    }
    return after;
  }

  void make_sets() {
    tables_.sets.resize(tables_.stages.size() + 1);
    StateSet& first = tables_.sets.front();
    first.uses.emplace_back(tables_.resources.size(), 0);
    first.states.push_back({});
    for (std::size_t i = 0; i < tables_.stages.size() && tables_.failures.empty(); ++i) {
      prepare_classes(tables_.stages[i]);
      pass(i);
    }
  }

  void prepare_classes(Stage& stage) const {
    std::map<std::vector<int>, int> known;
    for (const ChainClass& a_class : stage.chains.classes()) {
      const auto [place, added] =
          known.try_emplace(a_class.used, static_cast<int>(stage.class_uses.size()));
      if (added) stage.class_uses.push_back(a_class.used);
      stage.use_of_class.push_back(place->second);
      std::uint64_t shift = 0;
      for (const int i : members(a_class.order_bits)) shift += tables_.ordered[at(i)].radix;
      stage.order_shift.push_back(shift);
    }
  }

  // Bit per resource that a stage from `first` to the one before `last` uses.
  std::uint32_t used_between(std::size_t first, std::size_t last) const {
    std::uint32_t mask = 0;
    for (std::size_t i = first; i < last; ++i) mask |= used_[at(tables_.stages[i].dim)];
    return mask;
  }

  // Finds the states behind a stage.
  void pass(std::size_t i) {
    Stage& stage = tables_.stages[i];
    const StateSet& before = tables_.sets[i];
    StateSet& behind = tables_.sets[i + 1];
    transitions_ += before.uses.size() * stage.class_uses.size() +
                    before.states.size() * stage.use_of_class.size();
    if (transitions_ <= kMostTransitions) collect_uses(i);
    if (transitions_ > kMostTransitions || behind.uses.size() >= kMostUses) {
      return refuse(
          "the space is too large to count: fan-outs can be shared and loops ordered in too many "
          "ways; constrain some factors or dimensions");
    }
    const OrderedMemory last = tables_.ordered.empty() ? OrderedMemory{} : tables_.ordered.back();
    behind.index.prepare(behind.uses.size(), last.radix * last.most);
    collect_states(stage, before, behind);
  }

  void collect_uses(std::size_t i) {
    Stage& stage = tables_.stages[i];
    StateSet& behind = tables_.sets[i + 1];
    const std::uint32_t later = used_between(i + 1, tables_.stages.size());
    // Resources of a single dimension were settled among its chains.
    const std::uint32_t closing = used_between(0, i) & used_between(i, i + 1) & ~later;
    std::map<std::vector<int>, int> known;
    for (const std::vector<int>& use : tables_.sets[i].uses) {
      check(deadline_);
      for (const std::vector<int>& added : stage.class_uses) {
        const auto after = combine(use, added, later, closing);
        if (!after) {
          stage.use_behind.push_back(-1);
          continue;
        }
        const auto [place, fresh] = known.try_emplace(*after, static_cast<int>(known.size()));
        if (fresh) behind.uses.push_back(*after);
        stage.use_behind.push_back(place->second);
      }
    }
  }

  void collect_states(const Stage& stage, const StateSet& before, StateSet& behind) const {
    for (const StateSet::State& state : before.states) {
      check(deadline_);
      for (std::size_t c = 0; c < stage.use_of_class.size(); ++c) {
        const StateSet::State next{stage.use_after(state.use, c),
                                   state.orders + stage.order_shift[c]};
        if (next.use < 0) continue;
        const auto fresh = static_cast<int>(behind.states.size());
        if (behind.index.insert(next.use, next.orders, fresh) == fresh) {
          behind.states.push_back(next);
        }
      }
    }
  }

  const Problem& problem_;
  SpaceKind kind_;
  const Restrictions& restrictions_;
  const Deadline* deadline_;
  Tables tables_;
  std::vector<std::uint32_t> used_;  // by dimension, a bit per resource
  std::uint64_t transitions_ = 0;
};

}  // namespace

void StateIndex::prepare(std::size_t uses, std::uint64_t order_space) {
  constexpr std::uint64_t kMostTable = 1U << 21U;
  order_space_ = order_space;
  if (order_space <= kMostTable && uses * order_space <= kMostTable) {
    table_.assign(uses * order_space, -1);
  }
}

int StateIndex::insert(int use, std::uint64_t orders, int fresh) {
  if (table_.empty()) return map_.try_emplace(key(use, orders), fresh).first->second;
  int& position = table_[key(use, orders)];
  if (position < 0) position = fresh;
  return position;
}

int StateIndex::find(int use, std::uint64_t orders) const {
  return table_.empty() ? map_.at(key(use, orders)) : table_[key(use, orders)];
}

int Tables::next(std::size_t stage, const StateSet::State& state, std::size_t a_class) const {
  const Stage& here = stages[stage];
  const int use = here.use_after(state.use, a_class);
  if (use < 0) return -1;
  return sets[stage + 1].index.find(use, state.orders + here.order_shift[a_class]);
}

BigUint Tables::orders_of(const StateSet::State& state) const {
  BigUint product = 1;
  for (const OrderedMemory& memory : ordered) {
    product *= factorial(static_cast<int>(state.orders / memory.radix % memory.most));
  }
  return product;
}

std::vector<std::vector<BigUint>> Tables::count_ways(bool with_choices,
                                                     const Deadline* deadline) const {
  std::vector<std::vector<BigUint>> ways(sets.size());
  for (const StateSet::State& state : sets.back().states) {
    ways.back().push_back(with_choices ? orders_of(state) * bypasses : BigUint(1));
  }
  for (std::size_t i = stages.size(); i-- > 0;) {
    const std::vector<ChainClass>& classes = stages[i].chains.classes();
    for (const StateSet::State& state : sets[i].states) {
      check(deadline);
      BigUint sum;
      for (std::size_t c = 0; c < classes.size(); ++c) {
        const int behind = next(i, state, c);
        if (behind < 0) continue;
        sum.add_product(classes[c].count, ways[i + 1][at(behind)]);
      }
      ways[i].push_back(sum);
    }
  }
  return ways;
}

Tables make_tables(const Problem& problem, SpaceKind kind, const Restrictions& restrictions,
                   const Deadline* deadline) {
  return Builder(problem, kind, restrictions, deadline).build();
}

}  // namespace tilewright::mapspace
