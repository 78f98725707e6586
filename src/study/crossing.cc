#include "crossing.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "loop_view.h"
#include "mapping/prices.h"

namespace tilewright::study {

namespace {

// So large that it costs nothing to keep a table of what was counted, and so
// small that a table has room.
constexpr std::int64_t kMostKnown = 1 << 18;
// Whole numbers up to here have room in a double.
constexpr std::int64_t kMostWords = std::int64_t{1} << 52;

}  // namespace

Crossing::Crossing(const Memory& outer, const ConvView& view)
    : in_place_(outer.accumulates_in_place),
      read_bandwidth_(outer.read_bandwidth),
      write_bandwidth_(outer.write_bandwidth),
      shared_bandwidth_(outer.shared_bandwidth) {
  for (const ConvDim loop : kAllConvDims) sizes_[index_of(loop)] = view.size(loop);
}

std::optional<Crossing> Crossing::create(const Workload& workload, const ConvView& view,
                                         const Memory& outer, const Memory& buffer,
                                         const Architecture& arch) {
  const auto loop_of = loops_by_dimension(workload, view);
  const bool plain = outer.block_words == 1 && buffer.block_words == 1 &&
                     workload.tensor_count() == 3 && multiply_accumulates(workload) <= kMostWords;
  if (!loop_of || !plain) return std::nullopt;
  Crossing crossing(outer, view);
  for (const Tensor& tensor : workload.tensors) {
    const bool boxes = arch.accounting == Accounting::Timeloop;
    if (!crossing.add_tensor(workload, tensor, *loop_of, boxes)) return std::nullopt;
    crossing.set_prices(outer, buffer, tensor, arch.reads_first_sums);
  }
  return crossing;
}

bool Crossing::add_tensor(const Workload& workload, const Tensor& tensor,
                          const std::array<int, kMaxDims>& loop_of, bool boxes) {
  const auto split = split_tensor(workload, tensor, boxes);
  if (!split) return false;
  Part& part = parts_.emplace_back();
  part.output = tensor.role == Role::Output;
  for (const int dim : members(split->alone)) {
    part.alone *= workload.dim(DimId{dim}).size;
    if (loop_of[at(dim)] >= 0) part.relevant |= LoopSet{1} << loop_of[at(dim)];
  }
  for (const Window& window : split->windows) {
    Slide slide{window, {-1, -1}, {-1, -1}, {1, 1}, {}};
    std::size_t next = 0;
    for (int i = 0; i < window.dim_count(); ++i) {
      const int loop = loop_of[at(window.dim(i))];
      if (loop < 0) continue;
      if (next == 2) return false;
      slide.loops[next] = loop;
      slide.positions[next] = i;
      slide.sizes[next++] = sizes_[at(loop)];
      part.relevant |= LoopSet{1} << loop;
    }
    const std::int64_t entries = (slide.sizes[0] + 1) * (slide.sizes[1] + 1);
    if (entries > kMostKnown) return false;
    slide.known.resize(static_cast<std::size_t>(entries), {-1, -1, -1});
    part.slides.push_back(std::move(slide));
  }
  return true;
}

// An output is updated outside, and comes back for more unless it is there for
// the first time.
void Crossing::set_prices(const Memory& outer, const Memory& buffer, const Tensor& tensor,
                          bool reads_first) {
  Part& part = parts_.back();
  const AccessPrices outside = prices_of(outer, tensor);
  const double in_pj = outside.read_pj + prices_of(buffer, tensor).write_pj;
  part.word_pj = in_pj;
  if (!part.output) return;
  part.word_pj = outside.update_pj + (in_place_ ? 0 : in_pj);
  if (in_place_ || reads_first) return;
  part.spared = words_of(part, {}, sizes_);
  part.spared_pj = in_pj;
}

// --- counting --------------------------------------------------------------------------

// Tiles of a loop: whole ones and, if it is cut short, a last one. The tile
// that moves starts once, and at all further steps has what the one before it
// lacked.
std::int64_t Crossing::Slide::count(const std::array<std::int64_t, 2>& tile, int moving) const {
  struct Kind {
    std::int64_t tiles = 0, extent = 1;
    bool moved = false;
  };
  std::array<std::vector<Kind>, 2> kinds;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t whole = sizes[i] / tile[i], rest = sizes[i] % tile[i];
    const bool moves = moving == static_cast<int>(i);
    if (whole > 0) kinds[i].push_back({moves ? 1 : whole, tile[i], false});
    if (moves && whole > 1) kinds[i].push_back({whole - 1, tile[i], true});
    if (rest > 0) kinds[i].push_back({1, rest, moves});
  }
  std::int64_t sum = 0;
  for (const Kind& a : kinds[0]) {
    for (const Kind& b : kinds[1]) {
      Extents extents;
      extents.fill(1);
      if (positions[0] >= 0) extents[at(positions[0])] = a.extent;
      if (positions[1] >= 0) extents[at(positions[1])] = b.extent;
      const bool moved = a.moved || b.moved;
      const std::int64_t words = moved ? window.new_elements(extents, positions[at(moving)],
                                                             tile[at(moving)], tile[at(moving)])
                                       : window.size(extents);
      sum += a.tiles * b.tiles * words;
    }
  }
  return sum;
}

