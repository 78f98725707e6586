#include "mappers/optimal/relax.h"

#include <algorithm>
#include <map>

#include "mappers/optimal/fit.h"
#include "mappers/optimal/price.h"
#include "mappers/optimal/prune.h"

namespace tilewright::optimal {
namespace {

using Table = Relaxation::Table;

Table& table_of(std::vector<Table>& tables, OpenLinks pending, std::size_t size) {
  for (Table& table : tables) {
    if (table.pending == pending) return table;
  }
  tables.push_back({pending, std::vector<Units>(size, kNever)});
  return tables.back();
}

void take_least(std::vector<Units>& into, const std::vector<Units>& from) {
  for (std::size_t i = 0; i < into.size(); ++i) into[i] = std::min(into[i], from[i]);
}

// Carries one table across the loops of a memory, in all classes of orders.
class Crossing {
 public:
  Crossing(const Subproblem& sub, const Lattice& lattice, int memory, const Deadline& deadline,
           std::vector<Table>& result)
      : sub_(sub),
        solver_(sub.solver()),
        lattice_(lattice),
        memory_(memory),
        deadline_(deadline),
        inner_dims_(inner_dims(solver_, memory)),
        result_(result) {}

  void carry(const Table& table) {
    std::uint32_t open = 0;
    for (int t = 0; t < solver_.tensor_count; ++t) {
      if (open_links(table.pending, t) > 0) open |= 1U << t;
    }
    Stage stage;
    stage.values = table.values;
    pending_ = table.pending;
    proceed(std::move(stage), open, (1U << solver_.dim_count) - 1U);
  }

  // Carries what has no open link across the remaining dimensions.
  void finish() {
    while (!closed_.empty()) {
      Stage stage;
      stage.done = closed_.begin()->first;
      stage.values = std::move(closed_.begin()->second);
      closed_.erase(closed_.begin());
      const std::uint32_t left = ~stage.done & ((1U << solver_.dim_count) - 1U);
      if (left == 0) {
        take_least(table_of(result_, 0, stage.values.size()).values, stage.values);
        continue;
      }
      keep_closed(across(stage, __builtin_ctz(left), {}));
    }
  }

 private:
  // Dimensions that are done have their outer extents, the others inner ones.
  struct Stage {
    std::uint32_t done = 0;
    std::vector<Units> values;
  };

  const Axis& axis(int d) const { return lattice_.axis(memory_, d); }
  std::size_t length(const Stage& stage, int d) const {
    return ((stage.done >> d) & 1U) != 0 ? axis(d).outer.size() : axis(d).inner.size();
  }
  std::uint32_t relevant(int t) const { return solver_.tensor(t).relevant; }

  void keep_closed(Stage stage) {
    auto [at, added] = closed_.try_emplace(stage.done);
    if (added) {
      at->second = std::move(stage.values);
    } else {
      take_least(at->second, stage.values);
    }
  }

  // Tensors in `open` have links that no loop so far has moved; `left` are the
  // dimensions without a loop so far.
  void proceed(Stage stage, std::uint32_t open, std::uint32_t left) {
    if (open == 0) {
      keep_closed(std::move(stage));
      return;
    }
    while (const std::uint32_t free = unmoving(open, left)) {
      const int d = __builtin_ctz(free);
      stage = across(stage, d, {});
      left &= ~(1U << d);
    }
    stay_open(stage, open, left);
    pay_without_windows(stage, open, left);
    for (std::uint32_t rest = left; rest != 0; rest &= rest - 1) {
      const int d = __builtin_ctz(rest);
      const std::uint32_t before = inner_dims_[at(d)] & left;
      if (before == 0 && !moves_window(open, d)) continue;  // paid for above
      Stage next = stage;
      for (std::uint32_t idle = before; idle != 0; idle &= idle - 1) {
        next = same_extent(next, __builtin_ctz(idle));
      }
      const std::uint32_t moved = moved_by(open, d);
      next = across(next, d, moved);
      proceed(std::move(next), open & ~moved, left & ~before & ~(1U << d));
    }
  }

