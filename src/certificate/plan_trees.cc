#include "certificate/plan_trees.h"

#include <algorithm>

#include "base/bits.h"

namespace tilewright::certificate {

template <class Kind>
GroupTrees<Kind>::GroupTrees(const PlanSpace& space, const PlanTimes& times,
                             const std::vector<NestFronts<Kind>>& nests, const PlanFloors& floors,
                             const EinsumRun& group, const GroupLimit& limit,
                             const Deadline& deadline)
    : space_(space),
      times_(times),
      nests_(nests),
      group_(group),
      intermediates_(space.handed_on(group)),
      limit_(limit),
      deadline_(deadline) {
  floors_before_.emplace_back();
  for (int e = group.first; e <= group.last; ++e) {
    add_bits(e);
    floors_before_.push_back(floors_before_.back() + floors.in_group(group, e));
  }
}

template <class Kind>
void GroupTrees<Kind>::add_bits(int einsum) {
  constexpr std::size_t kMostBits = 24;
  const std::size_t before = open_bits_.size();
  const std::vector<PlanTensor>& tensors = space_.einsum(einsum).tensors;
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    if (!tensors[t].shareable || space_.is_inside(group_, einsum, static_cast<int>(t))) continue;
    open_bits_.push_back({einsum, static_cast<int>(t)});
  }
  const int output = static_cast<int>(tensors.size()) - 1;
  if (Kind::kTimed && space_.is_inside(group_, einsum, output) && output_of(einsum).reduces >= 0) {
    open_bits_.push_back({einsum, -1});
  }
  if (open_bits_.size() > kMostBits) throw Unverifiable("a group has too many tensors");
  std::uint32_t bits = 0;
  for (std::size_t b = before; b < open_bits_.size(); ++b) bits |= 1U << b;
  bits_.push_back(bits);
}

template <class Kind>
const HandedOn& GroupTrees<Kind>::output_of(int einsum) const {
  return *std::find_if(intermediates_.begin(), intermediates_.end(),
                       [&](const HandedOn& one) { return one.writer == einsum; });
}

template <class Kind>
const PlanTensor& GroupTrees<Kind>::tensor(int bit) const {
  const OpenBit& one = open_bits_[at(bit)];
  return space_.einsum(one.einsum).tensors[at(one.tensor)];
}

template <class Kind>
std::size_t GroupTrees<Kind>::entry_of(std::uint32_t open, int einsum) const {
  std::size_t entry = 0;
  for (int e = group_.first; e < einsum; ++e) entry += (open & bits_of(e)) != 0 ? 1 : 0;
  return entry;
}

template <class Kind>
typename GroupTrees<Kind>::Loaded GroupTrees<Kind>::loaded(int bit, const Extents& extents) const {
  const PlanTensor& one = tensor(bit);
  return {space_.tile_room(one, extents), space_.loaded(one, extents), space_.load(one, extents)};
}

template <class Kind>
void GroupTrees<Kind>::load(Point& point, std::uint32_t open, int bit, const Loaded& here) const {
  point.room = narrow(Count(point.room) + here.room);
  point.energy += here.energy;
  if constexpr (Kind::kTimed) {
    const std::size_t entry = entry_of(open, open_bits_[at(bit)].einsum);
    times_.add_words(point.open[entry], tensor(bit), here.words);
  }
}

template <class Kind>
void GroupTrees<Kind>::close(Point& point, std::uint32_t before, std::uint32_t open,
                             int einsum) const {
  if constexpr (Kind::kTimed) {
    if ((open & bits_of(einsum)) != 0) return;
    const auto closed = point.open.begin() + static_cast<std::ptrdiff_t>(entry_of(before, einsum));
    point.cycles = narrow(Count(point.cycles) + times_.cycles(*closed));
    std::copy(closed + 1, point.open.begin() + point.opens, closed);
    point.open[at(--point.opens)] = {};
  }
}

template <class Kind>
void GroupTrees<Kind>::tighten(Point& point, std::uint32_t open, const Extents& extents) const {
  if constexpr (Kind::kTimed) {
    std::size_t entry = 0;
    for (int e = group_.first; e <= group_.last; ++e) {
      if ((open & bits_of(e)) == 0) continue;
      OpenTime& time = point.open[entry++];
      OpenTime least = time, most = time;
      for (const int b : members(open & bits_of(e))) {
        if (!is_tensor(b)) continue;
        times_.add_least(least, tensor(b));
        times_.add_words(most, tensor(b), space_.loaded(tensor(b), extents));
      }
      time.cycles = times_.cycles(least);
      if (times_.cycles(most) <= time.cycles) time.words = {};
    }
  }
}

