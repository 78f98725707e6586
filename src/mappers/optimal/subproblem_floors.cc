// The floors of the queue's sets of spatial bounds.
#include <algorithm>
#include <functional>
#include <optional>

#include "mappers/optimal/energy_limit.h"
#include "mappers/optimal/subproblem_queue.h"
#include "mappers/optimal/tight_bounds.h"
#include "mappers/optimal/window_starts.h"

namespace tilewright::optimal {
namespace {

// The bounds of a dimension in a fan-out: those that floors count with, and the first and the
// last that there are.
struct SpatialRange {
  std::int64_t counted = 1, first = 1, last = 1;

  std::int64_t growth() const { return ceil_div(last, counted); }
};
using SpatialRanges = std::array<SpatialRange, kMaxDims>;

// No more branches have something than the dimension has indices.
SpatialRange range_of(std::int64_t counted, std::int64_t first, std::int64_t last,
                      std::int64_t size) {
  return {counted, first, std::max(counted, std::min(last, size))};
}

// How much more branches may share of a window whose tiles are not cut short: the share of starts
// that differ with the counted bounds, over the least that it may become.
std::int64_t most_shared_evenly(const SolverTables& solver, const Window& window,
                                const SpatialRanges& ranges) {
  UnrolledDims counted;
  UnrolledDims all;
  for (int i = 0; i < window.dim_count(); ++i) {
    const SpatialRange& range = ranges[at(window.dim(i))];
    const std::int64_t size = solver.size(window.dim(i));
    const std::int64_t most = solver.is_perfect() ? size / range.counted : size;
    counted[at(i)] = {range.counted, size, most, true, true};
    all[at(i)] = {range.last, size, most, true, true};
  }
  const Rational now = least_share_of_starts(window, counted);
  const Rational least = least_share_of_starts(window, all);
  return std::max<std::int64_t>(1, ceil_div(times(now.numerator, least.denominator),
                                            times(now.denominator, least.numerator)));
}

// How much more than with the counted bounds branches may share at most of what they need in a
// window: unrolled more, more of them start at the same place (docs/optimal.md, "Extents are all
// that counts"). All, where that rule does not hold: an output may be held by all of them, and
// halos are shared in other ways.
enum class Branches { Share, Hold };
std::int64_t most_shared(const Subproblem& sub, const TensorShape& tensor, const Window& window,
                         int fanout, const SpatialRanges& ranges, Branches what) {
  std::int64_t product = 1;
  std::int64_t growth = 1;
  std::int64_t most = 1;
  std::int64_t starts = 1;
  int unrolled = 0;
  for (int i = 0; i < window.dim_count(); ++i) {
    const SpatialRange& range = ranges[at(window.dim(i))];
    product = times(product, range.last);
    growth = times(growth, range.growth());
    most = std::max(most, range.last);
    starts += range.last - 1;
    unrolled += range.last > 1 ? 1 : 0;
  }
  if (growth == 1 || what == Branches::Hold || tensor.shares_halos) return growth;
  if (product == most) return 1;
  if (sub.solver().is_perfect() || sub.has_whole_tiles(window, fanout)) {
    return most_shared_evenly(sub.solver(), window, ranges);
  }
  const bool uneven = unrolled > 2 || sub.is_uneven(window, window.dim(0));
  return uneven ? product / most : ceil_div(product - 1, starts - 1);
}

// The same of all that a fan-out with room for so many branches shares of a tensor.
std::int64_t most_shared(const Subproblem& sub, const TensorShape& tensor, int fanout,
                         const SpatialRanges& ranges, Branches what) {
  const SolverTables& solver = sub.solver();
  const std::int64_t room = times(solver.fanout(fanout).size_x, solver.fanout(fanout).size_y);
  std::int64_t others = 1;   // branches that need something different, at least
  std::int64_t counted = 1;  // of those that share, already
  std::int64_t growth = 1;   // of these
  for (int d = 0; d < solver.dim_count; ++d) {
    const SpatialRange& range = ranges[at(d)];
    const bool shares = !contains(tensor.relevant, d);
    others = times(others, shares ? 1 : range.first);
    counted = times(counted, shares ? range.counted : 1);
    growth = times(growth, shares ? range.growth() : 1);
  }
  const std::int64_t used = times(others, counted);
  std::int64_t more = std::min(growth, solver.is_perfect() ? ceil_div(room, used) : room / used);
  for (const Window& window : tensor.windows) {
    more = times(more, most_shared(sub, tensor, window, fanout, ranges, what));
  }
  return more;
}

// What links cost, each of them found once.
class LinkEnergies {
 public:
  template <typename EnergyOf>
  LinkEnergies(const SolverTables& solver, const EnergyOf& energy_of)
      : energy_of_(energy_of), memories_(solver.memory_count + 1) {
    known_.assign(at(solver.tensor_count * memories_ * memories_), -1);
    with_reuse_.resize(known_.size());
  }

