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
  check_room(
      room_, kept_,
      [&](int t) { return words_of(t, contains(whole_, t) ? solver_.sizes : extents); }, report);
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

Int128 Fitting::words_of(int t, const PerDim& extents) const {
  const TensorShape& tensor = solver_.tensor(t);
  Int128 words = 1;
  for (const int d : members(tensor.alone)) words *= extents[at(d)];
  for (const Window& window : tensor.windows) words *= window.size(window_extents(window, extents));
  return words;
}

// --- all vectors ------------------------------------------------------------

FittingVectors::FittingVectors(const Subproblem& sub, int memory, ExtentLists extents)
    : solver_(sub.solver()), fitting_(sub, memory), extents_(std::move(extents)), numbers_({}) {
  if (!extents_.empty()) {
    last_ = std::move(extents_.back());
    extents_.pop_back();
  }
  strides_.assign(extents_.size(), 0);
  std::size_t number = 1;
  for (std::size_t d = 0; d < extents_.size(); ++d) {
    if (!fitting_.depends_on(static_cast<int>(d))) continue;
    strides_[d] = number;
    number *= extents_[d].size();
  }
  known_.assign(number, kUnknown);
  std::vector<std::size_t> lengths;
  for (const auto& list : extents_) lengths.push_back(list.size());
  numbers_ = sums_of_steps(lengths, strides_);
}

std::size_t FittingVectors::fitting_of(std::int64_t number) {
  std::int32_t& known = known_[static_cast<std::size_t>(number)];
  if (known == kUnknown) known = static_cast<std::int32_t>(find_fitting(number));
  return at(known);
}

std::size_t FittingVectors::find_fitting(std::int64_t number) const {
  PerDim tile{};
  for (std::size_t d = 0; d < extents_.size(); ++d) {
    const auto place =
        strides_[d] == 0 ? 0 : static_cast<std::size_t>(number) / strides_[d] % extents_[d].size();
    tile[d] = std::min(extents_[d][place], solver_.sizes[d]);
  }
  const std::size_t d = extents_.size();
  const auto fits = [&](std::int64_t extent) {
    tile[d] = std::min(extent, solver_.sizes[d]);
    return fitting_.check(tile).fits();
  };
  return static_cast<std::size_t>(std::partition_point(last_.begin(), last_.end(), fits) -
                                  last_.begin());
}

void FittingVectors::leave_out_others(Values& values) {
  Units* row = values.data();
  const auto is_reached = [](Units value) { return value < kNever; };
  for (const std::int64_t begin : numbers_.first) {
    for (const std::int64_t each : numbers_.last) {
      Units* const end = row + last_.size();
      if (std::any_of(row, end, is_reached)) {
        std::fill(row + fitting_of(begin + each), end, kNever);
      }
      row = end;
    }
  }
}

void FittingVectors::leave_out_others(ReachedPlaces& places) {
  const auto length = static_cast<std::uint32_t>(last_.size());
  std::erase_if(places, [&](const ReachedPlace& one) {
    const std::int64_t row = numbers_.sum_of(numbers_.parts_of(one.place / length));
    return one.place % length >= fitting_of(row);
  });
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
