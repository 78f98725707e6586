#include "fusion/count_loads.h"

#include <algorithm>
#include <cstdlib>

#include "base/bits.h"
#include "workload/window.h"

namespace tilewright::fusion {
namespace {

// Distinct values of an index, where dimension d runs over extents[d].
std::int64_t distinct(const Rank& rank, const std::vector<std::int64_t>& extents) {
  Extents coefficients{}, own{};
  for (std::size_t i = 0; i < rank.size(); ++i) {
    coefficients[i] = std::abs(rank[i].coefficient);
    own[i] = extents[at(rank[i].dim)];
  }
  if (rank.empty()) return 1;
  if (rank.size() == 1) return own[0];
  return distinct_sums(static_cast<int>(rank.size()), coefficients, own);
}

// One index of a tensor below the first loops of a path.
class RankLoads {
 public:
  RankLoads(const Geometry& geometry, int einsum, const Rank& rank, int depth, int stays)
      : rank_(rank), stays_(stays) {
    const Workload& workload = geometry.cascade().workload(einsum);
    extents_.assign(at(workload.dim_count()), 1);
    for (const Term& term : rank) {
      const DimPieces& pieces = geometry.pieces(einsum, term.dim, depth);
      extents_[at(term.dim)] = pieces.lengths.front();
      if (!pieces.loops.empty()) moved_.push_back({term, pieces});
    }
  }

  std::int64_t sum() const {
    if (moved_.empty()) return distinct(rank_, extents_);
    const bool uniform = std::all_of(moved_.begin(), moved_.end(),
                                     [](const Moved& one) { return one.pieces.is_uniform(); });
    return uniform ? uniform_sum() : sum_of_pieces(moved_.front());
  }

 private:
  struct Moved {
    Term term;
    const DimPieces& pieces;
  };

  // The whole tile at each start of the moving loop, what is new at each of its steps.
  std::int64_t uniform_sum() const {
    const std::int64_t whole = distinct(rank_, extents_);
    std::int64_t starts = 1, at_steps = whole;
    for (const Moved& one : moved_) {
      for (std::size_t i = 0; i < one.pieces.loops.size(); ++i) {
        const std::int64_t count = one.pieces.counts[i];
        if (one.pieces.loops[i] != stays_) {
          starts *= count;
          continue;
        }
        std::vector<std::int64_t> both = extents_;
        both[at(one.term.dim)] *= 2;
        at_steps += (count - 1) * (distinct(rank_, both) - whole);
      }
    }
    return starts * at_steps;
  }

  // Intervals that overlap: one dimension moves.
  std::int64_t sum_of_pieces(const Moved& moved) const {
    std::int64_t sum = 0;
    std::vector<std::int64_t> extents = extents_;
    const DimPieces& pieces = moved.pieces;
    for (std::size_t kind = 0; kind < pieces.lengths.size(); ++kind) {
      extents[at(moved.term.dim)] = pieces.lengths[kind];
      const std::int64_t words = distinct(rank_, extents);
      if (kind == 0 || pieces.loops[kind - 1] < stays_) {
        sum += pieces.times(kind) * words;
        continue;
      }
      const std::int64_t first = pieces.lengths.front(), own = pieces.lengths[kind];
      // Behind a shorter first piece more may be new.
      const std::int64_t behind_first = pieces.loops.size() == 1 && first < own ? 1 : 0;
      if (behind_first > 0) sum += std::min(words, new_words(moved, extents, first));
      sum += (pieces.times(kind) - behind_first) *
             std::min(words, new_words(moved, extents, std::max(own, first)));
    }
    return sum;
  }

  // What a piece has beyond all up to the end of the one before, of this length.
  std::int64_t new_words(const Moved& moved, std::vector<std::int64_t> extents,
                         std::int64_t before) const {
    std::int64_t& extent = extents[at(moved.term.dim)];
    extent = before + moved.pieces.step;
    const std::int64_t both = distinct(rank_, extents);
    extent = before;
    return both - distinct(rank_, extents);
  }

