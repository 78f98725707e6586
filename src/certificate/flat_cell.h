// Shared loops of a flat group in their order, and where the intermediates stay: in which pieces
// the einsums work, what is loaded, and how long tensors take room.
#pragma once

#include <cstdint>
#include <vector>

#include "certificate/flat_group.h"

namespace tilewright::certificate {

using Place = tilewright::Placement;

struct FlatLoop {
  int dim = 0;  // of the last einsum of the group
  std::int64_t count = 2;
};

// Executions of an einsum that have the same extents.
struct FlatExecution {
  std::vector<std::int64_t> extents;
  std::int64_t count = 1;
  std::int64_t fresh = 1;  // those of them whose sums begin

  bool operator==(const FlatExecution&) const = default;
};

class FlatCell {
 public:
  // Intermediates are there from their writers to their readers.
  FlatCell(const FlatGroup& group, std::vector<FlatLoop> loops);

  const FlatGroup& group() const { return *group_; }
  int loops() const { return static_cast<int>(loops_.size()); }
  // Where the output of an einsum is that hands it on.
  void put(int einsum, const Place& place) { places_[at(einsum - group_->run().first)] = place; }
  const Place& place(int einsum) const { return places_[at(einsum - group_->run().first)]; }
  // The places that a tensor may have beside being streamed: keeping it just inside a loop that
  // does not move it is the same as just outside.
  std::vector<Place> places(int einsum, int tensor) const;

  // Works out all pieces; false if there are no such plans. Everything below is for cells that
  // there are.
  bool settle();
  std::vector<FlatExecution> executions(int einsum) const;
  // Words of a tensor from outside that enter the shared memory, or leave it.
  Int128 loaded(int einsum, int tensor, const Place& place) const;
  // The einsums while which a tensor is in the shared memory, and its words there. What is local
  // and from outside is a matter of executions.
  struct Stay {
    EinsumRun run;
    Int128 words = 0;
  };
  Stay stay(int einsum, int tensor, const Place& place) const;

 private:
  // A dimension below some of the loops. At most one of them moves it.
  struct Piece {
    int loop = -1;
    std::int64_t count = 1;
    std::int64_t first = 1, rest = 1;  // the lengths of the first piece and of all others
    std::int64_t step = 1;             // from the end of one to the end of the next
    bool possible = true;

    bool is_moved() const { return loop >= 0; }
    bool is_uniform() const { return first == step && (!is_moved() || rest == step); }
    std::int64_t longest() const { return is_moved() && rest > first ? rest : first; }
    bool operator==(const Piece&) const = default;
  };
  const Piece& piece(int einsum, int dim, int depth) const {
    return pieces_[begins_[at(einsum - group_->run().first)] + at(dim * (loops() + 1) + depth)];
  }
  bool moves(int einsum, int tensor, int loop) const;
  int depth_of(const Place& place) const;
  // The first loop across whose steps a tensor stays.
  int stays_from(int einsum, int tensor, const Place& place) const;

  Piece find_piece(int einsum, int dim, int depth) const;
  Piece needed(int rank, const FlatGroup::Reader& reader, int depth) const;
  Piece made(int einsum, int rank, int depth) const;
  void leave_out_zeros(int einsum, int rank, int stays, Piece& piece) const;
  bool is_possible(int einsum) const;
  bool has_all(int einsum) const;
  bool is_read_alike(int einsum) const;

  Int128 loaded_of(int einsum, const Rank& rank, int depth, int stays) const;
  Int128 loaded_uniform(int einsum, const Rank& rank, int depth, int stays) const;
  Int128 loaded_in_pieces(int einsum, const Rank& rank, int depth, int stays) const;
  bool overlap_stays(int einsum, int tensor, const Place& place) const;
  Int128 tile(int einsum, int tensor, int depth) const;

  const FlatGroup* group_;
  std::vector<FlatLoop> loops_;
  std::vector<Place> places_;        // by einsum of the group
  std::vector<std::size_t> begins_;  // of the pieces of an einsum
  std::vector<Piece> pieces_;        // by einsum, dimension, depth
};

// Elements of a tile.
Int128 tile_elements(const Workload& workload, int tensor,
                     const std::vector<std::int64_t>& extents);
Int128 tile_elements(const Workload& workload, int tensor);  // of the whole einsum

}  // namespace tilewright::certificate