  // A dimension that moves none of these tensors and may stand here.
  std::uint32_t unmoving(std::uint32_t open, std::uint32_t left) const {
    for (std::uint32_t rest = left; rest != 0; rest &= rest - 1) {
      const int d = __builtin_ctz(rest);
      if (moved_by(open, d) == 0 && (inner_dims_[at(d)] & left) == 0) {
        return 1U << d;
      }
    }
    return 0;
  }

  std::uint32_t moved_by(std::uint32_t open, int d) const {
    std::uint32_t moved = 0;
    for (std::uint32_t rest = open; rest != 0; rest &= rest - 1) {
      const int t = __builtin_ctz(rest);
      if (((relevant(t) >> d) & 1U) != 0) moved |= 1U << t;
    }
    return moved;
  }

  bool moves_window(std::uint32_t open, int d) const {
    for (std::uint32_t rest = moved_by(open, d); rest != 0; rest &= rest - 1) {
      if (((solver_.tensor(__builtin_ctz(rest)).alone >> d) & 1U) == 0) return true;
    }
    return false;
  }

  // No further loop here: the tensors stay open.
  void stay_open(Stage stage, std::uint32_t open, std::uint32_t left) {
    for (; left != 0; left &= left - 1) stage = same_extent(stage, __builtin_ctz(left));
    OpenLinks pending = 0;
    for (int t = 0; t < solver_.tensor_count; ++t) {
      if (((open >> t) & 1U) != 0) pending |= pending_ & (OpenLinks{15} << (4 * t));
    }
    take_least(table_of(result_, pending, stage.values.size()).values, stage.values);
  }

  // The next loop moves whole tiles. It does not matter which of the dimensions
  // that move the same tensors has it, so they are left for later.
  void pay_without_windows(const Stage& stage, std::uint32_t open, std::uint32_t left) {
    std::vector<std::uint32_t> paid;
    for (std::uint32_t rest = left; rest != 0; rest &= rest - 1) {
      const int d = __builtin_ctz(rest);
      if ((inner_dims_[at(d)] & left) != 0 || moves_window(open, d)) continue;
      const std::uint32_t moved = moved_by(open, d);
      if (std::find(paid.begin(), paid.end(), moved) != paid.end()) continue;
      paid.push_back(moved);
      Stage next = stage;
      pay(next, moved, -1, next.values);
      proceed(std::move(next), open & ~moved, left);
    }
  }

  // The prices of the open links of some tensors; along the moving loop's axis
  // there is a place for each edge.
  void pay(const Stage& stage, std::uint32_t tensors, int moving_dim, std::vector<Units>& values) {
    std::vector<AxisExtents> axes(static_cast<std::size_t>(solver_.dim_count));
    for (int d = 0; d < solver_.dim_count; ++d) {
      AxisExtents& extents = axes[at(d)];
      if (d != moving_dim) {
        extents.extents = ((stage.done >> d) & 1U) != 0 ? axis(d).outer : axis(d).inner;
        continue;
      }
      for (const Edge& edge : axis(d).edges) {
        extents.extents.push_back(axis(d).inner[at(edge.from)]);
        extents.bounds.push_back(edge.bound);
      }
    }
    for (std::uint32_t rest = tensors; rest != 0; rest &= rest - 1) {
      links_.clear();
      list_open(sub_, memory_, __builtin_ctz(rest), pending_, links_);
      for (const int link : links_) {
        add_price(sub_, sub_.placement().links[at(link)], memory_, axes, moving_dim, values);
      }
    }
  }

