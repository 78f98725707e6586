#include "mappers/optimal/fit.h"

#include <algorithm>
#include <utility>

namespace tilewright::optimal {

Fitting::Fitting(const SolverTables& solver, int memory, std::uint32_t kept)
    : solver_(solver),
      level_(solver_.problem().use(MemoryId{memory}).level),
      room_(solver_.memory(memory).room),
      instance_(solver_.memory(memory).instance),
      kept_(kept) {}

Fitting::Fitting(const Subproblem& sub, int memory)
    : Fitting(sub.solver(), memory, sub.placement().kept[at(memory)]) {
  // Boxes of homes count as tiles do, and those below fan-outs hold parts.
  if (solver_.boxes || sub.fanouts_outside(memory) > 0) return;
  whole_ = kept_;
  for (int m = 0; m < memory; ++m) whole_ &= ~sub.placement().kept[at(m)];
}

Verdict Fitting::check(const PerDim& extents) const {
  Verdict verdict;
  const auto report = [&](const Overflow& overflow) {
    if (!verdict.fits()) return;
    const auto kind =
        overflow.of_partition ? Verdict::Kind::PartitionExceeded : Verdict::Kind::CapacityExceeded;
    verdict = {kind, level_, overflow.tensor, {}, overflow.needed, overflow.available};
  };
  check_room(room_, kept_, [&](int t) { return words_together(t, extents); }, report);
  if (!instance_) return verdict;
  const PerDim tile = instance_->least_tile(extents);
  check_room(instance_->room, kept_, [&](int t) { return words_of(t, tile); }, report);
  return verdict;
}

bool Fitting::depends_on(int dim) const {
  for (const int t : members(kept_ & ~whole_)) {
    if (contains(solver_.tensor(t).relevant, dim)) return true;
  }
  return false;
}

std::vector<Fitting::Sum> Fitting::sums() const {
  std::vector<Sum> all;
  const auto add = [&](const Room& room) {
    for (const RoomSum& limit : sums_of(room, kept_)) all.push_back({&room, limit});
  };
  add(room_);
  if (instance_) add(instance_->room);
  return all;
}

ExtentLists Fitting::counted(const Sum& sum, int t, ExtentLists extents) const {
  const bool together = sum.room == &room_;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    for (std::int64_t& extent : extents[d]) {
      extent = std::min(extent, solver_.sizes[d]);
      if (!together) extent = ceil_div(extent, instance_->most_beside[d]);
      if (together && contains(whole_, t)) extent = solver_.sizes[d];
    }
  }
  return extents;
}

Int128 Fitting::words_of(int t, const PerDim& extents) const {
  const TensorShape& tensor = solver_.tensor(t);
  Int128 words = 1;
  for (const int d : members(tensor.alone)) words *= extents[at(d)];
  for (const Window& window : tensor.windows) words *= window.size(window_extents(window, extents));
  return words;
}

ExtentLists tile_extents(const Lattice& lattice, int memory, int dim_count) {
  ExtentLists extents;
  for (int d = 0; d < dim_count; ++d) extents.push_back(lattice.axis(memory, d).outer);
  return extents;
}

bool tile_fits(const SolverTables& solver, int memory, std::uint32_t kept, const PerDim& extents) {
  return Fitting(solver, memory, kept).check(extents).fits();
}

std::optional<Verdict> closest_misfit(const Subproblem& sub, const Lattice& lattice, int memory,
                                      const std::vector<bool>& reached) {
  const SolverTables& solver = sub.solver();
  const Fitting fitting(sub, memory);
  std::optional<Verdict> closest;
  std::size_t i = 0;
  PerDim extents{};
  const auto go = [&](const auto& self, int d) -> void {
    if (d == solver.dim_count) {
      if (!reached[i++]) return;
      const Verdict verdict = fitting.check(extents);
      if (!closest || verdict.needed < closest->needed) closest = verdict;
      return;
    }
    for (const std::int64_t extent : lattice.axis(memory, d).outer) {
      extents[at(d)] = std::min(extent, solver.size(d));
      self(self, d + 1);
    }
  };
  go(go, 0);
  return closest;
}

std::optional<Verdict> least_misfit(const Subproblem& sub) {
  const SolverTables& solver = sub.solver();
  PerDim least{};
  std::fill_n(least.begin(), solver.dim_count, 1);
  for (int m = solver.memory_count; m-- > 0;) {
    PerDim extents{};
    for (int d = 0; d < solver.dim_count; ++d) {
      least[at(d)] *= solver.limits(solver.memory(m).slot, d).least *
                      sub.unrolled(sub.fanouts_outside(m), sub.fanouts_outside(m + 1), d);
      least[at(d)] = extents[at(d)] = std::min(least[at(d)], solver.size(d));
    }
    if (!solver.memory(m).room.bounded) continue;
    const Verdict verdict = Fitting(sub, m).check(extents);
    if (!verdict.fits()) return verdict;
  }
  return std::nullopt;
}

}  // namespace tilewright::optimal
