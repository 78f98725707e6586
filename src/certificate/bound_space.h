// What all plans of a cascade take at least, windows and work that is done again included: the
// einsums inside the shared memory, whatever pieces shared loops leave them, and one load of each
// tensor that does not pass on the chip (docs/certificates.md, "Bounds of plans").
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "certificate/exact.h"
#include "tilewright/cascade.h"

namespace tilewright::certificate {

// The least energy that is proven of a nest on the inner architecture, in units of the bound; by
// the text of its workload.
using ProvenNests = std::map<std::string, BigUint>;

class BoundSpace {
 public:
  // Throws Unverifiable where plans are beyond this bound.
  BoundSpace(const Cascade& cascade, const Architecture& arch, const std::string& shared,
             int longest);

  // The architecture from the shared memory on, which has room for everything.
  const Architecture& inner() const { return inner_; }
  // Nests of an einsum such that every piece of its work is a part of one: none of that piece takes
  // less for a multiply-accumulate.
  std::vector<Workload> nests_of(int einsum) const;
  int einsums() const { return cascade_.einsum_count(); }
  int decimals() const { return decimals_; }

  // What no plan takes less than. Refuses if the bound of a nest is missing.
  BigUint bound(const ProvenNests& nests) const;
  // By einsum: what all its nests take at least; nothing where plans may leave out some of its
  // work.
  std::vector<BigUint> alone(const ProvenNests& nests) const;
  // What a group takes at least.
  BigUint group_bound(int first, int last, const std::vector<BigUint>& alone) const;

 private:
  // A piece of a dimension, and how far the next one is behind it.
  struct Piece {
    std::int64_t length = 1, step = 1;

    auto operator<=>(const Piece&) const = default;
  };
  using Pieces = std::set<Piece>;
  struct Einsum {
    // By how many einsums may follow in its group, and by dimension.
    std::map<int, std::vector<Pieces>> pieces;
    bool whole = true;                         // all its work is needed in every plan
    std::vector<Int128> load;                  // of each tensor, in all; at least
    Int128 afterwards = 0;                     // in all
    std::vector<std::pair<int, int>> readers;  // of its output: einsums and their tensors
    std::vector<int> writers;                  // by tensor; -1: it comes from outside the cascade
  };

  void refuse_architecture(const Architecture& arch, const std::string& shared) const;
  void refuse_problem(const Problem& problem) const;
  void make_inner(const Architecture& arch);
  void add_links();
  static Pieces equal_parts(const Dimension& dim);
  // Pieces of all dimensions, where so many einsums follow in the group at most.
  const std::vector<Pieces>& pieces_of(int einsum, int followers);
  void add_pieces_through(int einsum, std::size_t rank, const std::pair<int, int>& reader,
                          const std::vector<Pieces>& of_reader,
                          std::vector<Pieces>& all_pieces) const;
  void take_loads(const std::vector<Problem>& problems);
  std::vector<std::int64_t> lengths_of(int einsum, std::size_t dim) const;
  BigUint nests_bound(int einsum, const ProvenNests& nests) const;
  bool leaves(int einsum, int first, int last) const;

  const Cascade& cascade_;
  int longest_ = 1;
  int decimals_ = 0;
  Architecture inner_;
  std::vector<Einsum> einsums_;
};

}  // namespace tilewright::certificate