template <class Kind>
PlanTotal GroupTrees<Kind>::total_of(const Point& point) {
  PlanTotal total{point.energy, 0};
  if constexpr (Kind::kTimed) {
    total.cycles = point.cycles;
    for (std::size_t i = 0; i < at(point.opens); ++i) total.cycles += point.open[i].cycles;
  }
  return total;
}

template <class Kind>
std::vector<PlanTotal> GroupTrees<Kind>::least() {
  std::vector<PlanTotal> totals;
  if (group_.length() == 1) {
    add_alone(totals);
    return totals;
  }
  for (int length = 2; length <= group_.length(); ++length) {
    for (int first = group_.first; first + length - 1 <= group_.last; ++first) {
      make_run({first, first + length - 1});
    }
  }
  const auto look = [&](const Fronts& fronts) {
    const auto found = fronts.find(0);
    if (found == fronts.end()) return;
    for (const Point& point : found->second.points()) add_total(totals, total_of(point));
  };
  look(placed(group_, space_.sizes(), -1, runs_.at(group_).at.back()));
  look(join(group_, space_.sizes(), -1));
  return totals;
}

// An ordinary mapping: everything is streamed.
template <class Kind>
void GroupTrees<Kind>::add_alone(std::vector<PlanTotal>& totals) const {
  const PlanEinsum& einsum = space_.einsum(group_.first);
  const NestFronts<Kind>& nests = nests_[at(group_.first)];
  std::uint32_t all = 0;
  for (std::size_t t = 0; t < einsum.tensors.size(); ++t) {
    if (einsum.tensors[t].shareable) all |= 1U << t;
  }
  const Int128 afterwards = certificate::times(einsum.afterwards, space_.elements(einsum.output()));
  for (const auto& nest : nests.front(all, nests.extents().whole()).points()) {
    PlanTotal total{plus(nest.energy, afterwards), 0};
    if constexpr (Kind::kTimed) total.cycles = times_.cycles(nest.time);
    if (!limit_.is_reached_by(total)) add_total(totals, total);
  }
}

// Leaves out what cannot be part of a tree below the limit: each tensor without a place is loaded
// once at least, and so are those of einsums that are still to come.
template <class Kind>
void GroupTrees<Kind>::take(Fronts& fronts, std::uint32_t open, const Point& point,
                            const EinsumRun& done) {
  ++points_;
  if (point.room > space_.room()) return;
  const PlanTotal& first = floors_before_[at(done.first - group_.first)];
  const PlanTotal& behind = floors_before_[at(done.last + 1 - group_.first)];
  PlanTotal least = total_of(point);
  least.energy += first.energy + (floors_before_.back().energy - behind.energy);
  least.cycles += first.cycles + (floors_before_.back().cycles - behind.cycles);
  for (const int b : members(open)) {
    if (is_tensor(b)) least.energy += space_.least_load(tensor(b));
  }
  if (!limit_.is_reached_by(least)) fronts[open].add(point);
}

template <class Kind>
void GroupTrees<Kind>::make_run(const EinsumRun& einsums) {
  Run run{einsums, ExtentVectors(space_.sizes(), space_.shared_dims(einsums, group_)), {}};
  run.at.resize(run.vectors.count());
  for (std::size_t i = 0; i < run.vectors.count(); ++i) {
    deadline_.check();
    add_loops(run, i);
  }
  runs_.emplace(einsums, std::move(run));
}

// A loop around the run, one prime at a time. What is done online keeps its state outside the
// outermost loop over the dimension that is reduced.
template <class Kind>
void GroupTrees<Kind>::add_loops(Run& run, std::size_t number) {
  const Extents extents = run.vectors.extents(number);
  const std::vector<ExtentVectors::Longer> longer = run.vectors.longer(number);
  if (longer.empty()) return;
  const Fronts again = placed(run.einsums, extents, -1, run.at[number]);
  std::map<int, Fronts> joined;
  for (const ExtentVectors::Longer& to : longer) {
    // Nothing of a leaf depends on the loop around it.
    const int dim = run.einsums.length() > 2 ? to.dim : -1;
    auto found = joined.find(dim);
    if (found == joined.end()) {
      found = joined.emplace(dim, join(run.einsums, extents, to.dim)).first;
    }
    const Extents outer = run.vectors.extents(to.number);
    const bool ends = outer[at(to.dim)] == space_.size(to.dim);
    const std::int64_t state = ends ? states(run.einsums, outer, to.dim) : 0;
    for (const Fronts* from : {&again, static_cast<const Fronts*>(&found->second)}) {
      for (const auto& [open, front] : *from) {
        for (Point point : front.points()) {
          point.room = narrow(Count(point.room) + state);
          tighten(point, open, outer);
          take(run.at[to.number], open, point, run.einsums);
        }
      }
    }
  }
}

