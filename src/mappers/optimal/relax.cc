#include "mappers/optimal/relax.h"

#include <algorithm>
#include <map>

#include "mappers/optimal/back_crossing.h"
#include "mappers/optimal/block_loops.h"
#include "mappers/optimal/fitting_vectors.h"
#include "mappers/optimal/price.h"
#include "mappers/optimal/sparse_loops.h"

namespace tilewright::optimal {
namespace {

using Table = Relaxation::Table;

struct CrossingOptions {
  int memory = 0;
  bool only_fitting = false;  // leaves tiles out as soon as they do not fit
  Units limit = kNever;       // and states that lead to nothing below it
};

// States at the loops of a memory that have nothing below a limit even if all that is still to be
// paid for is loaded once.
class StatesBeyond {
 public:
  StatesBeyond(const Subproblem& sub, int memory, Units limit)
      : sub_(sub),
        memory_(memory),
        limit_(limit),
        filling_(limit < kNever ? sub.least_filling(memory) : 0) {}

  // Takes their values away; false if no others are left.
  bool leave_out(OpenLinks open, Values& values) const {
    if (limit_ >= kNever) return true;
    const Units rest = least_rest(open);
    bool is_left = false;
    for (Units& value : values) {
      if (sum(value, rest) >= limit_) value = kNever;
      is_left = is_left || value < kNever;
    }
    return is_left;
  }
  bool leave_out(OpenLinks open, ReachedPlaces& places) const {
    if (limit_ >= kNever) return true;
    const Units rest = least_rest(open);
    std::erase_if(places, [&](const ReachedPlace& one) { return sum(one.value, rest) >= limit_; });
    return !places.empty();
  }

 private:
  Units least_rest(OpenLinks open) const {
    Units rest = filling_;
    std::vector<int> links;
    list_open(sub_, memory_, open_tensors(open), open, links);
    for (const int link : links) {
      rest = sum(rest, sub_.least_energy(sub_.placement().links[at(link)]));
    }
    return rest;
  }

  const Subproblem& sub_;
  int memory_;
  Units limit_;
  Units filling_;  // of this memory and those outside, at least
};

// Carries one table across the loops of a memory, in all classes of orders.
template <typename Loops>
class Crossing {
 public:
  Crossing(const Subproblem& sub, const Lattice& lattice, const CrossingOptions& options,
           const Deadline& deadline, std::vector<Table>& result)
      : sub_(sub),
        solver_(sub.solver()),
        options_(options),
        beyond_(sub, options.memory, options.limit),
        has_ranges_(lattice.has_ranges()),
        loops_(sub, lattice, options.memory),
        deadline_(deadline),
        result_(result) {}

  void carry(const Table& table) {
    pending_ = table.pending;
    Stage stage{0, Loops::from_table(table.values)};
    leave_out_misfits(stage);
    proceed(std::move(stage), open_tensors(pending_), loops_.all_dims());
  }

  std::uint64_t steps() const { return steps_; }

  // Carries what has no open link across the remaining dimensions.
  void finish() {
    while (!closed_.empty()) {
      Stage stage{closed_.begin()->first, std::move(closed_.begin()->second)};
      closed_.erase(closed_.begin());
      loops_.unite(stage.values);
      const std::uint32_t left = ~stage.done & loops_.all_dims();
      if (left == 0) {
        keep_open(0, stage.values);
        continue;
      }
      keep_closed(across(stage, __builtin_ctz(left), {}));
    }
  }

 private:
  // Dimensions that are done have their outer extents, the others inner ones.
  struct Stage {
    std::uint32_t done = 0;
    typename Loops::Places values;
  };

  // What has these links open after all loops.
  void keep_open(OpenLinks pending, const typename Loops::Places& values) {
    auto table = std::find_if(result_.begin(), result_.end(),
                              [&](const Table& one) { return one.pending == pending; });
    if (table == result_.end()) {
      const TableAllocator<Units> allocator(values.get_allocator().memory());
      result_.push_back({pending, Values(loops_.places_of(loops_.all_dims()), kNever, allocator)});
      table = std::prev(result_.end());
    }
    take_less(table->values, values);
  }

