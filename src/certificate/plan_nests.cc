#include "certificate/plan_nests.h"

#include <algorithm>

#include "base/bits.h"
#include "certificate/frame_bound.h"
#include "certificate/lattice.h"

namespace tilewright::certificate {

namespace {

void collect_frames(Cover& cover, const Cell& cell, std::vector<Cell>& frames) {
  constexpr std::size_t kMostFrames = std::size_t{1} << 20;
  if (frames.size() > kMostFrames) throw Unverifiable("there are too many ways to unroll");
  if (cover.is_frame(cell)) {
    frames.push_back(cell);
    return;
  }
  for (const Cell& part : cover.parts(cell)) collect_frames(cover, part, frames);
}

std::vector<Cell> frames_of(Cover& cover) {
  std::vector<Cell> frames;
  for (const Cell& cell : cover.whole()) collect_frames(cover, cell, frames);
  return frames;
}

}  // namespace

// A frame's lattice, and what its links take of it.
class FrameTable {
 public:
  FrameTable(const PlanEinsum& einsum, Cover& cover, const Cell& frame)
      : unrolling_(cover.unrolling(frame)),
        placement_(cover.placement(frame)),
        context_(einsum.terms, einsum.rules, placement_, unrolling_,
                 cover.chains().all(unrolling_).value()),
        closings_(context_),
        base_(FrameBound(context_).energy()) {
    for (const LinkPlace& link : context_.links()) {
      if (link.child == kSharedMemory) outside_ += least_link(context_, link).energy;
    }
  }

  // What everything inside the shared memory takes at least; in units of the einsum.
  Int128 least() const { return base_ - outside_; }
  // Multipliers at work.
  Int128 instances() const {
    Count all = 1;
    for (int d = 0; d < context_.dims(); ++d) {
      all *= context_.unrolled(d, -1, context_.memories());
    }
    return all;
  }
  const Context& context() const { return context_; }

  // The lattice where less than the limit is taken inside the shared memory.
  Lattice lattice(Int128 limit, const Deadline& deadline) {
    const Int128 all = plus(limit, outside_);
    if (all >= kNever / 2 || base_ >= kNever / 2) {
      throw Unverifiable("the energies of plans have too many digits");
    }
    return {context_,
            closings_,
            static_cast<std::int64_t>(base_),
            {static_cast<std::int64_t>(all)},
            deadline};
  }

  // What is known of the links of a tensor inside the shared memory that wait from a memory on
  // outwards: the least that the lattice counts for them, what first sums spare, and energy times
  // extents.
  struct Waiting {
    Int128 least = 0, spared = 0, coefficient = 0;
  };
  Waiting waiting(int tensor, int innermost) const {
    Waiting sum;
    Int128 extents = 1;
    for (int d = 0; d < context_.dims(); ++d) {
      if (!contains(context_.terms().parts[at(tensor)].relevant, d)) {
        extents = times(extents, context_.size(d));
      }
    }
    for (const LinkPlace& link : context_.links()) {
      const bool waits = link.tensor == tensor && link.child > kSharedMemory &&
                         link.child <= innermost && link.child < context_.memories();
      if (!waits) continue;
      const Int128 least = least_link(context_, link).energy, spared = spared_on(link);
      sum.least += least;
      sum.spared += spared;
      sum.coefficient = plus(sum.coefficient, times(plus(least, spared), extents));
    }
    return sum;
  }
  // The least of links to the shared memory.
  Int128 outside() const { return outside_; }

 private:
  Int128 spared_on(const LinkPlace& place) const {
    const Memory& outer = context_.problem().memory(MemoryId{place.parent});
    if (!context_.is_output(place.tensor) || outer.accumulates_in_place) return 0;
    const LinkBound::Words words = LinkBound(context_, place, 0).least_words();
    const Int128 at_parent = context_.held(place.parent), at_child = context_.held(place.child);
    if (words.served < at_parent || words.entering < at_child) {
      throw Unverifiable("sums that are never complete");
    }
    const auto& energies = context_.terms().energies.memories;
    return plus(times(energies[at(place.parent)].access[at(place.tensor)].read, at_parent),
                times(energies[at(place.child)].access[at(place.tensor)].write, at_child));
  }