template <class Kind>
typename GroupTrees<Kind>::Fronts GroupTrees<Kind>::placed(const EinsumRun& run,
                                                           const Extents& extents, int dim,
                                                           const Fronts& fronts) {
  Fronts all = fronts;
  for (int b = 0; b < static_cast<int>(open_bits_.size()); ++b) {
    const int einsum = open_bits_[at(b)].einsum;
    if (!run.has(einsum) || !is_tensor(b)) continue;
    if (dim >= 0 && !contains(tensor(b).dims, dim)) continue;
    const Loaded here = loaded(b, extents);
    Fronts more;
    for (const auto& [open, front] : all) {
      if (!contains(open, b)) continue;
      const std::uint32_t left = open & ~(1U << b);
      for (Point point : front.points()) {
        load(point, open, b, here);
        close(point, open, left, einsum);
        tighten(point, left, extents);
        take(more, left, point, run);
      }
    }
    for (const auto& [open, front] : more) all[open].merge(front);
  }
  return all;
}

template <class Kind>
typename GroupTrees<Kind>::Fronts GroupTrees<Kind>::join(const EinsumRun& run,
                                                         const Extents& extents, int dim) {
  std::vector<Fronts> done(at(run.length() + 1));  // of so many einsums
  done[0][0].add({});
  for (int last = run.first; last <= run.last; ++last) {
    for (int first = run.first; first <= last; ++first) {
      const EinsumRun inner{first, last};
      if (inner == run) continue;
      const Fronts& before = done[at(first - run.first)];
      if (before.empty()) continue;
      join_child(run, extents, inner, handed_on(run, extents, inner, child(inner, extents, dim)),
                 before, done[at(last + 1 - run.first)]);
    }
  }
  return std::move(done.back());
}

// How often what the einsum has normalised is rescaled is known where its last reader is beside it.
template <class Kind>
typename GroupTrees<Kind>::Fronts GroupTrees<Kind>::handed_on(const EinsumRun& run,
                                                              const Extents& extents,
                                                              const EinsumRun& inner,
                                                              Fronts fronts) {
  if constexpr (Kind::kTimed) {
    for (int b = 0; b < static_cast<int>(open_bits_.size()); ++b) {
      const int writer = open_bits_[at(b)].einsum;
      if (is_tensor(b) || !inner.has(writer)) continue;
      const HandedOn& one = output_of(writer);
      if (!run.has(one.reach()) || inner.has(one.reach())) continue;
      const std::int64_t steps = space_.size(one.reduces) / extents[at(one.reduces)];
      const std::int64_t cycles = times_.afterwards(one, steps);
      Fronts handed;
      for (const auto& [open, front] : fronts) {
        const std::uint32_t left = open & ~(1U << b);
        for (Point point : front.points()) {
          OpenTime& time = point.open[entry_of(open, writer)];
          time.cycles = std::max(time.cycles, cycles);
          close(point, open, left, writer);
          take(handed, left, point, inner);
        }
      }
      fronts = std::move(handed);
    }
  }
  return fronts;
}

template <class Kind>
void GroupTrees<Kind>::join_child(const EinsumRun& run, const Extents& extents,
                                  const EinsumRun& inner, const Fronts& fronts,
                                  const Fronts& before, Fronts& joined) {
  const std::int64_t beside = room_beside(run, extents, inner);
  const Int128 rescaled = rescaling(run, extents, inner);
  const EinsumRun done{run.first, inner.last};
  for (const auto& [open, front] : fronts) {
    for (const Point& point : front.points()) {
      const std::int64_t room = narrow(Count(point.room) + beside);
      if (room > space_.room()) continue;
      for (const auto& [earlier, others] : before) {
        for (Point both : others.points()) {
          both.room = std::max(room, both.room);
          both.energy += point.energy + rescaled;
          if constexpr (Kind::kTimed) {
            both.cycles = narrow(Count(both.cycles) + point.cycles);
            for (std::size_t i = 0; i < at(point.opens); ++i) {
              both.open[at(both.opens++)] = point.open[i];
            }
          }
          take(joined, open | earlier, both, done);
        }
      }
    }
  }
}