  const Rank& rank_;
  int stays_;
  std::vector<std::int64_t> extents_;
  std::vector<Moved> moved_;
};

}  // namespace

std::int64_t loads_of(const Geometry& geometry, int einsum, TensorId tensor) {
  const int depth = geometry.depth_of(einsum, tensor), stays = geometry.stays_from(einsum, tensor);
  std::int64_t words = 1;
  for (const Rank& rank : geometry.cascade().workload(einsum).tensor(tensor).ranks) {
    words *= RankLoads(geometry, einsum, rank, depth, stays).sum();
  }
  for (int k = 0; k < depth; ++k) {
    if (geometry.moves(einsum, tensor, k) || k >= stays) continue;
    const bool again = geometry.moves_any(einsum, k) || geometry.runs_again(einsum, k);
    if (again) words *= geometry.path(einsum)[at(k)].loop.count;
  }
  return words;
}

bool comes_from_outside(const Geometry& geometry, int einsum, TensorId tensor) {
  const bool output = tensor == geometry.cascade().workload(einsum).output();
  return !geometry.writer(einsum, tensor) && !(output && geometry.is_intermediate(einsum));
}

Load load_of(const Geometry& geometry, const Memory& outermost, int einsum, TensorId tensor) {
  const Workload& workload = geometry.cascade().workload(einsum);
  const std::int64_t words = loads_of(geometry, einsum, tensor);
  if (tensor != workload.output()) return {{words, 0, 0}, {0, words, 0}};
  std::vector<std::int64_t> sizes;
  for (const Dimension& dim : workload.dims) sizes.push_back(dim.size);
  const std::int64_t back =
      outermost.accumulates_in_place ? 0 : words - tile_words(workload, tensor, sizes);
  return {{back, 0, words}, {0, back, 0}};
}

Load departure_of(const Geometry& geometry, int einsum) {
  const Workload& workload = geometry.cascade().workload(einsum);
  std::vector<std::int64_t> sizes;
  for (const Dimension& dim : workload.dims) sizes.push_back(dim.size);
  return {{0, 0, tile_words(workload, workload.output(), sizes)}, {}};
}

std::vector<TensorLoad> loads_of(const Geometry& geometry, const Memory& outermost, int einsum) {
  std::vector<TensorLoad> loads;
  for (const int t : members(residents_of(geometry, einsum))) {
    const TensorId tensor{t};
    if (!comes_from_outside(geometry, einsum, tensor)) continue;
    loads.push_back({tensor, load_of(geometry, outermost, einsum, tensor)});
  }
  if (geometry.leaves(einsum)) {
    loads.push_back({geometry.cascade().workload(einsum).output(), departure_of(geometry, einsum)});
  }
  return loads;
}

std::int64_t tile_words(const Workload& workload, TensorId tensor,
                        const std::vector<std::int64_t>& extents) {
  std::int64_t words = 1;
  for (const Rank& rank : workload.tensor(tensor).ranks) words *= distinct(rank, extents);
  return words;
}

std::int64_t tile_words(const Geometry& geometry, int einsum, TensorId tensor, int depth) {
  const Workload& workload = geometry.cascade().workload(einsum);
  if (tensor == workload.output() && geometry.is_intermediate(einsum)) {
    std::int64_t words = 1;
    for (std::size_t r = 0; r < workload.tensors.back().ranks.size(); ++r) {
      words *= geometry.needed(einsum, r, geometry.readers(einsum).front(), depth).longest();
    }
    return words;
  }
  std::vector<std::int64_t> extents;
  for (int d = 0; d < workload.dim_count(); ++d) {
    extents.push_back(geometry.pieces(einsum, DimId{d}, depth).longest());
  }
  return tile_words(workload, tensor, extents);
}

}  // namespace tilewright::fusion