std::int64_t Crossing::Slide::words(const ConvSizes& tile, int moving) {
  std::array<std::int64_t, 2> extents{1, 1};
  int mover = -1;
  for (std::size_t i = 0; i < 2 && loops[i] >= 0; ++i) {
    extents[i] = std::min(sizes[i], tile[at(loops[i])]);
    if (loops[i] == moving && extents[i] < sizes[i]) mover = static_cast<int>(i);
  }
  const std::int64_t entry = extents[0] * (sizes[1] + 1) + extents[1];
  std::int64_t& result = known[static_cast<std::size_t>(entry)][at(mover + 1)];
  if (result < 0) result = count(extents, mover);
  return result;
}

std::int64_t Crossing::words_of(Part& part, const Move& move, const ConvSizes& tile) {
  std::int64_t words = part.alone;
  for (Slide& slide : part.slides) words *= slide.words(tile, move.loop);
  for (const int loop : members(move.outside)) words *= ceil_div(sizes_[at(loop)], tile[at(loop)]);
  return words;
}

const std::vector<Crossing::Moves>& Crossing::moves_of(const OrderSets& sets, OrderSets::Id set,
                                                       LoopSet cut) {
  if (moves_.size() <= at(set)) moves_.resize(at(set) + 1);
  std::vector<Moves>& known = moves_[at(set)][cut];
  if (!known.empty()) return known;
  std::set<Moves> found;
  for (const InnerLoops& order : sets.different(set, cut)) {
    Moves moves;
    for (std::size_t t = 0; t < parts_.size(); ++t) {
      for (const ConvDim loop : order) {
        const bool moving = moves[t].loop >= 0;
        const bool relevant = (parts_[t].relevant & loop_bit(loop)) != 0;
        if (!moving && relevant) moves[t].loop = static_cast<std::int8_t>(index_of(loop));
        if (moving && !relevant) moves[t].outside |= static_cast<std::uint8_t>(loop_bit(loop));
      }
    }
    found.insert(moves);
  }
  known.assign(found.begin(), found.end());
  return known;
}

Crossing::Cost Crossing::cost_of(const std::array<std::int64_t, 3>& words) const {
  Cost cost;
  std::int64_t reads = 0, writes = 0;
  for (std::size_t t = 0; t < parts_.size(); ++t) {
    const Part& part = parts_[t];
    cost.energy_pj += static_cast<double>(words[t]) * part.word_pj -
                      static_cast<double>(part.spared) * part.spared_pj;
    if (part.output) writes += words[t];
    if (!part.output || !in_place_) reads += words[t] - part.spared;
  }
  std::int64_t cycles = 0;
  if (read_bandwidth_) cycles = std::max(cycles, cycles_for(reads, *read_bandwidth_));
  if (write_bandwidth_) cycles = std::max(cycles, cycles_for(writes, *write_bandwidth_));
  if (shared_bandwidth_) cycles = std::max(cycles, cycles_for(reads + writes, *shared_bandwidth_));
  cost.cycles = cycles;
  return cost;
}

Crossing::Cost Crossing::least(const ConvSizes& tile, const OrderSets& sets, OrderSets::Id set) {
  LoopSet cut = 0;
  for (const ConvDim loop : kAllConvDims) {
    if (tile[index_of(loop)] < sizes_[index_of(loop)]) cut |= loop_bit(loop);
  }
  Cost least{INFINITY, kWideLimit};
  for (const Moves& moves : moves_of(sets, set, cut)) {
    std::array<std::int64_t, 3> words{};
    for (std::size_t t = 0; t < parts_.size(); ++t) words[t] = words_of(parts_[t], moves[t], tile);
    const Cost cost = cost_of(words);
    least = {std::min(least.energy_pj, cost.energy_pj), std::min(least.cycles, cost.cycles)};
  }
  constexpr double kLastDigits = 1e-13;
  least.energy_pj *= 1 - kLastDigits;
  return least;
}

}  // namespace tilewright::study