  // The stage after the loop of a dimension, for the best extent inside it. The
  // links of `moved` are paid for where the loop moves them. An idle loop has
  // bound 1.
  Stage across(const Stage& stage, int d, std::uint32_t moved, bool idle = false) {
    deadline_.check();
    const Axis& loop = axis(d);
    const std::size_t inner = loop.inner.size();
    const std::size_t outer = loop.outer.size();
    std::size_t after = 1;
    for (int i = d + 1; i < solver_.dim_count; ++i) after *= length(stage, i);
    const std::size_t before = stage.values.size() / (inner * after);
    std::vector<Units> prices;
    if (moved != 0) {
      prices.assign(before * loop.edges.size() * after, 0);
      pay(stage, moved, d, prices);
    }
    Stage next;
    next.done = stage.done | (1U << d);
    next.values.assign(before * outer * after, kNever);
    for (std::size_t b = 0; b < before; ++b) {
      for (std::size_t e = 0; e < loop.edges.size(); ++e) {
        const Edge& edge = loop.edges[e];
        if (idle && edge.bound != 1) continue;
        const Units* from =
            stage.values.data() + (b * inner + static_cast<std::size_t>(edge.from)) * after;
        Units* to = next.values.data() + (b * outer + static_cast<std::size_t>(edge.to)) * after;
        if (moved == 0) {
          for (std::size_t a = 0; a < after; ++a) to[a] = std::min(to[a], from[a]);
        } else {
          const Units* price = prices.data() + (b * loop.edges.size() + e) * after;
          for (std::size_t a = 0; a < after; ++a) to[a] = std::min(to[a], from[a] + price[a]);
        }
      }
    }
    return next;
  }

  // The stage without a loop of a dimension.
  Stage same_extent(const Stage& stage, int d) { return across(stage, d, 0, /*idle=*/true); }

