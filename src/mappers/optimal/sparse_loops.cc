#include "mappers/optimal/sparse_loops.h"

#include <utility>

#include "mappers/optimal/loop_steps.h"

namespace tilewright::optimal {

void SparseLoops::unite(Places& places) {
  std::uint32_t last = 0;
  for (const ReachedPlace& one : places) last = std::max(last, one.place);
  Values& least = scratch(std::size_t{last} + 1, places.get_allocator().memory());
  std::erase_if(places, [&](const ReachedPlace& one) {
    const bool is_known = least[one.place] < kNever;
    least[one.place] = std::min(least[one.place], one.value);
    return is_known;
  });
  for (ReachedPlace& one : places) one.value = std::exchange(least[one.place], kNever);
}

VectorSums SparseLoops::sums(std::uint32_t done, const Passage& passage,
                             const std::vector<std::size_t>& strides) const {
  std::vector<std::size_t> lengths;
  for (int d = 0; at(d) < strides.size(); ++d) {
    const std::uint32_t here = d == passage.dim && !passage.outwards ? done | (1U << d) : done;
    lengths.push_back(extents(here, d).size());
  }
  return sums_of_steps(lengths, strides);
}

SparseLoops::PlacedPrices& SparseLoops::prices_of(int link, std::uint32_t done,
                                                  const Passage& passage, TableMemory& memory) {
  const LinkPlace key{link, done, passage.dim, passage.outwards};
  const auto known = prices_.find(key);
  if (known != prices_.end()) return known->second;
  LinkPrices prices = link_prices(link, done, passage.dim);
  charge_.add(memory, prices.bytes());
  std::vector<std::size_t> strides = prices.strides();
  std::size_t stride = 0;
  if (passage.dim >= 0) std::swap(stride, strides[at(passage.dim)]);
  VectorSums places = sums(done, passage, strides);
  return prices_.try_emplace(key, PlacedPrices{std::move(prices), std::move(places), stride})
      .first->second;
}

std::vector<SparseLoops::PlacedPrices*> SparseLoops::prices_at(std::uint32_t done,
                                                               const Passage& passage,
                                                               TableMemory& memory) {
  std::vector<PlacedPrices*> prices;
  if (passage.moved == 0) return prices;
  list_links(passage.moved, passage.pending, links_);
  for (const int link : links_) prices.push_back(&prices_of(link, done, passage, memory));
  return prices;
}

void SparseLoops::pay(std::uint32_t done, std::uint32_t tensors, OpenLinks pending,
                      Places& places) {
  const Passage nothing{.dim = -1, .moved = tensors, .pending = pending};
  TableMemory& memory = places.get_allocator().memory();
  for (PlacedPrices* link : prices_at(done, nothing, memory)) {
    for (ReachedPlace& one : places) {
      one.value = sum(one.value, link->prices[link->places[link->places.parts_of(one.place)]]);
    }
  }
}

ReachedPlaces SparseLoops::across(const Places& places, std::uint32_t done,
                                  const Passage& passage) {
  const LatticeAxis& loop = axis(passage.dim);
  const LoopSteps steps(loop, {passage.outwards, passage.idle});
  const std::uint32_t there = passage.outwards ? done | (1U << passage.dim) : done;
  std::vector<std::size_t> strides = strides_of(there);
  const std::size_t stride = std::exchange(strides[at(passage.dim)], 0);
  std::vector<std::size_t> only(strides.size(), 0);
  only[at(passage.dim)] = 1;
  const VectorSums bases = sums(done, passage, strides);
  const VectorSums extents = sums(done, passage, only);
  TableMemory& memory = places.get_allocator().memory();
  const std::vector<PlacedPrices*> prices = prices_at(done, passage, memory);
  Values& least = scratch(places_of(there), memory);
  Places result(places.get_allocator());
  std::vector<std::size_t> first(prices.size());  // of each link's prices at a place
  for (const ReachedPlace& one : places) {
    const VectorSums::Parts parts = bases.parts_of(one.place);
    for (std::size_t i = 0; i < first.size(); ++i) first[i] = prices[i]->places[parts];
    const std::span<const LoopSteps::Step> next = steps[extents[parts]];
    for (const LoopSteps::Step& step : next) {
      Units value = one.value;
      for (std::size_t i = 0; i < first.size(); ++i) {
        value += prices[i]->prices[first[i] + step.edge * prices[i]->stride];
      }
      if (value >= kNever) continue;
      const std::size_t to = bases[parts] + step.to * stride;
      if (least[to] >= kNever) result.push_back({static_cast<std::uint32_t>(to), 0});
      least[to] = std::min(least[to], value);
    }
    count_steps(next.size());
  }
  for (ReachedPlace& one : result) one.value = std::exchange(least[one.place], kNever);
  return result;
}

Values& SparseLoops::scratch(std::size_t places, TableMemory& memory) {
  if (!least_) least_.emplace(TableAllocator<Units>(memory));
  if (least_->size() < places) least_->resize(places, kNever);
  return *least_;
}

ReachedPlaces SparseLoops::without_loops(const Places& places, std::uint32_t done,
                                         std::uint32_t dims, bool outwards) const {
  if (dims == 0) return places;
  const VectorSums to = places_without_loops(done, dims, outwards);
  Places result(places.get_allocator());
  for (const ReachedPlace& one : places) {
    const std::int64_t place = to.sum_of(to.parts_of(one.place));
    if (place >= 0) result.push_back({static_cast<std::uint32_t>(place), one.value});
  }
  return result;
}

}  // namespace tilewright::optimal