  void keep_closed(Stage stage) {
    const auto [known, added] = closed_.try_emplace(stage.done, std::move(stage.values));
    if (!added) Loops::merge(known->second, stage.values);
  }

  // Tensors in `open` have links that no loop so far has moved; `left` are the
  // dimensions without a loop so far.
  void proceed(Stage stage, std::uint32_t open, std::uint32_t left) {
    if (!beyond_.leave_out(links_of(pending_, open), stage.values)) return;
    if (open == 0) {
      keep_closed(std::move(stage));
      return;
    }
    for (int d = loops_.unmoving(open, left); d >= 0; d = loops_.unmoving(open, left)) {
      stage = across(stage, d, {});
      left &= ~(1U << d);
    }
    stay_open(stage, open, left);
    pay_without_windows(stage, open, left);
    for (const int d : members(left)) {
      const std::uint32_t before = loops_.nesting().inside(d) & left;
      const std::uint32_t moved = moved_by(solver_, open, d);
      if (before == 0 && !moves_window(solver_, moved, d)) continue;  // paid for above
      const std::uint32_t rest = left & ~before & ~(1U << d);
      if (before == 0) {
        proceed(across(stage, d, moved), open & ~moved, rest);
      } else {
        proceed(across(without_loops(stage, before), d, moved), open & ~moved, rest);
      }
    }
  }

  // No further loop here: the tensors stay open.
  void stay_open(const Stage& stage, std::uint32_t open, std::uint32_t left) {
    keep_open(links_of(pending_, open), without_loops(stage, left).values);
  }

  // The next loop moves whole tiles. It does not matter which of the dimensions
  // that move the same tensors has it, so they are left for later.
  void pay_without_windows(const Stage& stage, std::uint32_t open, std::uint32_t left) {
    std::vector<std::uint32_t> paid;
    for (const int d : members(loops_.nesting().next(left))) {
      const std::uint32_t moved = moved_by(solver_, open, d);
      if (moves_window(solver_, moved, d) || !is_new(paid, moved)) continue;
      Stage next = stage;
      loops_.pay(next.done, moved, pending_, next.values);
      proceed(std::move(next), open & ~moved, left);
    }
  }

  // The stage after the loop of a dimension, for the best extent inside it. The
  // links of `moved` are paid for where the loop moves them.
  Stage across(const Stage& stage, int d, std::uint32_t moved) {
    deadline_.check();
    const LatticeAxis& loop = loops_.axis(d);
    steps_ += loops_.places_of(stage.done) / loop.inner.size() * loop.edges.size();
    Stage next{
        stage.done | (1U << d),
        loops_.across(stage.values, stage.done, {.dim = d, .moved = moved, .pending = pending_})};
    if (Fitting(sub_, options_.memory).depends_on(d)) leave_out_misfits(next);
    return next;
  }

  // Tiles only grow with the loops that are still to come.
  void leave_out_misfits(Stage& stage) {
    if (!options_.only_fitting) return;
    auto known = fitting_.find(stage.done);
    if (known == fitting_.end()) {
      ExtentLists extents;
      for (int i = 0; i < solver_.dim_count; ++i) extents.push_back(loops_.extents(stage.done, i));
      known = fitting_.try_emplace(stage.done, sub_, options_.memory, std::move(extents)).first;
    }
    known->second.leave_out_others(stage.values);
  }

  // The stage without loops of some dimensions. It counts as one step for each edge and vector.
  Stage without_loops(const Stage& stage, std::uint32_t dims) {
    deadline_.check();
    std::size_t places = loops_.places_of(stage.done);
    for (const int d : members(dims)) {
      const LatticeAxis& loop = loops_.axis(d);
      steps_ += places / loop.inner.size() * loop.edges.size();
      places = places / loop.inner.size() * loop.outer.size();
    }
    Stage next{stage.done | dims,
               loops_.without_loops(stage.values, stage.done, dims, /*outwards=*/true)};
    if (has_ranges_) leave_out_misfits(next);  // the least of a range may be more
    return next;
  }

