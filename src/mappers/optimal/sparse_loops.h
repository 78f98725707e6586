// The loops of one memory, for tables of which few places have a value: these are listed, and
// nothing is done for the others.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "mappers/optimal/block_loops.h"
#include "mappers/optimal/reached_places.h"
#include "mappers/optimal/vector_sums.h"

namespace tilewright::optimal {

// The same as its base for lists of places. Not for ranges of extents.
class SparseLoops : public BlockLoops {
 public:
  using Places = ReachedPlaces;
  using BlockLoops::BlockLoops;

  static Places from_table(const Values& values) { return reached_places(values); }
  static void merge(Places& into, const Places& from) {
    into.insert(into.end(), from.begin(), from.end());
  }
  void unite(Places& places);
  Places across(const Places& places, std::uint32_t done, const Passage& passage);
  Places without_loops(const Places& places, std::uint32_t done, std::uint32_t dims,
                       bool outwards) const;
  void pay(std::uint32_t done, std::uint32_t tensors, OpenLinks pending, Places& places);

 private:
  // What a link costs, by the places of a table and, with a stride, by the edges of a loop.
  struct PlacedPrices {
    LinkPrices prices;
    VectorSums places;
    std::size_t stride = 0;
  };
  using LinkPlace = std::tuple<int, std::uint32_t, int, bool>;

  std::vector<PlacedPrices*> prices_at(std::uint32_t done, const Passage& passage,
                                       TableMemory& memory);
  PlacedPrices& prices_of(int link, std::uint32_t done, const Passage& passage,
                          TableMemory& memory);
  Values& scratch(std::size_t places, TableMemory& memory);
  // Where each extent of each dimension stands in steps of these strides.
  VectorSums sums(std::uint32_t done, const Passage& passage,
                  const std::vector<std::size_t>& strides) const;

  std::map<LinkPlace, PlacedPrices> prices_;  // by link, dimensions that are done, and the loop
  MemoryCharge charge_;                       // for the prices
  std::vector<int> links_;
  std::optional<Values> least_;  // of the places of a table; kNever between uses
};

}  // namespace tilewright::optimal
