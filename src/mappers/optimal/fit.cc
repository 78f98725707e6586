#include "mappers/optimal/fit.h"

#include <algorithm>

namespace tilewright::optimal {
namespace {

// The tiles of one memory against its capacity.
class Fitting {
 public:
  Fitting(const SolverTables& solver, int memory, std::uint32_t kept)
      : solver_(solver),
        level_(solver_.problem().use(MemoryId{memory}).level),
        room_(solver_.memory(memory).room),
        kept_(kept) {}

  Fitting(const Subproblem& sub, int memory)
      : Fitting(sub.solver(), memory, sub.placement().kept[at(memory)]) {
    // Boxes of homes count as tiles do, and those below fan-outs hold parts.
    if (solver_.boxes || sub.fanouts_outside(memory) > 0) return;
    whole_ = kept_;
    for (int m = 0; m < memory; ++m) whole_ &= ~sub.placement().kept[at(m)];
  }

  // The first overflow; `extents` are at most the dimensions' sizes.
  Verdict check(const PerDim& extents) const {
    Verdict verdict;
    const auto report = [&](const Overflow& overflow) {
      if (!verdict.fits()) return;
      const auto kind = overflow.of_partition ? Verdict::Kind::PartitionExceeded
                                              : Verdict::Kind::CapacityExceeded;
      verdict = {kind, level_, overflow.tensor, {}, overflow.needed, overflow.available};
    };
    check_room(
        room_, kept_,
        [&](int t) { return words_of(t, contains(whole_, t) ? solver_.sizes : extents); }, report);
    return verdict;
  }

 private:
  Int128 words_of(int t, const PerDim& extents) const {
    const TensorShape& tensor = solver_.tensor(t);
    Int128 words = 1;
    for (const int d : members(tensor.alone)) words *= extents[at(d)];
    for (const Window& window : tensor.windows)
      words *= window.size(window_extents(window, extents));
    return words;
  }

  const SolverTables& solver_;
  LevelId level_;
  const Room& room_;
  std::uint32_t kept_;
  std::uint32_t whole_ = 0;  // tensors of which all has its home here
};

// Calls visit(verdict) for every vector of a memory's outer extents.
template <typename Visit>
void for_each_vector(const Subproblem& sub, const Lattice& lattice, int memory, Visit visit) {
  const SolverTables& solver = sub.solver();
  const Fitting fitting(sub, memory);
  PerDim extents{};
  const auto go = [&](const auto& self, int d) -> void {
    if (d == solver.dim_count) {
      visit(fitting.check(extents));
      return;
    }
    for (const std::int64_t extent : lattice.axis(memory, d).outer) {
      extents[at(d)] = std::min(extent, solver.size(d));
      self(self, d + 1);
    }
  };
  go(go, 0);
}

}  // namespace

std::vector<bool> fitting_vectors(const Subproblem& sub, const Lattice& lattice, int memory) {
  std::vector<bool> fits;
  for_each_vector(sub, lattice, memory,
                  [&](const Verdict& verdict) { fits.push_back(verdict.fits()); });
  return fits;
}

bool tile_fits(const SolverTables& solver, int memory, std::uint32_t kept, const PerDim& extents) {
  return Fitting(solver, memory, kept).check(extents).fits();
}

std::optional<Verdict> closest_misfit(const Subproblem& sub, const Lattice& lattice, int memory,
                                      const std::vector<bool>& reached) {
  std::optional<Verdict> closest;
  std::size_t i = 0;
  for_each_vector(sub, lattice, memory, [&](const Verdict& verdict) {
    if (reached[i++] && (!closest || verdict.needed < closest->needed)) closest = verdict;
  });
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
