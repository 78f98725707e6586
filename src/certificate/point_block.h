// The loops of a memory whose tensors may have storage points of their own, as a part of the
// lattice (docs/optimal.md, "Uneven mappings"). From the inside out a point may stand before
// any loop; room and cost that were taken are kept where no other way takes less of both.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "certificate/point_spots.h"

namespace tilewright::certificate {

class PointBlock : PointBlockBase {
 public:
  PointBlock(const Lattice& lattice, Closings& closings, int memory, std::int64_t limit,
             const Deadline& deadline);

  // What is inside the loops.
  void add(const Open& open, const Values& values);
  // The least costs outside the memory, by what is open there. Throws Expired.
  std::map<Open, Values> run(const Values& nothing);

 private:
  // Steps lead to higher ranks.
  struct Key {
    int rank = 0;
    std::uint32_t placed = 0;  // tensors that have their point
    Open open{};
    auto operator<=>(const Key&) const = default;
  };

  Key key_of(std::uint32_t placed, const Open& open) const;
  void lower(const Key& key, Spots& spots, std::uint32_t place, const Taken& taken) {
    room_.lower(unplaced(key.placed), spots, place, taken);
  }
  void loop(const Key& key, int dim, Spots& spots);
  void end(const Key& key, const Spots& spots, const Values& nothing,
           std::map<Open, Values>& outside) const;
  // The next loop moves open tensors, but no window: it makes no difference how far.
  void close_plainly(const Key& key, const Spots& spots);
  // A point of a tensor that a loop moves next. Windows aside, it makes no difference which.
  void place_plainly(const Key& key, const Spots& spots);
  // A loop that moves windows: of open tensors, and of some that have their point just inside it.
  void move_windows(const Key& key, const Spots& spots, int dim);
  void move_windows(const Key& key, const Spots& spots, int dim, std::uint32_t points);
  // Goes on with the costs of these tensors paid, and of those that have their point here.
  template <typename Visit>
  void pay(const Key& key, const Spots& spots, std::uint32_t moved, std::uint32_t points,
           Visit visit);

  std::vector<std::vector<std::vector<Step>>> primes_;  // the steps that no two loops stand for
  std::map<Key, Spots> waiting_;
};

}  // namespace tilewright::certificate
