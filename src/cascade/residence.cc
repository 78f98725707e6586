// What moves, and how long the tensors of a plan stay in the shared memory.
#include <algorithm>

#include "cascade/geometry.h"

namespace tilewright {

void Geometry::find_moved(int einsum) {
  const std::size_t loops = path(einsum).size();
  moved_[at(einsum)].assign(at(cascade_.workload(einsum).dim_count()), std::vector<bool>(loops));
  for (int d = 0; d < cascade_.workload(einsum).dim_count(); ++d) {
    for (std::size_t k = 0; k < loops; ++k) {
      moved_[at(einsum)][at(d)][k] = is_moved(einsum, DimId{d}, static_cast<int>(k));
    }
  }
}

bool Geometry::is_moved(int einsum, DimId dim, int loop) const {
  const auto rank = rank_of(einsum, dim);
  if (!rank || !is_intermediate(einsum) || loop >= common(einsum)) {
    return cascade_.workload(einsum).dim(dim).name == path(einsum)[at(loop)].loop.dim;
  }
  const IntermediateReader& reader = readers(einsum).front();
  const Rank& seen = cascade_.workload(reader.einsum).tensor(reader.tensor).ranks[*rank];
  return std::any_of(seen.begin(), seen.end(),
                     [&](const Term& term) { return moves(reader.einsum, term.dim, loop); });
}

bool Geometry::moves(int einsum, TensorId tensor, int loop) const {
  for (const Rank& rank : cascade_.workload(einsum).tensor(tensor).ranks) {
    for (const Term& term : rank) {
      if (moves(einsum, term.dim, loop)) return true;
    }
  }
  return false;
}

bool Geometry::moves_any(int einsum, int loop) const {
  for (int d = 0; d < cascade_.workload(einsum).dim_count(); ++d) {
    if (moves(einsum, DimId{d}, loop)) return true;
  }
  return false;
}

int Geometry::depth_of(int einsum, TensorId tensor) const {
  const Placement& placement = plan_.leaves[at(einsum)].tensors[at(tensor)];
  if (placement.kind == Placement::Kind::Kept) return placement.depth;
  const bool shared = tensor == cascade_.workload(einsum).output();
  return shared ? common(einsum) : static_cast<int>(path(einsum).size());
}

// That of an intermediate stands with its writer.
const std::string& Geometry::home(int einsum, TensorId tensor) const {
  if (const auto by = writer(einsum, tensor)) return home(*by, cascade_.workload(*by).output());
  const std::string& home = plan_.leaves[at(einsum)].tensors[at(tensor)].home;
  return home.empty() ? shared(einsum) : home;
}

int Geometry::stays_from(int einsum, TensorId tensor) const {
  const Placement& placement = plan_.leaves[at(einsum)].tensors[at(tensor)];
  if (placement.kind != Placement::Kind::Kept) return depth_of(einsum, tensor);
  int from = placement.depth;
  while (from > 0 && !moves(einsum, tensor, from - 1)) --from;
  return std::max(0, from - 1);
}

bool Geometry::runs_again(int einsum, int loop) const {
  if (!is_intermediate(einsum)) return true;
  if (loop >= stays_from(einsum, cascade_.workload(einsum).output())) return false;
  return std::any_of(readers(einsum).begin(), readers(einsum).end(), [&](const auto& reader) {
    return moves_any(reader.einsum, loop) || runs_again(reader.einsum, loop);
  });
}

bool Geometry::overlap_stays(int einsum, TensorId tensor) const {
  if (plan_.leaves[at(einsum)].tensors[at(tensor)].kind != Placement::Kind::Kept) return false;
  const int moving = stays_from(einsum, tensor), depth = depth_of(einsum, tensor);
  if (moving >= depth || !moves(einsum, tensor, moving)) return false;
  const Workload& workload = cascade_.workload(einsum);
  const bool made = tensor == workload.output() && is_intermediate(einsum);
  for (std::size_t r = 0; r < workload.tensor(tensor).ranks.size(); ++r) {
    for (const Term& term : workload.tensor(tensor).ranks[r]) {
      if (!moves(einsum, term.dim, moving)) continue;
      const DimPieces pieces = made ? needed(einsum, r, readers(einsum).front(), depth)
                                    : this->pieces(einsum, term.dim, depth);
      std::vector<std::int64_t> extents(at(workload.dim_count()), 1);
      for (const Term& other : made ? Rank{} : workload.tensor(tensor).ranks[r]) {
        extents[at(other.dim)] = this->pieces(einsum, other.dim, depth).longest();
      }
      const std::int64_t length =
          made ? pieces.longest() : box_extent(workload.tensor(tensor).ranks[r], extents);
      if (length > pieces.step * (made ? 1 : std::abs(term.coefficient))) return true;
    }
  }
  return false;
}

// The run of the loop at this place of the path; the einsum alone behind its end.
namespace {
EinsumRange run_at(const std::vector<PathLoop>& path, int loop, int einsum) {
  if (loop >= static_cast<int>(path.size())) return {einsum, einsum};
  return {path[at(loop)].first, path[at(loop)].last};
}
}  // namespace

EinsumRange Geometry::life_of(int einsum, TensorId tensor) const {
  const Placement& placement = plan_.leaves[at(einsum)].tensors[at(tensor)];
  const bool made = tensor == cascade_.workload(einsum).output() && is_intermediate(einsum);
  EinsumRange life{einsum, einsum};
  if (made) {
    const int last = readers(einsum).back().einsum;
    life = {run_at(path(einsum), common(einsum), einsum).first,
            run_at(path(last), common(einsum), last).last};
  }
  if (placement.kind != Placement::Kind::Kept) return life;
  const int moving = stays_from(einsum, tensor), end = depth_of(einsum, tensor);
  const bool moved = moving < end && moves(einsum, tensor, moving);
  const int inside = moved && !overlap_stays(einsum, tensor) ? moving + 1 : moving;
  if (made && inside >= common(einsum)) return life;
  return run_at(path(einsum), inside, einsum);
}

std::optional<int> Geometry::online_loop(int einsum) const {
  const auto& then = cascade_.einsums[at(einsum)].then;
  if (!then || !then->reduces || !is_intermediate(einsum)) return std::nullopt;
  const auto dim = cascade_.workload(einsum).find_dim(*then->reduces);
  for (int k = 0; dim && k < common(einsum); ++k) {
    if (moves(einsum, *dim, k)) return k;
  }
  return std::nullopt;
}

}  // namespace tilewright
