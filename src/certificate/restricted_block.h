// The same as a PointBlock where constraints limit the bounds of the memory's loops or order them,
// which holds at each storage point. There a point cannot be raised through a loop that does not
// move its tensor, for the loop would come to stand at another point. So the links of a tensor that
// has its point stay open until a loop moves it, and each dimension has one loop per point.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "certificate/point_spots.h"

namespace tilewright::certificate {

class RestrictedBlock : PointBlockBase {
 public:
  using PointBlockBase::PointBlockBase;

  // What is inside the loops.
  void add(const Open& open, const Values& values);
  // The least costs outside the memory, by what is open there. Throws Expired.
  std::map<Open, Values> run(const Values& nothing);

  // The same of one part of a memory that stands in parts, with the room that the parts further
  // inside take: all tensors of a part have their point outside its loops.
  void add(const Open& open, const Spots& spots);
  std::map<Open, Spots> run_part();

 private:
  // Steps lead to later keys.
  struct Key {
    int points = 0;         // tensors that have their point
    std::size_t stage = 0;  // of the loops of the present point
    int done = 0;           // dimensions that are not to come in this stage
    std::uint32_t placed = 0, rest = 0;
    Open open{};
    auto operator<=>(const Key&) const = default;
  };

  Key key_of(std::uint32_t placed, std::size_t stage, std::uint32_t rest, const Open& open) const;
  Open end_of(const Key& key) const;
  // One loop of the dimension, or none.
  Spots after_loop(const Key& key, int dim, const Spots& spots);
  // A loop that moves open tensors.
  void move(const Key& key, const Spots& spots, int dim);
  // Calls end(key, spots) where all loops of the present point are done.
  template <typename End>
  void go_through(End end);
  void next_stage(const Key& key, const Spots& spots);
  void put_all_points(const Key& key, const Spots& spots);
  void put_points(const Key& key, const Spots& spots, std::uint32_t points);

  std::map<Key, Spots> waiting_;
};

// The closing of a tensor that a loop of the memory moves; it has its point inside that loop or
// not.
inline Closing& closing_at(Closings& closings, int memory, bool placed, int tensor, int innermost) {
  return placed ? closings.get_at_point(tensor, innermost, memory)
                : closings.get(tensor, innermost, memory);
}

}  // namespace tilewright::certificate