  Units operator()(const Link& link, const TileReuse& reuse = RefinedFloor::kOnce) const {
    if (reuse != RefinedFloor::kOnce) return with_reuse(link, reuse);
    Units& known = known_[place(link)];
    if (known < 0) known = energy_of_(link, reuse);
    return known;
  }

 private:
  std::size_t place(const Link& link) const {
    return at((link.tensor * memories_ + link.parent) * memories_ + link.child);
  }

  Units with_reuse(const Link& link, const TileReuse& reuse) const {
    auto& known = with_reuse_[place(link)];
    for (const auto& [of, energy] : known) {
      if (of == reuse) return energy;
    }
    return known.emplace_back(reuse, energy_of_(link, reuse)).second;
  }

  std::function<Units(const Link&, const TileReuse&)> energy_of_;  // with reuse
  int memories_;
  mutable std::vector<Units> known_;  // by tensor, parent and child; -1 if it is not known
  mutable std::vector<std::vector<std::pair<TileReuse, Units>>> with_reuse_;  // by the same
};

}  // namespace

void SubproblemQueue::refine_if_worth_it(const Goal& goal, const Deadline& deadline) const {
  // Without a mapping there is nothing that floors could close; but where none comes for long, they
  // leave out what does not fit.
  const std::uint64_t patience = goal.empty() ? 4 : 1;
  if (refinement_.outer == nullptr || numbers_ < patience * refinement_.plain_sets) return;
  refinement_.outer->find(static_cast<std::int64_t>(most_bytes_ / 4), deadline);
}

// The node was made before.
Cost SubproblemQueue::refined_floor(const Node& node) {
  return higher(node.floor, node.chains ? floor_of(node) : floor_of(node.ranges));
}

// Bounds that are not settled count as the least they can be, and what is left of a fan-out as
// shared. With remainders a bound must not be rounded up and then shared by a fraction: there
// they count as 1.
template <typename LinksOf>
Cost SubproblemQueue::floor_with(const std::vector<Range>& ranges, LinksOf links_of) {
  const auto least_of = [&](int f, int d) {
    const std::int64_t least = first(ranges, f, d);
    return solver_.is_perfect() || least == last(ranges, f, d) ? least : 1;
  };
  SpatialBounds least(solver_.fanout_count, solver_.dim_count, true);
  std::array<std::int64_t, kMaxFanouts> room{};
  std::int64_t more_instances = 1;
  for (int f = 0; f < solver_.fanout_count; ++f) {
    const std::int64_t all = times(solver_.fanout(f).size_x, solver_.fanout(f).size_y);
    std::int64_t used = 1;
    std::int64_t more = 1;
    for (int d = 0; d < solver_.dim_count; ++d) {
      least.set_unrolled(f, d, least_of(f, d));
      least.set_range(f, d, first(ranges, f, d), last(ranges, f, d));
      used *= least_of(f, d);
      more = times(more, ceil_div(last(ranges, f, d), least_of(f, d)));
    }
    room[at(f)] = std::min(more, solver_.is_perfect() ? ceil_div(all, used) : all / used);
    more_instances = times(more_instances, room[at(f)]);
  }
  const Placement none;
  const Subproblem sub(solver_, none, least);
  std::vector<MoreShared> more(at(solver_.tensor_count));
  for (int f = 0; f < solver_.fanout_count; ++f) {
    SpatialRanges of_dims{};
    for (int d = 0; d < solver_.dim_count; ++d) {
      of_dims[at(d)] =
          range_of(least.unrolled(f, d), first(ranges, f, d), last(ranges, f, d), solver_.size(d));
    }
    for (int t = 0; t < solver_.tensor_count; ++t) {
      const TensorShape& tensor = solver_.tensor(t);
      const auto most = [&](Branches what) {
        return std::min(room[at(f)], most_shared(sub, tensor, f, of_dims, what));
      };
      more[at(t)].shared[at(f)] = most(Branches::Share);
      if (tensor.output) more[at(t)].held[at(f)] = most(Branches::Hold);
    }
  }
  const Int128 cycles = std::max(sub.least_cycles(more_instances), solver_.home_cycles);
  const std::int64_t instances = solver_.is_perfect() ? sub.least_instances() : 1;
  const Units energy = sum(sub.fixed_energy(), links_of(sub, more, Cost{0, cycles, instances}));
  return {solver_.scale.energy(energy) + sub.leakage(cycles), cycles, instances};
}

Cost SubproblemQueue::floor_of(const std::vector<Range>& ranges) {
  return floor_with(ranges, [&](const Subproblem& sub, const auto& more, const Cost&) {
    return cheapest_links(sub, more, ranges);
  });
}

// The energy of pooled links that is of interest in some subproblem.
Units SubproblemQueue::most_pooled(const Goal& goal) {
  if (!unpooled_) {
    floor_with(all_ranges(), [&](const Subproblem& sub, const auto& more, const Cost& least) {
      const Units links = refined_->least_unpooled_links(sub, more);
      unpooled_ = Unpooled{sum(sub.fixed_energy(), links), least.cycles, least.instances};
      return links;
    });
  }
  const Int128 cycles = std::max(unpooled_->cycles, solver_.least_cycles);
  const Units limit = goal.energy_limit(cycles, unpooled_->instances, solver_.scale);
  return limit >= kNever ? kNever : std::max<Units>(limit - unpooled_->energy, 0);
}

// Where memories may keep one thing or another, plain floors know less, and frames are many: so
// there it is sooner worth its time.
bool SubproblemQueue::is_pooling() {
  constexpr std::uint64_t kSooner = 4;
  if (!is_refining()) return false;
  if (effort() < refinement_.unpooled_steps / kSooner) return false;
  if (!lists_homes_) homes_ = home_fillings(solver_);
  lists_homes_ = true;
  if (homes_.size() > 1) return true;
  const std::uint64_t taken = has_remainders_in_time(solver_) ? effort() : steps_;
  return taken >= refinement_.unpooled_steps && (refined_->knows_pooled() || !homes_.empty());
}

Cost SubproblemQueue::pooled_floor(Node& node, const Goal& goal, const Deadline& deadline) {
  if (!homes_.empty()) {
    if (!knows_homes_) find_homes(goal, deadline);
    return floor_with_homes(node, goal, deadline);
  }
  const std::vector<Range>& ranges = node.ranges;
  return floor_with(ranges, [&](const Subproblem& sub, const auto& more, const Cost& least) {
    const Units limit = EnergyLimit(sub, goal, least.cycles, least.instances).units();
    const Units left = limit >= kNever ? kNever : std::max<Units>(limit - sub.fixed_energy(), 0);
    std::optional<TensorBranches> branches;
    if (!next_to_split(ranges)) branches = branches_of(ranges);
    return refined_->least_pooled_links(
        sub, more, branches ? &*branches : nullptr,
        {left, most_pooled(goal), static_cast<std::int64_t>(most_bytes_ / 4),
         (steps_ - refinement_.unpooled_steps + 1) * refinement_.most_effort, deadline});
  });
}

// What counts is what is left for these links where all others take the least. Of a single choice
// of keepers it is found at once.
void SubproblemQueue::find_homes(const Goal& goal, const Deadline& deadline) {
  knows_homes_ = true;
  floor_with(all_ranges(), [&](const Subproblem& sub, const auto& more, const Cost& least) {
    const Units limit = EnergyLimit(sub, goal, least.cycles, least.instances).units();
    LinkEnergies energies(solver_, [&](const Link& link, const TileReuse&) {
      return sub.least_energy(link, more[at(link.tensor)]);
    });
    for (HomeFilling& home : homes_) {
      const Units others = sum(sub.fixed_energy(), home.others(energies));
      home.set_limits(limit >= kNever ? kNever : std::max<Units>(limit - others, 0),
                      static_cast<std::int64_t>(most_bytes_ / 4));
    }
    return Units{0};
  });
  const Units known = refinement_.outer->least_of_all();
  if (homes_.size() == 1) homes_.front().find({64, refinement_.unpooled_steps, known}, deadline);
}

// The least of all choices of keepers, or that of a single subproblem. More is found of what is
// below a limit, in no more steps than searches took.
template <typename LinkEnergy>
Units SubproblemQueue::least_with_homes(Node& node, Units limit, const LinkEnergy& energies,
                                        const Deadline& deadline) {
  const UnrolledRanges unrolled = unrolled_ranges(node.ranges);
  Units least = kNever;
  for (HomeFilling& home : homes_) {
    if (node.single && home.all_keepers() != chosen_keepers(node)) continue;
    const Units others = home.others(energies);
    if (homes_.size() == 1 && limit < kNever) {
      raise_filling(node, home, std::max<Units>(0, limit - others), deadline);
    }
    const Units least_filling = std::max(home.least(), node.filling);
    Units energy = sum(others, least_filling);
    if (energy < std::min(least, limit)) {
      const bool may_find = home_steps_ <= effort();
      const auto filling = [&](std::uint32_t moved) {
        const Units known = home.least_without(moved, may_find, deadline, home_steps_);
        return moved == 0 ? std::max(known, least_filling) : known;
      };
      const auto with_tiles = [&](const std::optional<RefinedFloor::CloserLook>& look) {
        return refined_->least_with_home(home, others, unrolled, energies, filling, look);
      };
      energy = std::max(energy, with_tiles(std::nullopt));
      if (energy < std::min(least, limit) && (node.single || home_steps_ <= effort())) {
        energy = std::max(energy, with_tiles({{least_tiles(node.ranges), &home_steps_}}));
      }
    }
    least = std::min(least, energy);
  }
  return least;
}

void SubproblemQueue::raise_filling(Node& node, const HomeFilling& home, Units limit,
                                    const Deadline& deadline) {
  constexpr std::uint64_t kPart = 16;  // of all steps may be in vain
  if (node.chains || vain_steps_ > effort() / kPart) return;
  const Units known = std::max(home.least(), node.filling);
  if (known >= limit || vain_fillings_ >= refinement_.most_in_vain) return;
  double number = 1;
  SpatialBounds ranges(solver_.fanout_count, solver_.dim_count, true);
  for (int f = 0; f < solver_.fanout_count; ++f) {
    for (int d = 0; d < solver_.dim_count; ++d) {
      ranges.set_range(f, d, first(node.ranges, f, d), last(node.ranges, f, d));
      const Range& range = node.ranges[place(f, d)];
      number *= range.last - range.first + 1;
    }
  }
  if (number < refinement_.many) return;
  std::uint64_t steps = 0;
  node.filling = std::max(node.filling, home.least_with(ranges, limit, deadline, steps));
  if (node.filling < limit) vain_steps_ += steps;
  vain_fillings_ = node.filling > known ? 0 : vain_fillings_ + 1;
}

Cost SubproblemQueue::floor_with_homes(Node& node, const Goal& goal, const Deadline& deadline) {
  const auto left = [&](const Subproblem& sub, Int128 cycles, std::int64_t instances) {
    const Units limit = EnergyLimit(sub, goal, cycles, instances).units();
    return limit >= kNever ? kNever : std::max<Units>(limit - sub.fixed_energy(), 0);
  };
  if (node.single) {
    const Subproblem& sub = *node.chains->sub;
    const MoreShared nothing;
    const LinkEnergies energies(solver_, [&](const Link& link, const TileReuse& reuse) {
      if (link.child == solver_.memory_count) return sub.compute_energy(link);
      const Units once = sub.least_energy(link);
      return reuse == RefinedFloor::kOnce ? once
                                          : std::max(once, sub.least_energy(link, nothing, reuse));
    });
    const Units limit = left(sub, node.floor.cycles, node.floor.instances);
    const Units links = least_with_homes(node, limit, energies, deadline);
    Cost floor = node.floor;
    floor.energy = solver_.scale.energy(sum(sub.fixed_energy(), links)) + sub.leakage(floor.cycles);
    return floor;
  }
  return floor_with(node.ranges, [&](const Subproblem& sub, const auto& more, const Cost& least) {
    const LinkEnergies energies(solver_, [&](const Link& link, const TileReuse& reuse) {
      return reuse == RefinedFloor::kOnce ? sub.least_energy(link, more[at(link.tensor)])
                                          : sub.least_energy(link, more[at(link.tensor)], reuse);
    });
    return least_with_homes(node, left(sub, least.cycles, least.instances), energies, deadline);
  });
}

Keepers SubproblemQueue::chosen_keepers(const Node& node) const {
  Keepers keepers{};
  for (int t = 0; t < solver_.tensor_count; ++t) {
    keepers[at(t)] = node.chains->of[at(t)][node.ranks[at(t)]].memories;
  }
  return keepers;
}

UnsettledFanout SubproblemQueue::unsettled(const std::vector<Range>& ranges) const {
  const Placement none;
  SpatialBounds single(solver_.fanout_count, solver_.dim_count, true);
  for (int f = 1; f < solver_.fanout_count; ++f) {
    for (int d = 0; d < solver_.dim_count; ++d) single.set_range(f, d, 1, last(ranges, f, d));
  }
  const Subproblem counted(solver_, none, single);
  const std::int64_t room = times(solver_.fanout(0).size_x, solver_.fanout(0).size_y);
  SpatialRanges of_dims{};
  for (int d = 0; d < solver_.dim_count; ++d) {
    of_dims[at(d)] = range_of(1, first(ranges, 0, d), last(ranges, 0, d), solver_.size(d));
  }
  UnsettledFanout fanout;
  fanout.first.fill(1);
  fanout.last.fill(1);
  for (const TensorShape& tensor : solver_.tensors) {
    std::int64_t different = 1;
    for (const int d : members(tensor.alone)) different = times(different, of_dims[at(d)].first);
    // That counts for what instances hold of an output, too.
    const Branches what = tensor.output ? Branches::Hold : Branches::Share;
    fanout.sharing.push_back(
        std::min(room / different, most_shared(counted, tensor, 0, of_dims, what)));
    for (const Window& window : tensor.windows) {
      for (int i = 0; i < window.dim_count() && !counted.moves_evenly(window); ++i) {
        const int d = window.dim(i);
        fanout.first[at(d)] = first(ranges, 0, d);
        fanout.last[at(d)] = last(ranges, 0, d);
      }
    }
  }
  return fanout;
}

// By what is known by now.
bool SubproblemQueue::raise(Node& node, const Goal& goal, const Deadline& deadline) {
  if (is_refining() && !node.refined) {
    node.floor = refined_floor(node);
  } else if (is_pooling() && !node.pooled) {
    node.floor = higher(node.floor, pooled_floor(node, goal, deadline));
    node.pooled = true;
  } else if (is_to_be_grouped(node)) {
    raise_group(node, goal, deadline);
  } else {
    return false;
  }
  return true;
}

// Leakage counts with the bounds that are known.
void SubproblemQueue::raise_group(Node& node, const Goal& goal, const Deadline& deadline) {
  const auto raised = [&](const auto& least_of) {
    const auto links_of = [&](const Subproblem& sub, const auto&, const Cost& least) {
      const Units limit = EnergyLimit(sub, goal, least.cycles, least.instances).units();
      const Units energy = least_of(limit);
      return energy >= kNever ? kNever : std::max<Units>(energy - sub.fixed_energy(), 0);
    };
    return higher(node.floor, floor_with(node.ranges, links_of));
  };
  const Cost floor = raised([&](Units limit) {
    return known_of_group(known_inside(node), all_of(node.outermost), limit);
  });
  const bool is_higher = floor.energy > node.floor.energy;
  node.floor = floor;
  if (is_higher) return;
  node.floor = raised([&](Units limit) { return least_of_group(node, limit, deadline); });
  node.grouped = true;
}

TensorBranches SubproblemQueue::branches_of(const std::vector<Range>& ranges) const {
  TensorBranches branches;
  for (int f = 0; f < solver_.fanout_count; ++f) {
    const std::int64_t room = times(solver_.fanout(f).size_x, solver_.fanout(f).size_y);
    for (int t = 0; t < solver_.tensor_count; ++t) {
      std::int64_t same = 1;
      std::int64_t different = 1;
      for (int d = 0; d < solver_.dim_count; ++d) {
        const bool relevant = contains(solver_.tensor(t).relevant, d);
        same = times(same, relevant ? 1 : first(ranges, f, d));
        different = times(different, relevant ? last(ranges, f, d) : 1);
      }
      branches.different[at(f)][at(t)] = std::min(different, room / same);
      branches.same[at(f)][at(t)] = same;
    }
  }
  return branches;
}

Units SubproblemQueue::cheapest_links(const Subproblem& sub, const std::vector<MoreShared>& more,
                                      const std::vector<Range>& ranges) {
  if (!is_refining()) {
    Units energy = 0;
    for (int t = 0; t < solver_.tensor_count; ++t) {
      energy = sum(energy, cheapest_chain(sub, t, more[at(t)]));
    }
    return energy;
  }
  return refined_->least_links(sub, more, unrolled_ranges(ranges));
}

// From the outermost fan-out in: to fill some groups there must be a tile more than fill one less.
PerDim SubproblemQueue::least_tiles(const std::vector<Range>& ranges) const {
  PerDim least{};
  least.fill(1);
  for (int d = 0; d < solver_.dim_count; ++d) {
    for (int f = 0; f < solver_.memories.back().fanouts_outside; ++f) {
      const std::int64_t bound = first(ranges, f, d);
      const std::int64_t own = tiles_unrolled_by(solver_, f, {bound, last(ranges, f, d)});
      least[at(d)] = std::max(own, times(least[at(d)] - 1, bound) + 1);
    }
  }
  return least;
}

UnrolledRanges SubproblemQueue::unrolled_ranges(const std::vector<Range>& ranges) const {
  UnrolledRanges unrolled;
  for (int d = 0; d < solver_.dim_count; ++d) {
    unrolled.first[at(d)] = unrolled.last[at(d)] = 1;
    for (int f = 0; f < solver_.fanout_count; ++f) {
      unrolled.first[at(d)] = times(unrolled.first[at(d)], first(ranges, f, d));
      unrolled.last[at(d)] = times(unrolled.last[at(d)], last(ranges, f, d));
    }
  }
  return unrolled;
}

}  // namespace tilewright::optimal