template <class Kind>
typename GroupTrees<Kind>::Fronts GroupTrees<Kind>::child(const EinsumRun& einsums,
                                                          const Extents& extents, int dim) {
  if (einsums.length() == 1) return leaf(einsums.first, extents);
  const Run& run = runs_.at(einsums);
  return placed(einsums, extents, dim, run.at[run.vectors.number_of(extents)]);
}

// Each tensor that comes from outside is streamed, local, or gets its place further out.
template <class Kind>
typename GroupTrees<Kind>::Fronts GroupTrees<Kind>::leaf(int einsum, const Extents& extents) {
  Fronts fronts;
  std::uint32_t all = 0;
  for (const int b : members(bits_of(einsum))) all |= is_tensor(b) ? 1U << b : 0;
  for (std::uint32_t resident = all;; resident = (resident - 1) & all) {
    for (std::uint32_t local = resident;; local = (local - 1) & resident) {
      add_leaf(fronts, einsum, extents, resident, local);
      if (local == 0) break;
    }
    if (resident == 0) break;
  }
  return fronts;
}

template <class Kind>
void GroupTrees<Kind>::add_leaf(Fronts& fronts, int einsum, const Extents& extents,
                                std::uint32_t resident, std::uint32_t local) {
  const PlanEinsum& of = space_.einsum(einsum);
  const NestFronts<Kind>& nests = nests_[at(einsum)];
  const bool leaves = space_.also_leaves(group_, einsum);
  Int128 fixed = certificate::times(of.afterwards, space_.elements(of.output()));
  if (leaves) fixed = plus(fixed, space_.least_load(of.output()));
  std::uint32_t streamed = 0, open = bits_of(einsum) & ~local;
  for (const int b : members(bits_of(einsum) & ~resident)) {
    if (!is_tensor(b)) continue;
    streamed |= 1U << open_bits_[at(b)].tensor;
    open &= ~(1U << b);
  }
  std::vector<std::pair<int, Loaded>> loads;
  for (const int b : members(local)) loads.emplace_back(b, loaded(b, extents));
  for (const auto& nest : nests.front(streamed, nests.extents().number_of(extents)).points()) {
    Point point;
    static_cast<RoomPoint&>(point) = nest;
    point.energy += fixed;
    if constexpr (Kind::kTimed) {
      point.opens = 1;
      point.open[0] = nest.time;
      if (leaves) times_.add_least(point.open[0], of.output());
    }
    for (const auto& [b, here] : loads) load(point, 0, b, here);
    close(point, 0, open, einsum);
    tighten(point, open, extents);
    take(fronts, open, point, {einsum, einsum});
  }
}

// Intermediates of the run that are there while a part of it runs, and not its own.
template <class Kind>
std::int64_t GroupTrees<Kind>::room_beside(const EinsumRun& run, const Extents& extents,
                                           const EinsumRun& inner) const {
  Count room = 0;
  for (const HandedOn& one : intermediates_) {
    if (!run.has(one.reach()) || inner.has(one.reach())) continue;
    if (one.writer > inner.last || one.last() < inner.first) continue;
    room += space_.tile_room(space_.einsum(one.writer).output(), extents);
  }
  return narrow(room);
}

// What is handed on to a part of the run as its last reader, and was normalised in several steps.
template <class Kind>
Int128 GroupTrees<Kind>::rescaling(const EinsumRun& run, const Extents& extents,
                                   const EinsumRun& inner) const {
  Int128 energy = 0;
  for (const HandedOn& one : intermediates_) {
    if (one.reduces < 0 || !run.has(one.reach())) continue;
    if (inner.has(one.writer) || !inner.has(one.last())) continue;
    const std::int64_t steps = space_.size(one.reduces) / extents[at(one.reduces)];
    energy = plus(energy, times(one.rescale, steps - 1));
  }
  return energy;
}

template <class Kind>
std::int64_t GroupTrees<Kind>::states(const EinsumRun& run, const Extents& extents, int dim) const {
  Count room = 0;
  for (const HandedOn& one : intermediates_) {
    if (one.reduces != dim || !run.has(one.reach())) continue;
    const Count words = Count(space_.product(one.dims & ~(1U << dim), extents)) * one.state_words;
    room += words * space_.einsum(one.writer).output().width;
  }
  return narrow(room);
}

template class GroupTrees<EnergyAlone>;
template class GroupTrees<EnergyAndTime>;

}  // namespace tilewright::certificate
