// What the links of a subproblem cost in energy.
#include <algorithm>

#include "mappers/optimal/outer_filling.h"
#include "mappers/optimal/subproblem.h"
#include "mappers/optimal/tile_groups.h"
#include "mappers/optimal/window_reuse.h"

namespace tilewright::optimal {

Energy Subproblem::energy_of_blocks(Int128 words, int memory, std::int64_t each,
                                    Blocks blocks) const {
  const std::int64_t block = solver_->memory(memory).block;
  if (blocks == Blocks::Together) return ceil_div(words, block) * each;
  const Int128 at_once = static_cast<Int128>(instances(memory)) * block;
  return (words + at_once - 1) / at_once * instances(memory) * each;
}

// An output's words beyond those that were held are partial sums: they are read at the
// parent and return to the child, unless the parent adds in place.
Subproblem::Accesses Subproblem::accesses(const Link& link, const LinkWords& words) const {
  if (!solver_->tensor(link.tensor).output) return {words.served, 0, words.entering};
  if (solver_->memory(link.parent).in_place) return {0, words.served, 0};
  return {std::max<Int128>(0, words.served - words.held_by_parent), words.served,
          std::max<Int128>(0, words.entering - words.held_by_child)};
}

Energy Subproblem::exact(const Link& link, const LinkCounts& counts) const {
  if (solver_->only_stationary) return is_stationary(link) ? counts[kEntering] : 0;
  if (solver_->unsettled) return exact_unsettled(link, counts);
  const bool to_memory = link.child < solver_->memory_count;
  return exact(link, counts, {to_memory ? held_[at(link.child)] : 0, held_[at(link.parent)]},
               blocks());
}

Energy Subproblem::exact(const Link& link, const LinkCounts& counts, const Held& held,
                         Blocks blocks) const {
  const bool to_memory = link.child < solver_->memory_count;
  const AccessUnits& parent = solver_->memory(link.parent).access[at(link.tensor)];
  const Accesses all =
      accesses(link, {counts[kEntering], counts[kServed], held.by_child, held.by_parent});
  Energy energy = access_energy(all.parent_reads, link.parent, parent.read, blocks) +
                  access_energy(all.parent_updates, link.parent, parent.update, blocks);
  if (to_memory) {
    const AccessUnits& child = solver_->memory(link.child).access[at(link.tensor)];
    energy += access_energy(all.child_writes, link.child, child.write, blocks);
  }
  for (int f = link.first_fanout; charges_words_ && f < link.end_fanout; ++f) {
    energy += solver_->fanout(f).word * counts[at(kDelivered + f - link.first_fanout)];
  }
  return energy;
}

Units Subproblem::energy(const Link& link, const LinkCounts& counts, const Held& held) const {
  return solver_->scale.table(exact(link, counts, held, blocks()));
}

Units Subproblem::energy_of_less(const Link& link, const LinkCounts& counts, const Held& held,
                                 const Held& less) const {
  return solver_->scale.table(exact(link, counts, less, blocks()) -
                              exact(link, counts, held, blocks()));
}

// A count is no less than what is held, so what is counted beyond the most that is held comes on
// top, also where more is counted by now.
Units Subproblem::energy_not_held(int memory, const PerDim& tile, Int128 held_by_parent) const {
  const auto& links = placement_->compute_links;
  const auto found = std::find_if(links.begin(), links.end(), [&](const Link& one) {
    return one.tensor == solver_->tensor_count - 1;
  });
  const Link& link = *found;
  const auto place = static_cast<std::size_t>(found - links.begin());
  const Energy energy = exact(link, compute_counts_[place], {0, held_by_parent}, blocks());
  const Units known = tells_what_is_held(link, memory) ? energy_not_held(place, memory, tile) : 0;
  return std::max<Units>(0, solver_->scale.table(energy - compute_energy_[place]) - known);
}

// Branches share what comes from outside, but every element comes once; and instances inside may
// hold more of an output.
Energy Subproblem::exact_unsettled(const Link& link, const LinkCounts& counts) const {
  const std::int64_t sharing = solver_->unsettled->sharing[at(link.tensor)];
  const auto held_by = [&](int memory) {
    if (memory == solver_->memory_count) return Int128{0};
    return times(held_[at(memory)], Int128{fanouts_outside(memory) > 0 ? sharing : 1});
  };
  LinkCounts fewer = counts;
  if (link.first_fanout == 0 && link.end_fanout > 0) {
    const Int128 least = least_words(solver_->tensor(link.tensor));
    fewer[kServed] = std::max(ceil_div(counts[kServed], sharing), least);
  }
  return exact(link, fewer, {held_by(link.child), held_by(link.parent)}, Blocks::Together);
}

void Subproblem::fix_compute_links() {
  Energy energy = solver_->macs * solver_->mac;
  for (const Link& link : placement_->compute_links) {
    compute_counts_.push_back(known_compute_counts(link, solver_->memory_count, PerDim{}));
    compute_energy_.push_back(exact(link, compute_counts_.back()));
    energy += compute_energy_.back();
    add_compute_load(link, fixed_loads_);
  }
  fixed_energy_ = solver_->scale.table(energy);
}

Units Subproblem::compute_energy(const Link& link) const {
  return energy(link, known_compute_counts(link, solver_->memory_count, PerDim{}));
}

// Unrolling more makes copies, spares reads where they are shared, and lets memories hold
// more of an output.
Units Subproblem::least_energy(const Link& link, const MoreShared& more) const {
  const bool to_memory = link.child < solver_->memory_count;
  LinkCounts counts =
      to_memory ? least_counts(link, /*may_unroll_more=*/true) : least_compute_counts(link);
  for (int kind = 0; !to_memory && kind < count_kinds(link); ++kind) {
    for (int f = shared_from(link, kind); f < link.end_fanout; ++f) {
      counts[at(kind)] = ceil_div(counts[at(kind)], more.shared[at(f)]);
    }
    // However many share, every element goes there.
    counts[at(kind)] = std::max(counts[at(kind)], least_words(solver_->tensor(link.tensor)));
  }
  return energy_with(link, counts, more);
}

// Each multiplication needs an element, which came with a tile that others use, too, and branches
// share.
Units Subproblem::least_energy(const Link& link, const MoreShared& more,
                               const TileReuse& reuse) const {
  const TensorShape& tensor = solver_->tensor(link.tensor);
  const bool unknown = !tensor.windows.empty() && (solver_->boxes || tensor.shares_halos);
  if (unknown || solver_->macs >= kWideLimit / kReuseParts) return least_energy(link, more);
  LinkCounts counts = least_counts(link, /*may_unroll_more=*/true);
  for (int kind = 0; kind < count_kinds(link); ++kind) {
    Int128 share = reuse.parts;
    for (const int d : members(irrelevant_dims(tensor))) {
      share = times(share, shared_copies(link, kind, d));
    }
    for (int f = shared_from(link, kind); f < link.end_fanout; ++f) {
      share = times(share, more.shared[at(f)]);
    }
    Int128 words = solver_->macs * kReuseParts / share;
    for (const Window& window : tensor.windows) {
      for (int f = shared_from(link, kind); f < link.end_fanout; ++f) {
        if (!shares(f, tensor.output)) continue;
        const bool uneven = is_uneven(window, window.dim(0));
        const std::optional<Rational> known = least_starts(link, window, f, reuse);
        const Rational part =
            known ? *known
                  : different_starts(window, f, branch_tiles(tensor, window, f, uneven),
                                     std::nullopt);
        words = words / part.denominator * part.numerator;  // rounded down, so that it is a bound
      }
    }
    counts[at(kind)] = std::max(counts[at(kind)], words);
  }
  return energy_with(link, counts, more);
}

// No loop over the window stands between that fan-out and the tiles.
std::optional<Rational> Subproblem::least_starts(const Link& link, const Window& window, int fanout,
                                                 const TileReuse& reuse) const {
  const int inner = solver_->memory_count - 1;
  const bool is_beside = fanout >= fanouts_outside(inner - 1) && fanout < fanouts_outside(inner);
  if (reuse.most == nullptr || !is_beside || window.dim_count() != 2) return std::nullopt;
  std::array<TileGroups::Dim, 2> dims;
  for (int i = 0; i < 2; ++i) {
    const int d = window.dim(i);
    dims[at(i)] = {solver_->size(d), (*reuse.most)[at(d)], spatial_->unrolled(fanout, d)};
    const bool alone = unrolled(link.first_fanout, link.end_fanout, d) == dims[at(i)].branches;
    if (!alone) return std::nullopt;
  }
  return least_share_of(window, dims);
}

// Where there are more instances, each may have fewer blocks that are not full.
Units Subproblem::energy_with(const Link& link, const LinkCounts& counts,
                              const MoreShared& more) const {
  const auto held_by = [&](int memory) {
    if (memory == solver_->memory_count) return Int128{0};
    Int128 held = held_[at(memory)];
    for (int f = 0; f < fanouts_outside(memory); ++f) held = times(held, more.held[at(f)]);
    return held;
  };
  return solver_->scale.table(
      exact(link, counts, {held_by(link.child), held_by(link.parent)}, Blocks::Together));
}

Units Subproblem::least_energy(const Link& link) const {
  return energy(link, least_counts(link, false));
}

Units Subproblem::least_filling(int memory) const {
  // With links into memories down to one of them that take so much together, the others one by
  // one.
  const auto with = [&](int filled, Units known) {
    Units together = 0;
    Units energy = 0;
    for (const Link& link : placement_->links) {
      if (link.child > memory) continue;
      Units& part = link.child <= filled ? together : energy;
      part = sum(part, least_energy(link));
    }
    if (memory >= filled) together = std::max(together, known);
    return sum(together, energy);
  };
  const Units least = with(solver_->filled, solver_->least_filling);
  const OuterFilling* outer = solver_->outer;
  if (outer == nullptr || !outer->is_known()) return least;
  return std::max(least, with(outer->memory(), outer->least(*placement_)));
}

Energy Subproblem::leakage(Int128 cycles) const {
  Energy energy = 0;
  for (int m = 0; m < solver_->memory_count; ++m) {
    const MemoryShape& memory = solver_->memory(m);
    if (memory.leakage == 0) continue;
    std::int64_t leaking = 1;
    for (int d = 0; d < solver_->dim_count; ++d) leaking *= least_branches_[at(m)][at(d)];
    if (solver_->leak_all) leaking = memory.physical_instances;
    energy += wide_product(wide_product(cycles, memory.leakage), leaking);
    energy = std::min(energy, kWideLimit);
  }
  return energy;
}

}  // namespace tilewright::optimal