  const Subproblem& sub_;
  const SolverTables& solver_;
  const Lattice& lattice_;
  int memory_;
  const Deadline& deadline_;
  std::vector<std::uint32_t> inner_dims_;
  std::vector<Table>& result_;
  OpenLinks pending_ = 0;
  std::vector<int> links_;
  std::map<std::uint32_t, std::vector<Units>> closed_;  // by dimensions that are done
};

}  // namespace

std::vector<std::uint32_t> inner_dims(const SolverTables& solver, int memory) {
  std::vector<std::uint32_t> inner(static_cast<std::size_t>(solver.dim_count), 0);
  const std::uint32_t all = (1U << solver.dim_count) - 1U;
  const auto enter = [&](const std::vector<DimId>& list, bool innermost) {
    std::vector<int> dims;
    std::uint32_t listed = 0;
    for (const DimId original : list) {
      const auto found = std::find(solver.originals.begin(), solver.originals.end(), original);
      if (found == solver.originals.end()) continue;
      dims.push_back(static_cast<int>(found - solver.originals.begin()));
      listed |= 1U << dims.back();
    }
    std::uint32_t further_in = listed;
    for (const int d : dims) {
      further_in &= ~(1U << d);
      inner[at(d)] |= further_in | (innermost ? 0 : all & ~listed);
    }
    for (int d = 0; innermost && d < solver.dim_count; ++d) {
      if (((listed >> d) & 1U) == 0) inner[at(d)] |= listed;
    }
  };
  enter(solver.restrictions->outermost(MemoryId{memory}), false);
  enter(solver.restrictions->innermost(MemoryId{memory}), true);
  return inner;
}

void list_open(const Subproblem& sub, int memory, int tensor, OpenLinks pending,
               std::vector<int>& links) {
  int left = open_links(pending, tensor);
  const auto& all = sub.placement().links;
  for (std::size_t i = 0; left > 0 && i < all.size(); ++i) {
    if (all[i].tensor != tensor || all[i].child <= memory) continue;
    links.push_back(static_cast<int>(i));
    --left;
  }
}

OpenLinks opened_at(const Subproblem& sub, int memory) {
  OpenLinks pending = 0;
  for (const Link& link : sub.placement().links) {
    if (link.child == memory) pending += one_open(link.tensor);
  }
  return pending;
}

Relaxation::Relaxation(const Subproblem& sub, Lattice& lattice, Units limit,
                       const Deadline& deadline)
    : sub_(&sub),
      lattice_(&lattice),
      deadline_(&deadline),
      inside_(static_cast<std::size_t>(sub.solver().memory_count)) {
  const int memories = sub.solver().memory_count;
  inside_.back().push_back({0, {sub.fixed_energy()}});
  for (int m = memories; m-- > 0;) {
    std::vector<Table> tables = cross_block(m);
    leave_out_misfits(m, tables);
    if (m == 0) {
      at_end_ = std::move(tables);
      break;
    }
    for (Table& table : tables) table.pending += opened_at(sub, m);
    leave_out_hopeless(sub, lattice, m - 1, limit, tables);
    drop_unused_extents(m - 1, tables);
    if (tables.empty()) return;
    inside_[static_cast<std::size_t>(m) - 1] = std::move(tables);
  }
  pay_at_end();
}

void Relaxation::drop_unused_extents(int memory, std::vector<Table>& tables) {
  if (tables.empty()) return;
  const int dims = sub_->solver().dim_count;
  std::vector<std::vector<bool>> used(static_cast<std::size_t>(dims));
  std::vector<std::size_t> lengths;
  for (int d = 0; d < dims; ++d) {
    lengths.push_back(lattice_->axis(memory, d).inner.size());
    used[at(d)].assign(lengths.back(), false);
  }
  std::vector<std::size_t> at(lengths.size());
  // Calls visit(i) for every place i of a table, `at` being its position.
  const auto for_each_place = [&](auto visit) {
    std::fill(at.begin(), at.end(), 0);
    for (std::size_t i = 0; i < tables.front().values.size(); ++i) {
      visit(i);
      for (std::size_t d = at.size(); d-- > 0;) {
        if (++at[d] < lengths[d]) break;
        at[d] = 0;
      }
    }
  };
  for_each_place([&](std::size_t i) {
    for (const Table& table : tables) {
      if (table.values[i] >= kNever) continue;
      for (std::size_t d = 0; d < at.size(); ++d) used[d][at[d]] = true;
    }
  });
  std::size_t size = 1;
  for (const std::vector<bool>& axis : used) {
    size *= static_cast<std::size_t>(std::count(axis.begin(), axis.end(), true));
  }
  if (size == tables.front().values.size()) return;
  if (size == 0) {
    tables.clear();
    return;
  }
  std::vector<std::vector<Units>> kept(tables.size());
  for_each_place([&](std::size_t i) {
    for (std::size_t d = 0; d < at.size(); ++d) {
      if (!used[d][at[d]]) return;
    }
    for (std::size_t t = 0; t < tables.size(); ++t) kept[t].push_back(tables[t].values[i]);
  });
  for (std::size_t t = 0; t < tables.size(); ++t) tables[t].values = std::move(kept[t]);
  for (int d = 0; d < dims; ++d) {
    lattice_->keep_inner(memory, d, used[static_cast<std::size_t>(d)]);
  }
}

// Links that are still open at the end: their tiles are loaded once.
void Relaxation::pay_at_end() {
  const SolverTables& solver = sub_->solver();
  std::vector<AxisExtents> axes(static_cast<std::size_t>(solver.dim_count));
  for (std::size_t d = 0; d < axes.size(); ++d) {
    axes[d].extents = lattice_->axis(0, static_cast<int>(d)).outer;
  }
  std::vector<int> links;
  for (Table& table : at_end_) {
    links.clear();
    for (int t = 0; t < solver.tensor_count; ++t) list_open(*sub_, 0, t, table.pending, links);
    for (const int link : links) {
      add_price(*sub_, sub_->placement().links[at(link)], 0, axes, -1, table.values);
    }
    for (const Units value : table.values) least_ = std::min(least_, value);
  }
}

std::vector<Table> Relaxation::cross_block(int memory) {
  std::vector<Table> result;
  Crossing crossing(*sub_, *lattice_, memory, *deadline_, result);
  for (const Table& table : inside_[at(memory)]) crossing.carry(table);
  crossing.finish();
  return result;
}

void Relaxation::leave_out_misfits(int memory, std::vector<Table>& tables) {
  if (!sub_->solver().memory(memory).room.bounded || tables.empty()) return;
  const std::vector<bool> fits = fitting_vectors(*sub_, *lattice_, memory);
  bool any = false;
  std::vector<bool> reached(fits.size(), false);
  for (Table& table : tables) {
    for (std::size_t i = 0; i < fits.size(); ++i) {
      if (table.values[i] >= kNever) continue;
      reached[i] = true;
      any = any || fits[i];
      if (!fits[i]) table.values[i] = kNever;
    }
  }
  if (!any) misfit_ = closest_misfit(*sub_, *lattice_, memory, reached);
}

}  // namespace tilewright::optimal
