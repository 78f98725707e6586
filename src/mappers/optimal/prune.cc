#include "mappers/optimal/prune.h"

#include <algorithm>

#include "mappers/optimal/price.h"

namespace tilewright::optimal {
namespace {

class Outlook {
 public:
  Outlook(const Subproblem& sub, const Lattice& lattice, int memory)
      : sub_(sub), solver_(sub.solver()), lattice_(lattice), memory_(memory) {
    for (const Link& link : sub.placement().links) least_.push_back(sub.least_energy(link));
  }

  // What is still to be paid for, at least, at every place of a table.
  std::vector<Units> rest(const Relaxation::Table& table) {
    pending_ = table.pending;
    open_ = 0;
    for (int t = 0; t < solver_.tensor_count; ++t) {
      if (open_links(pending_, t) > 0) open_ |= 1U << t;
    }
    std::vector<Units> rest = with_next_loop(open_, -1, memory_, table.values.size());
    std::vector<std::uint32_t> seen = {open_};
    for (int d = 0; d < solver_.dim_count; ++d) {
      std::uint32_t moved = 0;
      bool window = false;
      for (std::uint32_t tensors = open_; tensors != 0; tensors &= tensors - 1) {
        const TensorShape& tensor = solver_.tensor(__builtin_ctz(tensors));
        if (((tensor.relevant >> d) & 1U) == 0) continue;
        moved |= 1U << __builtin_ctz(tensors);
        window = window || ((tensor.alone >> d) & 1U) == 0;
      }
      if (!window) {
        if (std::find(seen.begin(), seen.end(), moved) != seen.end()) continue;
        seen.push_back(moved);
      }
      // A loop of an outer memory moves a window by what is unrolled below it, too.
      for (int block = memory_; block >= (window ? 0 : memory_); --block) {
        if (block < memory_ && !unrolls(block, d)) continue;
        const std::vector<Units> other =
            with_next_loop(moved, window ? d : -1, block, table.values.size());
        for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = std::min(rest[i], other[i]);
      }
    }
    return rest;
  }

 private:
  // Whether fan-outs just inside a memory unroll the dimension.
  bool unrolls(int block, int d) const {
    return sub_.unrolled(sub_.fanouts_outside(block), sub_.fanouts_outside(block + 1), d) > 1;
  }

  // If the next loop is one of memory `block` and moves these tensors; all that
  // is left of its dimension, where it moves a window.
  std::vector<Units> with_next_loop(std::uint32_t moved, int d, int block, std::size_t size) {
    Units fixed = 0;
    const auto& links = sub_.placement().links;
    for (std::size_t i = 0; i < links.size(); ++i) {
      const bool passed = links[i].child > memory_;
      const bool open = passed && is_open(static_cast<int>(i));
      const bool pays = open && ((moved >> links[i].tensor) & 1U) != 0;
      if (!passed || (open && !pays)) fixed = sum(fixed, least_[i]);
    }
    std::vector<Units> rest(size, fixed);
    const std::vector<AxisExtents> axes = axes_at(block, d);
    for (std::size_t i = 0; i < links.size(); ++i) {
      if (links[i].child <= memory_ || ((moved >> links[i].tensor) & 1U) == 0) continue;
      if (is_open(static_cast<int>(i))) add_price(sub_, links[i], block, axes, d, rest);
    }
    return rest;
  }

  // The extents just inside the loops of a memory, if there is none before.
  std::vector<AxisExtents> axes_at(int block, int moving_dim) const {
    std::vector<AxisExtents> axes(static_cast<std::size_t>(solver_.dim_count));
    for (int d = 0; d < solver_.dim_count; ++d) {
      AxisExtents& axis = axes[at(d)];
      axis.extents = lattice_.axis(memory_, d).inner;
      const std::int64_t more =
          sub_.unrolled(sub_.fanouts_outside(block), sub_.fanouts_outside(memory_), d);
      for (std::int64_t& extent : axis.extents) {
        extent *= more;
        if (d == moving_dim) axis.bounds.push_back(ceil_div(solver_.size(d), extent));
      }
    }
    return axes;
  }

  bool is_open(int link) {
    links_.clear();
    const int tensor = sub_.placement().links[at(link)].tensor;
    list_open(sub_, memory_, tensor, pending_, links_);
    return std::find(links_.begin(), links_.end(), link) != links_.end();
  }

  const Subproblem& sub_;
  const SolverTables& solver_;
  const Lattice& lattice_;
  int memory_;
  std::vector<Units> least_;
  OpenLinks pending_ = 0;
  std::uint32_t open_ = 0;
  std::vector<int> links_;
};

}  // namespace

void leave_out_hopeless(const Subproblem& sub, const Lattice& lattice, int memory, Units limit,
                        std::vector<Relaxation::Table>& tables) {
  if (limit >= kNever) return;
  Outlook outlook(sub, lattice, memory);
  std::erase_if(tables, [&](Relaxation::Table& table) {
    const std::vector<Units> rest = outlook.rest(table);
    bool hope = false;
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (sum(table.values[i], rest[i]) >= limit) table.values[i] = kNever;
      hope = hope || table.values[i] < kNever;
    }
    return !hope;
  });
}

}  // namespace tilewright::optimal