  Unrolling unrolling_;
  Placement placement_;
  Context context_;
  Closings closings_;
  Int128 base_;
  Int128 outside_ = 0;
};

namespace {

// In units of an einsum, rounded up.
Int128 in_units(Int128 energy, Int128 scale) {
  return energy <= 0 ? energy / scale : (energy + scale - 1) / scale;
}

// The least energy of a frame, if it is below the limit, or the limit; nothing if the time is up.
std::optional<Int128> least_inside(const PlanEinsum& einsum, Cover& cover, const Cell& frame,
                                   Int128 limit, const Deadline& deadline) {
  try {
    FrameTable table(einsum, cover, frame);
    const Lattice lattice = table.lattice(limit, deadline);
    Int128 least = limit;
    for (const auto& [open, values] : lattice.inside(0)) {
      for (const auto& [place, value] : values.all()) {
        least = std::min(least, value - table.outside());
      }
    }
    return least;
  } catch (const Expired&) {
    if (deadline.is_cancelled()) throw;
    return std::nullopt;
  }
}

}  // namespace

PlanTotal nest_floor(const PlanSpace& space, const PlanTimes& times, int einsum, Int128 limit,
                     const Deadline& deadline) {
  const PlanEinsum& of = space.einsum(einsum);
  Cover cover(*of.problem, of.rules);
  std::vector<Cell> frames = frames_of(cover);
  std::vector<std::pair<Int128, std::size_t>> by_bound;
  Int128 most_instances = 1;
  for (std::size_t f = 0; f < frames.size(); ++f) {
    if (deadline.is_cancelled()) throw Expired{};
    const FrameTable table(of, cover, frames[f]);
    by_bound.emplace_back(table.least(), f);
    most_instances = std::max(most_instances, table.instances());
  }
  std::sort(by_bound.begin(), by_bound.end());
  Int128 best = in_units(limit, of.scale);
  for (const auto& [bound, number] : by_bound) {
    if (bound >= best) break;
    if (deadline.is_out_of_time()) {
      best = bound;  // that of all frames that are left
      break;
    }
    best = std::min(best, least_inside(of, cover, frames[number], best, deadline).value_or(bound));
  }
  return {std::min(limit, certificate::times(best, of.scale)),
          times.least_cycles(einsum, most_instances)};
}

template <class Kind>
NestFronts<Kind>::NestFronts(const PlanSpace& space, const PlanTimes& times, int einsum,
                             std::uint32_t cut, NestLimit limit, const Deadline& deadline)
    : space_(space),
      times_(times),
      number_(einsum),
      einsum_(space.einsum(einsum)),
      limit_(std::move(limit)),
      tiles_(space.sizes(), einsum_.all_dims),
      cuts_(space.sizes(), cut & einsum_.all_dims) {
  for (std::size_t t = 0; t < einsum_.tensors.size(); ++t) {
    if (einsum_.tensors[t].shareable) shareable_ |= 1U << t;
  }
  constexpr std::size_t kMostFronts = std::size_t{1} << 22;
  fronts_.resize(std::size_t{1} << einsum_.tensors.size());
  if (cuts_.count() > kMostFronts / fronts_.size()) {
    throw Unverifiable("there are too many combinations of extents");
  }
  for (auto& fronts : fronts_) fronts.resize(cuts_.count());
  if (space.nests() == Among::All) points_.emplace(space, times, einsum, limit_);
  Cover cover(*einsum_.problem, einsum_.rules);
  for (const Cell& frame : frames_of(cover)) add_frame(cover, frame, deadline);
  if (points_) {
    const auto visit = [&](const auto& extents, const NestInside& inside) {
      add_inside(tiles_.number_of(extents), inside);
    };
    points_->run(visit, deadline);
  }
  for (const auto& [tile, inside] : inside_) {
    deadline.check();
    now_ = &inside;
    try_tile(tile);
  }
  inside_.clear();
  sweep();
}

template <class Kind>
void NestFronts<Kind>::add_frame(Cover& cover, const Cell& frame, const Deadline& deadline) {
  deadline.check();
  FrameTable table(einsum_, cover, frame);
  // No nest takes more than the whole einsum can.
  const Int128 most =
      std::min(in_units(limit_(times_.least_cycles(number_, table.instances())), einsum_.scale),
               plus(einsum_.terms.energies.most, 1));
  if (table.least() >= most) return;
  const Lattice lattice = table.lattice(most, deadline);
  for_each_inside(table, lattice, 0, [&](const auto& extents, const NestInside& inside) {
    add_inside(tiles_.number_of(extents), inside);
  });
  if (!points_) return;
  for_each_inside(
      table, lattice, kSharedMemory,
      [&](const auto& extents, const NestInside& inside) { points_->add(extents, inside); });
}

template <class Kind>
template <typename Visit>
void NestFronts<Kind>::for_each_inside(const FrameTable& table, const Lattice& lattice, int memory,
                                       Visit visit) {
  NestInside inside;
  inside.cycles = times_.least_cycles(number_, table.instances());
  std::vector<std::int64_t> extents = space_.sizes();
  for (const auto& [open, values] : lattice.inside(memory)) {
    inside.waiting = {};
    Int128 settled = table.outside();
    for (std::size_t t = 0; t < einsum_.tensors.size(); ++t) {
      if (open[t] <= kSharedMemory) continue;
      const FrameTable::Waiting waits = table.waiting(static_cast<int>(t), open[t]);
      settled += waits.least + waits.spared;
      inside.waiting[t] = times(waits.coefficient, einsum_.scale);
    }
    for (const auto& [place, value] : values.all()) {
      for (int d = 0; d < table.context().dims(); ++d) {
        const int one = lattice.grid().class_of(place, d);
        extents[at(einsum_.dims[at(d)])] = table.context().chain(d).classes[at(one)].least;
      }
      inside.closed = times(value - settled, einsum_.scale);
      visit(extents, inside);
    }
  }
}

// Leaves out what another one beats, wherever the tensors of both move.
template <class Kind>
void NestFronts<Kind>::add_inside(std::size_t tile, const NestInside& inside) {
  std::vector<NestInside>& all = inside_[tile];
  const auto beats = [&](const NestInside& one) { return one.is_no_worse(inside); };
  if (std::any_of(all.begin(), all.end(), beats)) return;
  std::erase_if(all, [&](const NestInside& one) { return inside.is_no_worse(one); });
  all.push_back(inside);
}

template <class Kind>
void NestFronts<Kind>::try_tile(std::size_t tile) {
  Innermost loops;
  loops.extents = tiles_.extents(tile);
  for (std::size_t t = 0; t < einsum_.tensors.size(); ++t) {
    const PlanTensor& tensor = einsum_.tensors[t];
    loops.still[t] = space_.product(tensor.irrelevant, loops.extents);
    room_[t] = space_.tile_room(tensor, loops.extents);
    loops.waiting |= 1U << t;
  }
  loops.before = loops.waiting;
  try_loops(loops);
  go_on(loops);
}

// One more loop, as long as a tensor waits that it does not move.
template <class Kind>
void NestFronts<Kind>::go_on(const Innermost& loops) {
  for (const int d : members(einsum_.all_dims & ~loops.used)) {
    std::uint32_t unmoved = 0;
    for (std::size_t t = 0; t < einsum_.tensors.size(); ++t) {
      if (contains(einsum_.tensors[t].irrelevant, d)) unmoved |= 1U << t;
    }
    Innermost next = loops;
    next.waiting = loops.waiting & unmoved;
    if (next.waiting == 0) continue;
    // Two loops that move the same tensors may change places.
    const bool alike = next.waiting == loops.waiting && (loops.before & unmoved) == loops.waiting;
    if (alike && d < loops.last) continue;
    next.before = loops.waiting;
    next.used |= 1U << d;
    next.last = d;
    const std::int64_t extent = loops.extents[at(d)];
    for (const std::int64_t bound : divisors_of(space_.size(d) / extent)) {
      if (bound == 1) continue;
      next.extents[at(d)] = extent * bound;
      for (const int t : members(next.waiting)) next.still[at(t)] = loops.still[at(t)] * bound;
      try_loops(next);
      go_on(next);
    }
  }
}

template <class Kind>
Int128 NestFronts<Kind>::streamed_words(int tensor, std::int64_t irrelevant) const {
  const PlanTensor& of = einsum_.tensors[at(tensor)];
  const std::int64_t times_loaded = space_.product(of.irrelevant, space_.sizes()) / irrelevant;
  return Count(space_.elements(of)) * times_loaded;
}

// What counts inside the shared memory is what nothing else beats in energy, cycles, and what
// tensors with points take.
template <class Kind>
void NestFronts<Kind>::try_loops(const Innermost& loops) {
  const auto beats = [](const Settled& a, const Settled& b) {
    return a.energy <= b.energy && a.nest->cycles <= b.nest->cycles &&
           a.nest->placed == b.nest->placed && a.nest->room <= b.nest->room &&
           a.nest->time.is_no_worse(b.nest->time);
  };
  settled_.clear();
  for (const NestInside& one : *now_) {
    Settled sum{one.closed, &one};
    for (std::size_t t = 0; t < einsum_.tensors.size(); ++t) {
      if (one.waiting[t] != 0) sum.energy += one.waiting[t] / loops.still[t];
    }
    if (std::any_of(settled_.begin(), settled_.end(),
                    [&](const Settled& other) { return beats(other, sum); })) {
      continue;
    }
    std::erase_if(settled_, [&](const Settled& other) { return beats(sum, other); });
    settled_.push_back(sum);
  }
  for (const Settled& inside : settled_) {
    // With points it has loads that every plan has.
    const bool has_points = inside.nest->placed != 0;
    if (has_points || inside.energy < limit_(inside.nest->cycles)) add_nest(loops, inside);
  }
}

template <class Kind>
void NestFronts<Kind>::add_nest(const Innermost& loops, const Settled& inside) {
  const std::size_t where = cuts_.number_of(loops.extents);
  for (std::uint32_t streamed = 0; streamed < fronts_.size(); ++streamed) {
    if ((streamed & ~shareable_) != 0 || (inside.nest->placed & ~streamed) != 0) continue;
    typename Kind::Nest nest;
    nest.energy = inside.energy;
    nest.room = inside.nest->room;
    if constexpr (Kind::kTimed) {
      nest.time = inside.nest->time;
      nest.time.cycles = inside.nest->cycles;
    }
    for (const int t : members(streamed & ~inside.nest->placed)) {
      const PlanTensor& tensor = einsum_.tensors[at(t)];
      const Int128 words = streamed_words(t, loops.still[at(t)]);
      nest.energy = plus(nest.energy, times(tensor.word, words) - tensor.spared);
      nest.room = narrow(Count(nest.room) + room_[at(t)]);
      if constexpr (Kind::kTimed) times_.add_words(nest.time, tensor, words);
    }
    if (nest.room > space_.room() || !is_of_use(nest, streamed)) continue;
    fronts_[streamed][where].add(nest);
  }
}

// Loads that every plan has are counted elsewhere.
template <class Kind>
bool NestFronts<Kind>::is_of_use(const typename Kind::Nest& nest, std::uint32_t streamed) const {
  Int128 least = 0, cycles = 0;
  for (const int t : members(streamed)) {
    const PlanTensor& tensor = einsum_.tensors[at(t)];
    if (tensor.handed_on < 0) least = plus(least, space_.least_load(tensor));
  }
  if constexpr (Kind::kTimed) {
    OpenTime time = nest.time;
    for (const int t : members(shareable_ & ~streamed)) {
      const PlanTensor& tensor = einsum_.tensors[at(t)];
      if (tensor.handed_on < 0) times_.add_least(time, tensor);
    }
    cycles = times_.cycles(time);
  }
  return nest.energy - least < limit_(cycles);
}

// Loops around a nest in which everything has moved change nothing.
template <class Kind>
void NestFronts<Kind>::sweep() {
  for (std::size_t i = 0; i < cuts_.count(); ++i) {
    for (const ExtentVectors::Longer& to : cuts_.longer(i)) {
      for (auto& fronts : fronts_) fronts[to.number].merge(fronts[i]);
    }
  }
}

template class NestFronts<EnergyAlone>;
template class NestFronts<EnergyAndTime>;

}  // namespace tilewright::certificate
