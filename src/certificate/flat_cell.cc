#include "certificate/flat_cell.h"

#include <algorithm>
#include <numeric>

#include "base/bits.h"

namespace tilewright::certificate {

namespace {

// Different values of an index of two dimensions at most: pairs meet where one of them goes
// forward as far as the other one goes back.
Int128 distinct(const Rank& rank, const std::vector<std::int64_t>& extents) {
  if (rank.empty()) return 1;
  const std::int64_t a = extents[at(index_of(rank.front().dim))];
  if (rank.size() == 1) return a;
  const std::int64_t b = extents[at(index_of(rank.back().dim))];
  const std::int64_t common = std::gcd(rank.front().coefficient, rank.back().coefficient);
  const Int128 left_a = a - rank.back().coefficient / common;
  const Int128 left_b = b - rank.front().coefficient / common;
  const Int128 pairs = Count(a) * b;
  return left_a > 0 && left_b > 0 ? pairs - Count(left_a) * left_b : pairs;
}

std::vector<std::int64_t> sizes_of(const Workload& workload) {
  std::vector<std::int64_t> sizes;
  for (const Dimension& dim : workload.dims) sizes.push_back(dim.size);
  return sizes;
}

}  // namespace

Int128 tile_elements(const Workload& workload, int tensor,
                     const std::vector<std::int64_t>& extents) {
  Count elements = 1;
  for (const Rank& rank : workload.tensors[at(tensor)].ranks) elements *= distinct(rank, extents);
  return elements;
}

Int128 tile_elements(const Workload& workload, int tensor) {
  return tile_elements(workload, tensor, sizes_of(workload));
}

FlatCell::FlatCell(const FlatGroup& group, std::vector<FlatLoop> loops)
    : group_(&group), loops_(std::move(loops)) {
  std::size_t pieces = 0;
  for (int e = group.run().first; e <= group.run().last; ++e) {
    places_.push_back({Place::Kind::Local, 0, {}});
    begins_.push_back(pieces);
    pieces += at(group.workload(e).dim_count()) * (loops_.size() + 1);
  }
  pieces_.resize(pieces);
}

std::vector<Place> FlatCell::places(int einsum, int tensor) const {
  std::vector<Place> places = {{Place::Kind::Local, 0, {}}};
  for (int depth = 0; depth <= loops(); ++depth) {
    if (depth > 0 && !moves(einsum, tensor, depth - 1)) continue;
    places.push_back({Place::Kind::Kept, depth, {}});
  }
  return places;
}

bool FlatCell::moves(int einsum, int tensor, int loop) const {
  return contains(group_->tensor_moved_by(einsum, tensor), loops_[at(loop)].dim);
}

int FlatCell::depth_of(const Place& place) const {
  return place.kind == Place::Kind::Kept ? place.depth : loops();
}

int FlatCell::stays_from(int einsum, int tensor, const Place& place) const {
  if (place.kind != Place::Kind::Kept) return loops();
  int from = place.depth;
  while (from > 0 && !moves(einsum, tensor, from - 1)) --from;
  return std::max(0, from - 1);
}

// --- pieces -------------------------------------------------------------------------

bool FlatCell::settle() {
  const EinsumRun& run = group_->run();
  for (int e = run.last; e >= run.first; --e) {
    for (int d = 0; d < group_->workload(e).dim_count(); ++d) {
      for (int depth = 0; depth <= loops(); ++depth) {
        const Piece found = find_piece(e, d, depth);
        if (!found.possible) return false;
        pieces_[begins_[at(e - run.first)] + at(d * (loops() + 1) + depth)] = found;
      }
    }
    if (!is_possible(e)) return false;
  }
  return true;
}

FlatCell::Piece FlatCell::find_piece(int einsum, int dim, int depth) const {
  const int rank = group_->output_rank(einsum, dim);
  if (group_->hands_on(einsum) && rank >= 0) return made(einsum, rank, depth);
  const std::int64_t size = group_->workload(einsum).dims[at(dim)].size;
  Piece piece{-1, 1, size, size, size, true};
  for (int k = 0; k < depth; ++k) {
    const FlatLoop& loop = loops_[at(k)];
    if (!contains(group_->moved_by(einsum, dim), loop.dim)) continue;
    const std::int64_t length = size / loop.count;
    piece = {k, loop.count, length, length, length, size % loop.count == 0};
  }
  return piece;
}

// A rank of an intermediate as a reader needs it.
FlatCell::Piece FlatCell::needed(int rank, const FlatGroup::Reader& reader, int depth) const {
  const Workload& reading = group_->workload(reader.einsum);
  Piece moved;
  Count reach = 1;
  std::int64_t coefficient = 1;
  for (const Term& term : reading.tensors[at(reader.tensor)].ranks[at(rank)]) {
    const Piece& own = piece(reader.einsum, index_of(term.dim), depth);
    if (!own.is_moved()) {
      reach += Count(term.coefficient) * (own.first - 1);
      continue;
    }
    moved.possible = !moved.is_moved();
    if (!moved.possible) return moved;
    moved = own;
    coefficient = term.coefficient;
  }
  moved.first = narrow(Count(coefficient) * (moved.first - 1) + reach);
  moved.rest = narrow(Count(coefficient) * (moved.rest - 1) + reach);
  moved.step = narrow(Count(coefficient) * moved.step);
  return moved;
}

// What has to be made of it: what the reader needs and is not there.
FlatCell::Piece FlatCell::made(int einsum, int rank, int depth) const {
  Piece piece = needed(rank, group_->readers(einsum).front(), depth);
  if (!piece.possible) return piece;
  const int output = group_->workload(einsum).tensor_count() - 1;
  const int stays = stays_from(einsum, output, place(einsum));
  leave_out_zeros(einsum, rank, stays, piece);
  if (piece.is_moved() && piece.loop >= stays) piece.rest = std::min(piece.rest, piece.step);
  piece.possible = piece.possible && piece.first > 0 && piece.rest > 0;
  return piece;
}

// Zeros of padding stand before the first value, and nobody makes them. Only the first piece may
// have some.
void FlatCell::leave_out_zeros(int einsum, int rank, int stays, Piece& piece) const {
  const FlatGroup::Reader& reader = group_->readers(einsum).front();
  const Workload &own = group_->workload(einsum), &reading = group_->workload(reader.einsum);
  Count reach = 1;
  for (const Term& term : reading.tensors[at(reader.tensor)].ranks[at(rank)]) {
    reach += Count(term.coefficient) * (reading.dim(term.dim).size - 1);
  }
  const std::int64_t zeros =
      narrow(reach) - own.dim(own.tensors.back().ranks[at(rank)].front().dim).size;
  if (zeros <= 0) return;
  piece.possible = piece.first > zeros;
  if (piece.is_moved() && piece.loop < stays) {
    piece.possible = piece.possible && piece.first + piece.step - piece.rest >= zeros;
  }
  piece.first -= zeros;
}

// --- which cells there are ------------------------------------------------------------

bool FlatCell::is_possible(int einsum) const {
  const Workload& workload = group_->workload(einsum);
  for (int t = 0; t < workload.tensor_count(); ++t) {
    if (!group_->is_outside(einsum, t)) continue;
    for (const Rank& rank : workload.tensors[at(t)].ranks) {
      std::size_t moved = 0;
      bool uniform = true;
      for (const Term& term : rank) {
        const Piece& own = piece(einsum, index_of(term.dim), loops());
        moved += own.is_moved() ? 1U : 0U;
        uniform = uniform && own.is_uniform();
      }
      // Loads of pieces that overlap are known where one dimension moves.
      if (moved > 1 && !uniform) return false;
    }
  }
  if (!group_->hands_on(einsum)) return true;
  return (!group_->also_leaves(einsum) || has_all(einsum)) && is_read_alike(einsum);
}

// Whether what is read of an intermediate has no gaps.
bool FlatCell::has_all(int einsum) const {
  const FlatGroup::Reader& reader = group_->readers(einsum).front();
  const auto ranks = static_cast<int>(group_->workload(einsum).tensors.back().ranks.size());
  for (int r = 0; r < ranks; ++r) {
    for (int depth = 0; depth <= loops(); ++depth) {
      const Piece piece = needed(r, reader, depth);
      if ((piece.is_moved() ? piece.rest : piece.first) < piece.step) return false;
    }
  }
  return true;
}

// Whether all readers need the same parts.
bool FlatCell::is_read_alike(int einsum) const {
  const std::vector<FlatGroup::Reader>& readers = group_->readers(einsum);
  const auto ranks = static_cast<int>(group_->workload(einsum).tensors.back().ranks.size());
  for (std::size_t i = 1; i < readers.size(); ++i) {
    for (int r = 0; r < ranks; ++r) {
      for (const int depth : {0, loops()}) {
        const Piece other = needed(r, readers[i], depth);
        if (other.possible && needed(r, readers[0], depth) != other) return false;
      }
    }
  }
  return true;
}

std::vector<FlatExecution> FlatCell::executions(int einsum) const {
  std::vector<FlatExecution> all = {{}};
  for (int d = 0; d < group_->workload(einsum).dim_count(); ++d) {
    const Piece& own = piece(einsum, d, loops());
    const bool sums = group_->output_rank(einsum, d) < 0;
    const std::size_t before = all.size();
    for (std::size_t i = 0; i < before; ++i) {
      FlatExecution rest = all[i];
      const bool alike = own.first == own.rest;
      if (alike) {
        all[i].count = narrow(Count(all[i].count) * own.count);
        if (!sums) all[i].fresh = narrow(Count(all[i].fresh) * own.count);
      }
      all[i].extents.push_back(own.first);
      if (alike) continue;
      rest.extents.push_back(own.rest);
      rest.count = narrow(Count(rest.count) * (own.count - 1));
      rest.fresh = sums ? 0 : narrow(Count(rest.fresh) * (own.count - 1));
      if (own.is_moved()) all.push_back(std::move(rest));
    }
  }
  return all;
}

// --- loads ----------------------------------------------------------------------------

Int128 FlatCell::loaded(int einsum, int tensor, const Place& place) const {
  const int depth = depth_of(place), stays = stays_from(einsum, tensor, place);
  Count words = 1;
  for (const Rank& rank : group_->workload(einsum).tensors[at(tensor)].ranks) {
    words *= loaded_of(einsum, rank, depth, stays);
  }
  for (int k = 0; k < depth; ++k) {
    if (k < stays && !moves(einsum, tensor, k)) words *= loops_[at(k)].count;
  }
  return words;
}

Int128 FlatCell::loaded_of(int einsum, const Rank& rank, int depth, int stays) const {
  bool moved = false, uniform = true;
  for (const Term& term : rank) {
    const Piece& own = piece(einsum, index_of(term.dim), depth);
    moved = moved || own.is_moved();
    uniform = uniform && (!own.is_moved() || own.is_uniform());
  }
  if (moved && !uniform) return loaded_in_pieces(einsum, rank, depth, stays);
  return loaded_uniform(einsum, rank, depth, stays);
}

// The whole tile at each start of the loop across whose steps it stays, what is new at each step.
Int128 FlatCell::loaded_uniform(int einsum, const Rank& rank, int depth, int stays) const {
  std::vector<std::int64_t> extents(at(group_->workload(einsum).dim_count()), 1);
  for (const Term& term : rank) {
    extents[at(index_of(term.dim))] = piece(einsum, index_of(term.dim), depth).first;
  }
  const Int128 whole = distinct(rank, extents);
  Count starts = 1, at_steps = whole;
  for (const Term& term : rank) {
    const Piece& own = piece(einsum, index_of(term.dim), depth);
    if (!own.is_moved()) continue;
    if (own.loop != stays) {
      starts *= own.count;
      continue;
    }
    std::vector<std::int64_t> both = extents;
    both[at(index_of(term.dim))] *= 2;
    at_steps += Count(own.count - 1) * (distinct(rank, both) - whole);
  }
  return starts * at_steps;
}

// Pieces that overlap; one dimension moves.
Int128 FlatCell::loaded_in_pieces(int einsum, const Rank& rank, int depth, int stays) const {
  std::vector<std::int64_t> extents(at(group_->workload(einsum).dim_count()), 1);
  int moved = 0;
  for (const Term& term : rank) {
    const int dim = index_of(term.dim);
    extents[at(dim)] = piece(einsum, dim, depth).first;
    if (piece(einsum, dim, depth).is_moved()) moved = dim;
  }
  const Piece& own = piece(einsum, moved, depth);
  const auto words = [&](std::int64_t extent) {
    extents[at(moved)] = extent;
    return distinct(rank, extents);
  };
  // What a piece has beyond all up to the end of the one before, of this length.
  const auto added = [&](std::int64_t before) {
    return std::min(words(own.rest), words(before + own.step) - words(before));
  };
  const Int128 first = words(own.first);
  if (own.loop < stays) return Count(first) + Count(own.count - 1) * words(own.rest);
  // Behind a shorter first piece more may be new.
  const bool shorter = own.first < own.rest;
  const Count behind_first = shorter ? added(own.first) : 0;
  return Count(first) + behind_first +
         Count(own.count - (shorter ? 2 : 1)) * added(std::max(own.rest, own.first));
}

// --- room -----------------------------------------------------------------------------

Int128 FlatCell::tile(int einsum, int tensor, int depth) const {
  const Workload& workload = group_->workload(einsum);
  if (!group_->is_outside(einsum, tensor)) {
    Count words = 1;
    for (std::size_t r = 0; r < workload.tensors.back().ranks.size(); ++r) {
      const FlatGroup::Reader& reader = group_->readers(einsum).front();
      words *= needed(static_cast<int>(r), reader, depth).longest();
    }
    return words;
  }
  std::vector<std::int64_t> extents;
  for (int d = 0; d < workload.dim_count(); ++d) {
    extents.push_back(piece(einsum, d, depth).longest());
  }
  return tile_elements(workload, tensor, extents);
}

// Whether an overlap of tiles stays across steps of the loop that moves them.
bool FlatCell::overlap_stays(int einsum, int tensor, const Place& place) const {
  const int moving = stays_from(einsum, tensor, place), depth = depth_of(place);
  const std::vector<Rank>& ranks = group_->workload(einsum).tensors[at(tensor)].ranks;
  const bool made = !group_->is_outside(einsum, tensor);
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (const Term& term : ranks[r]) {
      const int dim = index_of(term.dim);
      if (!contains(group_->moved_by(einsum, dim), loops_[at(moving)].dim)) continue;
      if (made) {
        const FlatGroup::Reader& reader = group_->readers(einsum).front();
        const Piece piece = needed(static_cast<int>(r), reader, depth);
        if (piece.longest() > piece.step) return true;
        continue;
      }
      Count length = 1;
      for (const Term& other : ranks[r]) {
        const std::int64_t longest = piece(einsum, index_of(other.dim), depth).longest();
        length += Count(other.coefficient) * (longest - 1);
      }
      if (length > Count(piece(einsum, dim, depth).step) * term.coefficient) return true;
    }
  }
  return false;
}

FlatCell::Stay FlatCell::stay(int einsum, int tensor, const Place& place) const {
  const bool made = !group_->is_outside(einsum, tensor);
  Stay stay{{einsum, made ? group_->readers(einsum).back().einsum : einsum},
            tile(einsum, tensor, depth_of(place))};
  if (place.kind != Place::Kind::Kept) return stay;
  const int moving = stays_from(einsum, tensor, place);
  const bool moved = moving < place.depth && moves(einsum, tensor, moving);
  const bool until_next = moved && !overlap_stays(einsum, tensor, place);
  if (moving + (until_next ? 1 : 0) < loops()) stay.run = group_->run();
  return stay;
}

}  // namespace tilewright::certificate
