#include "fusion/nests_stack.h"

#include <set>

#include "base/text.h"
#include "mapping/prices.h"

namespace tilewright::fusion {

namespace {

using Refusals = std::vector<std::string>;

// All ways to unroll dimensions along one axis.
class AxisBounds {
 public:
  AxisBounds(const Problem& problem, const Restrictions& restrictions, int slot)
      : problem_(problem), restrictions_(restrictions), slot_(slot) {
    PerDim bounds;
    bounds.fill(1);
    extend(0, problem.instances_along(slot), bounds);
  }
  const std::vector<PerDim>& all() const { return all_; }

 private:
  void extend(int dim, std::int64_t left, PerDim& bounds) {
    if (dim == problem_.dim_count()) {
      all_.push_back(bounds);
      return;
    }
    const BoundLimits& limits = restrictions_.limits(slot_, DimId{dim});
    const bool allowed = contains(problem_.slots()[at(slot_)].allowed_dims, dim);
    const std::int64_t size = problem_.workload().dims[at(dim)].size;
    const std::int64_t most = allowed ? std::min({left, limits.most, size}) : 1;
    for (std::int64_t bound = limits.least; bound <= most; ++bound) {
      if (size % bound != 0) continue;
      bounds[at(dim)] = bound;
      extend(dim + 1, left / bound, bounds);
    }
    bounds[at(dim)] = 1;
  }

  const Problem& problem_;
  const Restrictions& restrictions_;
  int slot_;
  std::vector<PerDim> all_;
};

}  // namespace

NestStack::NestStack(const Problem& problem, const Restrictions& restrictions, int shared)
    : problem_(problem), flat_(problem), shared_(shared) {
  for (int m = 0; m < problem.memory_count(); ++m) {
    kept_.push_back(restrictions.keep_always(MemoryId{m}));
    loop_dims_.push_back(problem.slots()[at(problem.use(MemoryId{m}).slot)].allowed_dims);
    rooms_.push_back(room_of(problem, MemoryId{m}));
  }
  const Room& room = rooms_[at(shared)];
  const bool bits = room.capacity.unit == Capacity::Unit::Bits;
  for (int t = 0; t < flat_.tensors; ++t) {
    element_room_.push_back(bits ? room.element_bits[at(t)] : 1);
  }
  if (room.capacity.unit != Capacity::Unit::Unlimited) capacity_ = room.capacity.amount;
}

std::uint32_t NestStack::irrelevant(int tensor) const {
  return ((1U << flat_.dims) - 1) & ~flat_.tensor[at(tensor)].relevant;
}

int NestStack::keeper_outside(int memory, int tensor) const {
  int keeper = memory - 1;
  while (keeper >= 0 && !contains(kept_[at(keeper)], tensor)) --keeper;
  return keeper;
}

bool NestStack::fanouts_left(std::size_t stage, int memory) const {
  for (std::size_t s = stage; s < stages_.size(); ++s) {
    if (stages_[s].kind == Stage::Kind::Loops && stages_[s].number == memory) return false;
    if (stages_[s].kind == Stage::Kind::Fanout) return true;
  }
  return false;
}

LinkPrices NestStack::prices(int outside, int inside, int tensor) const {
  const FlatPrices& from = flat_.prices[at(outside)];
  const bool in_place = flat_.memory[at(outside)].in_place && tensor == output();
  LinkPrices prices;
  prices.outside_pj = in_place ? 0 : from.read_pj[at(tensor)];
  if (tensor == output()) prices.outside_pj += from.update_pj[at(tensor)];
  if (inside < flat_.memories && !in_place) {
    prices.inside_pj = flat_.prices[at(inside)].write_pj[at(tensor)];
  }
  return prices;
}

bool NestStack::shares(int fanout, int tensor) const {
  const FlatFanout& of = flat_.fanout[at(fanout)];
  return tensor == output() ? of.reduction : of.multicast;
}

bool NestStack::fits(int memory, const PerDim& extents) const {
  bool fits = true;
  check_room(
      rooms_[at(memory)], kept_[at(memory)],
      [&](int tensor) { return flat_.tensor[at(tensor)].words(extents); },
      [&](const Overflow&) { fits = false; });
  return fits;
}

void NestStack::lay_out() {
  for (int level = problem_.arch().level_count() - 2; level >= 0; --level) {
    for (int f = 0; f < flat_.fanouts; ++f) {
      if (flat_.fanout[at(f)].level == LevelId{level}) {
        stages_.push_back({Stage::Kind::Fanout, f});
      }
    }
    for (int m = 0; m < flat_.memories; ++m) {
      if (flat_.memory[at(m)].level != LevelId{level}) continue;
      stages_.push_back({Stage::Kind::Loops, m});
      if (m == shared_) return;
      stages_.push_back({Stage::Kind::Edge, m});
    }
  }
}

void NestStack::unroll(const Restrictions& restrictions) {
  for (const FlatFanout& fanout : flat_.fanout) {
    const AxisBounds ys(problem_, restrictions, fanout.slot);
    const AxisBounds xs(problem_, restrictions, fanout.slot + 1);
    std::vector<Unrolling> all;
    std::set<PerDim> seen;
    for (const PerDim& y : ys.all()) {
      for (const PerDim& x : xs.all()) {
        Unrolling one{y, y};
        std::int64_t instances = 1;
        bool divides = true;
        for (int d = 0; d < flat_.dims; ++d) {
          one.bounds[at(d)] *= x[at(d)];
          instances *= one.bounds[at(d)];
          divides = divides && flat_.size[at(d)] % one.bounds[at(d)] == 0;
        }
        const bool enough = instances >= restrictions.least_instances(fanout.level);
        if (divides && enough && seen.insert(one.bounds).second) all.push_back(one);
      }
    }
    unrollings_.push_back(std::move(all));
  }
}

Checked<NestStack> NestStack::create(const Problem& problem, const Restrictions& restrictions,
                                     const std::string& shared) {
  Checked<NestStack> made;
  int number = -1;
  for (int m = 0; m < problem.memory_count(); ++m) {
    if (problem.memory(MemoryId{m}).name == shared) number = m;
  }
  if (number != 1) {
    made.problems.push_back(
        {{},
         "the shared memory of fused groups has to be the second memory from the outside, which " +
             shared + " is not",
         problem.memory_count() > 1 ? "write --shared " + problem.memory(MemoryId{1}).name : ""});
    return made;
  }
  NestStack stack(problem, restrictions, number);
  stack.lay_out();
  for (const std::string& no : stack.refusals(restrictions)) {
    made.problems.push_back({{}, no, ""});
  }
  if (!made.problems.empty()) return made;
  stack.unroll(restrictions);
  made.value = std::move(stack);
  return made;
}

}  // namespace tilewright::fusion