  const Subproblem& sub_;
  const SolverTables& solver_;
  CrossingOptions options_;
  StatesBeyond beyond_;
  bool has_ranges_;
  Loops loops_;
  const Deadline& deadline_;
  std::vector<Table>& result_;
  OpenLinks pending_ = 0;
  std::map<std::uint32_t, FittingVectors> fitting_;         // by dimensions that are done
  std::map<std::uint32_t, typename Loops::Places> closed_;  // the same
  std::uint64_t steps_ = 0;
};

}  // namespace

bool is_sparse(const std::vector<Table>& tables) {
  std::size_t places = 0;
  std::size_t reached = 0;
  for (const Table& table : tables) places += table.values.size();
  if (places < kManyPlaces) return false;
  for (const Table& table : tables) reached += count_reached(table.values);
  return is_sparse(reached, places);
}

std::vector<bool> used_places(const std::vector<Relaxation::Table>& tables, std::size_t length,
                              std::size_t after) {
  const auto is_reached = [](Units units) { return units < kNever; };
  std::vector<bool> used(length, false);
  std::size_t unused = length;
  for (const Relaxation::Table& table : tables) {
    const Units* value = table.values.data();
    for (const Units* end = value + table.values.size(); value != end && unused > 0;) {
      for (std::size_t place = 0; place < length; ++place, value += after) {
        if (used[place] || std::none_of(value, value + after, is_reached)) continue;
        used[place] = true;
        --unused;
      }
    }
  }
  return used;
}

void keep_places(Values& values, const std::vector<bool>& kept, std::size_t after) {
  Units* to = values.data();
  const Units* from = values.data();
  for (const Units* end = from + values.size(); from != end;) {
    for (const bool keep : kept) {
      if (keep) to = std::copy_n(from, after, to);
      from += after;
    }
  }
  values.resize(static_cast<std::size_t>(to - values.data()));
}

Relaxation::Relaxation(const Subproblem& sub, Lattice& lattice, const EnergyLimit& limit,
                       TableMemory& memory, const Deadline& deadline, const CostAhead* ahead)
    : sub_(&sub), lattice_(&lattice), deadline_(&deadline), inside_(at(sub.solver().memory_count)) {
  const int memories = sub.solver().memory_count;
  inside_.back().push_back({0, Values(1, sub.fixed_energy(), TableAllocator<Units>(memory))});
  for (int m = memories; m-- > 0;) {
    std::vector<Table> tables = cross_block(m, limit.units());
    if (m > 0) {
      const StatesBeyond beyond(sub, m, limit.units());
      std::erase_if(tables,
                    [&](Table& table) { return !beyond.leave_out(table.pending, table.values); });
    }
    if (limit.units() >= kNever) leave_out_misfits(m, tables);
    if (m == 0) {
      at_end_ = std::move(tables);
      break;
    }
    for (Table& table : tables) table.pending += opened_at(sub, m);
    if (limit.units() < kNever) drop_unused_extents(m - 1, tables);
    pay_crossing(sub, lattice, m, tables);
    if (ahead != nullptr) {
      know_through(ahead->leave_out(sub, lattice, m - 1, limit.units(), tables), limit);
      drop_unused_extents(m - 1, tables);
    }
    const Hopeful left = leave_out_hopeless(sub, lattice, m - 1, limit, tables, ahead);
    know_through(left.least, limit);
    least_cycles_ = std::max(least_cycles_, left.cycles);
    drop_unused_extents(m - 1, tables);
    if (tables.empty()) return;
    inside_[at(m - 1)] = std::move(tables);
  }
  pay_at_end();
}

void pay_crossing(const Subproblem& sub, const Lattice& lattice, int memory,
                  std::vector<Table>& tables) {
  const std::uint32_t dims = sub.crossing_dims(memory);
  if (dims == 0 || lattice.has_ranges()) return;
  constexpr Units kUnknown = -1;
  std::size_t number = 1;
  for (const int d : members(dims)) number *= lattice.axis(memory - 1, d).inner.size();
  std::vector<Units> prices(number, kUnknown);
  PerDim tile{};
  tile.fill(1);
  std::size_t place = 0;  // in the tables
  const auto visit = [&](const auto& self, int d, std::size_t index) -> void {
    if (d == sub.solver().dim_count) {
      for (Table& table : tables) {
        if (table.values[place] >= kNever) continue;
        if (prices[index] == kUnknown) prices[index] = sub.crossing_energy(memory, tile);
        table.values[place] = sum(table.values[place], prices[index]);
      }
      ++place;
      return;
    }
    const std::vector<std::int64_t>& inner = lattice.axis(memory - 1, d).inner;
    for (std::size_t i = 0; i < inner.size(); ++i) {
      tile[at(d)] = sub.tile_extent(memory, d, inner[i]);
      self(self, d + 1, contains(dims, d) ? index * inner.size() + i : index);
    }
  };
  visit(visit, 0, 0);
}

void Relaxation::drop_unused_extents(int memory, std::vector<Table>& tables) {
  std::size_t after = 1;
  for (int d = sub_->solver().dim_count; d-- > 0 && !tables.empty();) {
    const std::vector<bool> used =
        used_places(tables, lattice_->axis(memory, d).inner.size(), after);
    const auto number = static_cast<std::size_t>(std::count(used.begin(), used.end(), true));
    if (number == 0) {
      tables.clear();
    } else if (number < used.size()) {
      for (Table& table : tables) keep_places(table.values, used, after);
      lattice_->keep_inner(memory, d, used);
    }
    after *= number;
  }
}

// Of states that were left out it is known that they are not below the limit.
void Relaxation::know_through(Units least, const EnergyLimit& limit) {
  least_through_ = std::max(least_through_, std::min(least, limit.units()));
}

void Relaxation::pay_at_end() {
  for (Table& table : at_end_) {
    pay_open_at_end(*sub_, *lattice_, table);
    for (const Units value : table.values) least_ = std::min(least_, value);
  }
}

// Without a limit it may be that nothing fits, and then it is of interest what comes next to it.
std::vector<Table> Relaxation::cross_block(int memory, Units limit) {
  std::vector<Table> result;
  const bool only_fitting = limit < kNever && sub_->solver().memory(memory).room.bounded;
  const auto cross = [&](auto crossing) {
    for (const Table& table : inside_[at(memory)]) crossing.carry(table);
    crossing.finish();
    steps_ += crossing.steps();
  };
  const CrossingOptions options{memory, only_fitting, limit};
  if (!lattice_->has_ranges() && is_sparse(inside_[at(memory)])) {
    cross(Crossing<SparseLoops>(*sub_, *lattice_, options, *deadline_, result));
  } else {
    cross(Crossing<BlockLoops>(*sub_, *lattice_, options, *deadline_, result));
  }
  return result;
}

void Relaxation::leave_out_misfits(int memory, std::vector<Table>& tables) {
  const int dims = sub_->solver().dim_count;
  if (!sub_->solver().memory(memory).room.bounded || tables.empty()) return;
  std::vector<bool> reached(tables.front().values.size(), false);
  for (const Table& table : tables) {
    for (std::size_t i = 0; i < reached.size(); ++i) {
      if (table.values[i] < kNever) reached[i] = true;
    }
  }
  FittingVectors fitting(*sub_, memory, tile_extents(*lattice_, memory, dims));
  for (Table& table : tables) fitting.leave_out_others(table.values);
  const bool any = std::any_of(tables.begin(), tables.end(), [](const Table& table) {
    return std::any_of(table.values.begin(), table.values.end(),
                       [](Units value) { return value < kNever; });
  });
  if (!any) misfit_ = closest_misfit(*sub_, *lattice_, memory, reached);
}

}  // namespace tilewright::optimal
