#include "array_floor.h"

#include <algorithm>
#include <cmath>

#include "loop_view.h"
#include "mapping/prices.h"

namespace tilewright::study {

namespace {

// The memory of each PE, nullptr if there is none.
struct Inside {
  const Memory* registers = nullptr;
};

// Nothing if there is more inside the array than closed forms know of.
std::optional<Inside> inside_of(const Architecture& arch) {
  const FlexibleParts parts = *parts_of(arch, *arch.flexibility);
  Inside inside;
  for (int i = index_of(parts.array) + 1; i + 1 < arch.level_count(); ++i) {
    const auto* memory = std::get_if<Memory>(&arch.level(LevelId{i}));
    const bool plain = memory != nullptr && inside.registers == nullptr &&
                       memory->keeps_everything() && memory->dims && memory->dims->empty() &&
                       memory->block_words == 1 && memory->point_of.empty();
    if (!plain) return std::nullopt;
    inside.registers = memory;
  }
  return inside;
}

}  // namespace

std::optional<ArrayFloor> ArrayFloor::create(const Workload& workload, const ConvView& view,
                                             const Architecture& arch) {
  const FlexibleParts parts = *parts_of(arch, *arch.flexibility);
  const auto loop_of = loops_by_dimension(workload, view);
  const auto& buffer = std::get<Memory>(arch.level(parts.buffer));
  if (!loop_of || arch.accounting != Accounting::Exact || !inside_of(arch) || has_parts(arch) ||
      shares_halos(arch) || buffer.block_words != 1 ||
      index_of(parts.array) != index_of(parts.buffer) + 1) {
    return std::nullopt;
  }
  ArrayFloor floor;
  floor.unrolled_with_.fill(-1);
  for (const ConvDim loop : kAllConvDims) {
    floor.sizes_[index_of(loop)] = view.size(loop);
    if (view.size(loop) > 1) floor.loops_ |= loop_bit(loop);
    int& unrolls = floor.unrolled_with_[index_of(loop)];
    for (const DimId dim : view.unrolled_with(loop)) {
      const int own = (*loop_of)[at(index_of(dim))];
      if (own >= 0 && unrolls >= 0) return std::nullopt;
      if (own >= 0) unrolls = own;
    }
  }
  floor.registers_ = inside_of(arch)->registers != nullptr;
  floor.macs_ = static_cast<double>(multiply_accumulates(workload));
  floor.fixed_pj_ = floor.macs_ * arch.compute().mac_pj;
  for (const Tensor& tensor : workload.tensors) {
    floor.add_tensor(workload, arch, tensor, *loop_of);
  }
  return floor;
}

void ArrayFloor::add_tensor(const Workload& workload, const Architecture& arch,
                            const Tensor& tensor, const std::array<int, kMaxDims>& loop_of) {
  Part part;
  part.output = tensor.role == Role::Output;
  for (int d = 0; d < workload.dim_count(); ++d) {
    if (loop_of[at(d)] < 0 || !is_relevant(tensor, DimId{d})) continue;
    part.relevant |= LoopSet{1} << loop_of[at(d)];
    part.words *= static_cast<double>(workload.dim(DimId{d}).size);
  }
  for (const Rank& rank : tensor.ranks) {
    LoopSet loops = 0;
    for (const Term& term : rank) {
      const int loop = loop_of[at(index_of(term.dim))];
      if (loop >= 0) loops |= LoopSet{1} << loop;
    }
    if ((loops & (loops - 1)) != 0) part.windows.push_back(loops);
  }
  price(part, arch, tensor);
  parts_.push_back(std::move(part));
}

// An output goes out with every word that is served, and comes back but for the
// first time; in each PE, likewise.
void ArrayFloor::price(Part& part, const Architecture& arch, const Tensor& tensor) const {
  const FlexibleParts parts = *parts_of(arch, *arch.flexibility);
  const auto& memory = std::get<Memory>(arch.level(parts.buffer));
  const AccessPrices buffer = prices_of(memory, tensor);
  const Memory* registers = inside_of(arch)->registers;
  const AccessPrices inner = registers != nullptr ? prices_of(*registers, tensor) : AccessPrices{};
  part.deliver_pj = std::get<Fanout>(arch.level(parts.array)).word_pj;
  if (!part.output) {
    part.serve_pj = buffer.read_pj;
    part.deliver_pj += inner.write_pj;
    part.whole_pj = macs_ * inner.read_pj;
    return;
  }
  const double first = arch.reads_first_sums ? 0 : part.words;
  part.serve_pj = buffer.update_pj;
  part.whole_pj = macs_ * inner.update_pj;
  if (!memory.accumulates_in_place) {
    part.serve_pj += buffer.read_pj;
    part.whole_pj -= first * buffer.read_pj;
    part.floor_pj = inner.write_pj;
  }
  if (registers != nullptr && !registers->accumulates_in_place) {
    part.whole_pj += macs_ * inner.read_pj;
    part.held_pj = arch.reads_first_sums ? 0 : inner.read_pj;
  }
  if (arch.reads_first_sums) part.deliver_pj += std::exchange(part.floor_pj, 0);
}

// --- bounds ----------------------------------------------------------------------------

// Narrows how often a loop is unrolled to what tiles of the box allow: a number
// that divides one of them, or any if one holds the whole loop. False if there
// is none.
bool ArrayFloor::fit(Range& range, int loop, const TileBox& box) const {
  const std::int64_t most = box.most[at(loop)];
  range.high = std::min(range.high, sizes_[at(loop)]);
  if (most >= sizes_[at(loop)]) return range.low <= range.high;
  const auto divides = [&](std::int64_t times) {
    return most / times * times >= box.least[at(loop)];
  };
  range.high = std::min(range.high, most);
  while (range.high >= range.low && !divides(range.high)) --range.high;
  while (range.low < range.high && !divides(range.low)) ++range.low;
  return range.low <= range.high;
}

ArrayFloor::Run ArrayFloor::run_of(const Part& part, const Unrolled& unrolled, const TileBox& box,
                                   const InnerLoops& inner) const {
  const auto steps_inside = [&](int loop) {
    return std::min(box.least[at(loop)], sizes_[at(loop)]) > unrolled[at(loop)].high;
  };
  const auto steps_outside = [&](int loop) { return box.most[at(loop)] < sizes_[at(loop)]; };
  // Adds loops from the inside out; false if one is sure to move the tensor.
  LoopSet open = loops_;
  for (const ConvDim loop : inner) open &= ~loop_bit(loop);
  const auto follow = [&](LoopSet& run, const auto& steps) {
    for (const ConvDim loop : inner) {
      const bool moves = (part.relevant & loop_bit(loop)) != 0;
      if (moves && steps(static_cast<int>(index_of(loop)))) return false;
      if (!moves) run |= loop_bit(loop);
    }
    run |= open & ~part.relevant;
    for (const int loop : members(open & part.relevant)) {
      if (steps(loop)) return false;
    }
    return true;
  };
  Run run;
  if (follow(run.buffer, steps_inside)) follow(run.outside, steps_outside);
  return run;
}

double ArrayFloor::energy_of(const Part& part, const Candidate& candidate, const TileBox& box,
                             const InnerLoops& inner) const {
  const Unrolled& unrolled = candidate.unrolled;
  const bool moves = candidate.innermost >= 0 && contains(part.relevant, candidate.innermost);
  const Run run = registers_ && !moves ? run_of(part, unrolled, box, inner) : Run{};
  double served = 1, delivered = 1, held = 1;
  for (const int loop : members(loops_ & ~part.relevant)) {
    const std::int64_t size = sizes_[at(loop)];
    const Range& range = unrolled[at(loop)];
    const std::int64_t tiles =
        contains(run.outside, loop) ? 1 : ceil_div(size, std::min(size, box.most[at(loop)]));
    const bool stays = contains(run.buffer, loop);
    // The last tile may have fewer steps than PEs.
    const bool known = box.least[at(loop)] == box.most[at(loop)];
    const std::int64_t last = known ? size - (tiles - 1) * box.most[at(loop)] : 1;
    const std::int64_t copies = (tiles - 1) * range.low + std::min(range.low, last);
    served *= static_cast<double>(stays ? tiles : ceil_div(size, range.high));
    delivered *= static_cast<double>(!stays ? size : tiles == 1 ? range.low : copies);
    held *= static_cast<double>(range.high);
  }
  for (const LoopSet window : part.windows) {  // PEs may ask for the same word of a window
    std::int64_t most = 1, least = 1;
    for (const int loop : members(window)) {
      const std::int64_t times = unrolled[at(loop)].high;
      least = std::min(most, times) > 1 ? std::min(most, times) : least;
      most = std::max(most, times);
    }
    served /= static_cast<double>(least);
  }
  return part.whole_pj +
         part.words * (served * part.serve_pj + delivered * part.deliver_pj +
                       std::max(0.0, delivered - held) * part.floor_pj - held * part.held_pj);
}

// False if there is no such way.
bool ArrayFloor::bound(Candidate& candidate, const TileBox& box, const InnerLoops& inner) const {
  for (int loop = 0; loop < kConvDims; ++loop) {
    Range& range = candidate.unrolled[at(loop)];
    if (loop == candidate.innermost) range.high = std::min(range.high, sizes_[at(loop)] - 1);
    if (range.high > 1 && !fit(range, loop, box)) return false;
    if (range.low > range.high) return false;
  }
  double energy = fixed_pj_;
  for (const Part& part : parts_) energy += energy_of(part, candidate, box, inner);
  candidate.bound = std::max(candidate.bound, energy);
  return true;
}

bool ArrayFloor::is_one_step(const Unrolled& unrolled) const {
  for (const int loop : members(loops_)) {
    if (unrolled[at(loop)].high < sizes_[at(loop)]) return false;
  }
  return true;
}

// The loops that may be the innermost one with more than one step: it moves all
// tensors that it is part of.
LoopSet ArrayFloor::innermost_loops(const Unrolled& unrolled, const TileBox& box,
                                    const InnerLoops& inner) const {
  LoopSet found = 0;
  for (const ConvDim loop : inner) {
    const std::size_t i = index_of(loop);
    found |= loops_ & loop_bit(loop);
    if (std::min(box.least[i], sizes_[i]) > unrolled[i].high) return found;
  }
  return loops_;
}

ArrayFloor::Unrolled ArrayFloor::most_unrolled(const ConvPair& pair,
                                               const ArrayLimits& array) const {
  Unrolled most;
  const int rows = unrolled_with_[index_of(pair.rows)];
  const int columns = unrolled_with_[index_of(pair.columns)];
  if (rows >= 0) most[at(rows)].high = array.rows;
  if (columns >= 0) most[at(columns)].high = array.columns;
  if (rows >= 0 && rows == columns) {
    most[at(rows)].high = std::min(array.pes, array.rows * array.columns);
  }
  for (int loop = 0; loop < kConvDims; ++loop) {
    most[at(loop)].high = std::min(most[at(loop)].high, sizes_[at(loop)]);
  }
  return most;
}

void ArrayFloor::Candidates::push(const Candidate& candidate) {
  std::size_t i = count++;
  for (; i > 0 && all[i - 1].bound < candidate.bound; --i) all[i] = all[i - 1];
  all[i] = candidate;
}

// The one with the least bound.
ArrayFloor::Candidate ArrayFloor::Candidates::pop() { return all[--count]; }

// Halves of the wider range; false if there is none. Of a large number less is
// known, so the middle is in proportion.
bool ArrayFloor::split(const Candidate& candidate, const TileBox& box, const InnerLoops& inner,
                       Candidates& open) const {
  int widest = -1;
  double ratio = 1;
  for (int loop = 0; loop < kConvDims; ++loop) {
    const Range& range = candidate.unrolled[at(loop)];
    if (range.low == range.high) continue;
    const double wide = static_cast<double>(range.high) / static_cast<double>(range.low);
    if (wide > ratio) widest = loop;
    ratio = std::max(ratio, wide);
  }
  if (widest < 0) return false;
  const Range& range = candidate.unrolled[at(widest)];
  const auto middle =
      std::clamp(static_cast<std::int64_t>(std::sqrt(static_cast<double>(range.low * range.high))),
                 range.low, range.high - 1);
  for (const Range& half : {Range{range.low, middle}, Range{middle + 1, range.high}}) {
    Candidate next = candidate;
    next.unrolled[at(widest)] = half;
    if (bound(next, box, inner)) open.push(next);
  }
  return true;
}

double ArrayFloor::least_pj(const ConvPair& pair, const ArrayLimits& array, const TileBox& box,
                            const InnerLoops& inner) const {
  const Unrolled most = most_unrolled(pair, array);
  Candidates open;
  const auto add = [&](int innermost) {
    Candidate candidate{0, innermost, most};
    if (bound(candidate, box, inner)) open.push(candidate);
  };
  if (is_one_step(most)) add(-1);
  for (const int innermost : members(innermost_loops(most, box, inner))) add(innermost);
  // What is known to be the least after so many steps is good enough for parts
  // of the designs.
  const int steps = box.is_single() ? kMostSteps : kUsualSteps;
  for (int i = 0; i < steps && open.count > 0; ++i) {
    const Candidate best = open.pop();
    if (split(best, box, inner, open)) continue;
    open.push(best);
    break;
  }
  if (open.count == 0) return INFINITY;
  constexpr double kLastDigits = 1e-13;
  return open.pop().bound * (1 - kLastDigits);
}

}  // namespace tilewright::study
