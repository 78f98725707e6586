#include "certificate/lattice.h"

#include <algorithm>

#include "certificate/point_block.h"
#include "certificate/restricted_block.h"

namespace tilewright::certificate {

namespace {

constexpr std::size_t kLargestGrid = std::size_t{1} << 24;

void keep_least(std::map<Open, Values>& known, const Open& open, Values values) {
  const auto [found, added] = known.try_emplace(open, std::move(values));
  if (!added) found->second.take_least(values);
}

}  // namespace

Grid::Grid(const Context& context) : dims_(context.dims()) {
  std::array<int, kMaxDims> fastest_first{};
  for (int d = 0; d < dims_; ++d) {
    classes_[at(d)] = static_cast<int>(context.chain(d).classes.size());
    fastest_first[at(d)] = d;
  }
  std::sort(fastest_first.begin(), fastest_first.begin() + dims_, [&](int a, int b) {
    return std::pair(-classes_[at(a)], a) < std::pair(-classes_[at(b)], b);
  });
  for (int i = 0; i < dims_; ++i) {
    const int d = fastest_first[at(i)];
    strides_[at(d)] = volume_;
    if (classes_[at(d)] > 1) {
      digits_[at(digit_count_++)] = {static_cast<std::uint32_t>(d),
                                     static_cast<std::uint32_t>(volume_)};
    }
    volume_ *= at(classes_[at(d)]);
    if (volume_ > kLargestGrid) throw Unverifiable("a frame has too many combinations of extents");
  }
  std::reverse(digits_.begin(), digits_.begin() + digit_count_);
}

Lattice::Lattice(const Context& context, Closings& closings, std::int64_t base, CostLimit limit,
                 const Deadline& deadline, SpareRoom* spare, LatticeUse use)
    : context_(context),
      closings_(closings),
      deadline_(deadline),
      grid_(context),
      given_limit_(std::move(limit)),
      limit_(std::min(given_limit_.all, kNever)),
      own_spare_(spare == nullptr ? std::make_unique<SpareRoom>() : nullptr),
      spare_(spare == nullptr ? own_spare_.get() : spare),
      inside_(at(context.memories())) {
  if (base >= limit_) return;
  Open nothing;
  nothing.fill(-1);
  Values start = Lattice::nothing();
  start.lower(0, base);
  now_.emplace(nothing, std::move(start));
  int fanout = context.unrolling().fanouts();
  int memory = context.memories();
  for (int s = context.problem().slot_count(); s-- > 0;) {
    const Slot& slot = context.problem().slots()[at(s)];
    if (slot.is_temporal()) {
      --memory;
      if (limit_ < kNever || given_limit_.inside) leave_out_hopeless(memory);
      for (const auto& [open, values] : now_) {
        if (use == LatticeUse::LeastAlone) break;
        inside_[at(memory)].emplace(open, StoredValues(values));
      }
      if (context.is_part(memory)) {
        pass_part(memory);
      } else if (context.movable(memory) != 0) {
        pass_points(memory);
      } else {
        pass_block(memory);
        leave_memory(memory);
        if (closings.measure().kind == Measure::Kind::Energy) pay_for_passing(memory);
      }
    } else if (slot.kind == SlotKind::SpatialX) {
      pass_fanout(--fanout);
    }
  }
  finish();
}

void Lattice::pass_block(int memory) {
  next_.clear();
  capacity_ = std::make_unique<CapacityCheck>(context_, memory);
  std::array<int, kMaxDims> extents{};
  for (auto& [open, values] : now_) {
    values.filter([&](std::size_t place) {
      grid_.decode(place, extents.data());
      return fits(extents.data());
    });
    run(memory, 0, open, stages(memory).front(), std::move(values));
  }
  now_ = std::move(next_);
}

void Lattice::pass_points(int memory) {
  if (contains(context_.rules().restricted, memory)) {
    RestrictedBlock block(*this, closings_, memory, limit_, deadline_);
    for (const auto& [open, values] : now_) block.add(open, values);
    now_ = block.run(nothing());
    return;
  }
  PointBlock block(*this, closings_, memory, limit_, deadline_);
  for (const auto& [open, values] : now_) block.add(open, values);
  now_ = block.run(nothing());
}

void Lattice::pass_part(int memory) {
  const bool innermost = memory + 1 == context_.memories() ||
                         first_point(context_.problem(), memory + 1) == memory + 1;
  RestrictedBlock block(*this, closings_, memory, limit_, deadline_);
  for (const auto& [open, values] : now_) {
    if (innermost) {
      block.add(open, values);
      continue;
    }
    Spots& spots = parts_[open];
    std::erase_if(spots, [&](const auto& spot) { return values[spot.first] >= kNever; });
    block.add(open, spots);
  }
  parts_ = block.run_part();
  now_.clear();
  for (const auto& [open, spots] : parts_) {
    Values& values = now_.try_emplace(open, nothing()).first->second;
    for (const auto& [place, spot] : spots) {
      for (const Taken& taken : spot.taken) values.lower(place, taken.cost);
    }
  }
}

std::uint32_t Lattice::open_dims(const Open& open) const {
  std::uint32_t dims = 0;
  for (const int t : members(open_tensors(open))) dims |= context_.terms().parts[at(t)].relevant;
  return dims;
}

std::uint32_t Lattice::open_tensors(const Open& open) const {
  std::uint32_t tensors = 0;
  for (int t = 0; t < context_.problem().tensor_count(); ++t) {
    if (open[at(t)] >= 0) tensors |= 1U << t;
  }
  return tensors;
}

bool Lattice::may_rest(int memory, std::uint32_t dims) const {
  const int slot = context_.problem().use(MemoryId{memory}).slot;
  for (const int d : members(dims)) {
    if (context_.rules().at_slot(slot, d).least > 1) return false;
  }
  return true;
}

Open Lattice::closed(Open open, std::uint32_t tensors) {
  for (const int t : members(tensors)) open[at(t)] = -1;
  return open;
}

std::int64_t Lattice::cost_of(const ClosingList& closings, std::int64_t sum, const int* extents) {
  for (std::size_t i = 0; i < closings.count; ++i) {
    sum = std::min(kNever, sum + closings.all[i]->cost(extents, Move{}));
  }
  return sum;
}

Lattice::ClosingList Lattice::closings_of(const Open& open, std::uint32_t tensors,
                                          int block) const {
  ClosingList closings;
  for (const int t : members(tensors)) {
    closings.all[closings.count++] = &closings_.get(t, open[at(t)], block);
  }
  return closings;
}

std::int64_t Lattice::close_cost(const Open& open, std::uint32_t tensors, int block,
                                 const int* extents, const Move& move) const {
  std::int64_t sum = 0;
  for (const int t : members(tensors)) {
    sum = std::min(kNever, sum + own_cost(closings_.get(t, open[at(t)], block), t, extents, move));
  }
  return sum;
}

std::int64_t Lattice::own_cost(Closing& closing, int tensor, const int* extents,
                               const Move& move) const {
  const bool moves = move.dim >= 0 && in_window(1U << tensor, move.dim);
  return closing.cost(extents, moves ? move : Move{});
}

// Loops of `rest` are still to come in this stage, from the inside out.
void Lattice::run(int memory, std::size_t stage, const Open& open, std::uint32_t rest,
                  Values values) {
  deadline_.check();
  const std::uint32_t waiting = open_dims(open);
  // What moves no open tensor goes innermost.
  for (const int d : members(rest & ~waiting)) loop(memory, d, values);
  rest &= waiting;
  if (values.empty()) return;
  close_plainly(memory, stage, open, rest, values);
  close_windows(memory, stage, open, rest, values);
  if (!may_rest(memory, rest)) return;
  if (stage + 1 == stages(memory).size()) return keep_least(next_, open, std::move(values));
  run(memory, stage + 1, open, stages(memory)[stage + 1], std::move(values));
}

template <typename Visit>
void Lattice::for_each_step(int memory, int dim, int from, Visit visit) const {
  const Chain& chain = context_.chain(dim);
  const bool last = is_last(memory);
  for (const Step& step : chain.loops_from(memory, from)) {
    const bool goes_on = !last || chain.ends[at(step.to)] != 0;
    if (goes_on && step.is_one_loop()) visit(step.to);
  }
}

// A moving loop outside all windows: what is paid does not depend on its bound.
// Paying where no loop follows costs more than waiting, so it need not be
// excluded.
void Lattice::close_plainly(int memory, std::size_t stage, const Open& open, std::uint32_t rest,
                            const Values& values) {
  TensorSets done;
  for (const int d : members(rest)) {
    if (!has_loop(memory, d)) continue;
    const std::uint32_t tensors = moved_by(open, d);
    if (in_window(tensors, d) || done.test(tensors)) continue;
    done.set(tensors);
    const ClosingList closings = closings_of(open, tensors, memory);
    Values paid = nothing();
    grid_.for_each(values, [&](std::size_t place, const int* extents) {
      const std::int64_t sum = cost_of(closings, values[place], extents);
      if (sum < limit_) paid.lower(place, sum);
    });
    run(memory, stage, closed(open, tensors), rest, std::move(paid));
  }
}

void Lattice::close_windows(int memory, std::size_t stage, const Open& open, std::uint32_t rest,
                            const Values& values) {
  for (const int d : members(rest)) {
    if (!has_loop(memory, d)) continue;
    const std::uint32_t tensors = moved_by(open, d);
    if (!in_window(tensors, d)) continue;
    Values paid = nothing();
    std::array<int, kMaxDims> outside{};
    grid_.for_each(values, [&](std::size_t place, const int* extents) {
      std::copy_n(extents, grid_.dims(), outside.begin());
      for_each_step(memory, d, extents[d], [&](int to) {
        if (to == extents[d]) return;
        const std::int64_t sum =
            values[place] + close_cost(open, tensors, memory, extents, Move{d, to});
        outside[at(d)] = to;
        if (sum >= limit_ || !fits(outside.data())) return;
        paid.lower(place + grid_.stride(d) * at(to) - grid_.stride(d) * at(extents[d]), sum);
      });
    });
    run(memory, stage, closed(open, tensors), rest & ~(1U << d), std::move(paid));
  }
}

bool Lattice::is_last(int memory) const {
  return memory == 0 && (context_.unrolling().fanouts() == 0 || context_.place(0) > 0);
}

bool Lattice::has_free_loops(int memory, int dim) const {
  const int slot = context_.problem().use(MemoryId{memory}).slot;
  const Rules::Limits& limits = context_.rules().at_slot(slot, dim);
  return context_.is_perfect() && limits.least <= 1 && limits.most >= context_.size(dim);
}

// From smaller extents to larger ones, so that loops in loops come by themselves. Places of one
// class are in a list: the first of each class, and the next one of each place.
void Lattice::loop_by_primes(int dim, Values& values) {
  const Chain& chain = context_.chain(dim);
  const std::size_t stride = grid_.stride(dim);
  auto& [firsts, nexts] = spare_->lists();
  firsts.assign(chain.classes.size(), -1);
  nexts.clear();
  const auto add_last = [&](int number) {
    nexts.push_back(firsts[at(number)]);
    firsts[at(number)] = static_cast<std::int32_t>(nexts.size()) - 1;
  };
  for (const std::uint32_t place : values.places()) add_last(grid_.class_of(place, dim));
  std::array<int, kMaxDims> extents{};
  for (const int from : chain.by_extent) {
    for (std::int32_t i = firsts[at(from)]; i >= 0; i = nexts[at(i)]) {
      const std::size_t place = values.places()[at(i)];
      const std::int64_t cost = values[place];
      grid_.decode(place, extents.data());
      for (const int to : chain.prime_loops[at(from)]) {
        const std::size_t next = place + stride * at(to) - stride * at(from);
        extents[at(dim)] = to;
        if (values[next] > cost && fits(extents.data()) && values.lower(next, cost)) add_last(to);
      }
    }
  }
}

void Lattice::loop(int memory, int dim, Values& values) {
  if (!has_loop(memory, dim)) return;
  if (!is_last(memory) && has_free_loops(memory, dim)) return loop_by_primes(dim, values);
  const std::size_t stride = grid_.stride(dim);
  std::array<int, kMaxDims> extents{};
  Values result = nothing();
  for (const std::uint32_t place : values.places()) {
    grid_.decode(place, extents.data());
    const int from = extents[at(dim)];
    const std::size_t row = place - stride * at(from);
    for_each_step(memory, dim, from, [&](int to) {
      extents[at(dim)] = to;
      if (fits(extents.data())) result.lower(row + stride * at(to), values[place]);
    });
  }
  values = std::move(result);
}

// What the memory keeps waits for a loop outside.
void Lattice::leave_memory(int memory) {
  std::map<Open, Values> outside;
  for (auto& [open, values] : now_) {
    Open now = open;
    for (int t = 0; t < context_.problem().tensor_count(); ++t) {
      const bool filled = context_.keeps(memory, t) && !context_.is_home(memory, t);
      if (filled && now[at(t)] < 0) now[at(t)] = static_cast<std::int8_t>(memory);
    }
    keep_least(outside, now, std::move(values));
  }
  now_ = std::move(outside);
}

// Whether branches of the fan-outs just outside a memory may start at the same place of a window.
bool Lattice::may_meet(int memory, const LinkPlace& link) const {
  if (link.child != context_.memories() || link.parent >= memory) return false;
  for (const Window& window : context_.terms().parts[at(link.tensor)].windows) {
    for (int f = 0; f < context_.unrolling().fanouts(); ++f) {
      if (context_.place(f) != memory || !context_.shares(f, link.tensor)) continue;
      const auto unrolled = std::count_if(window.dims().begin(), window.dims().end(), [&](int d) {
        return context_.unrolling().factor(f, d) > 1;
      });
      if (unrolled > 1) return true;
    }
  }
  return false;
}

void Lattice::pay_for_passing(int memory) {
  ClosingList passing;
  for (const LinkPlace& link : context_.links()) {
    if (!may_meet(memory, link)) continue;
    passing.all[passing.count++] = &closings_.get_passing(link.tensor, memory);
  }
  if (passing.count == 0) return;
  for (auto& [open, values] : now_) {
    Values paid = nothing();
    grid_.for_each(values, [&](std::size_t place, const int* extents) {
      const std::int64_t sum = cost_of(passing, values[place], extents);
      if (sum < limit_) paid.lower(place, sum);
    });
    values = std::move(paid);
  }
}

void Lattice::pass_fanout(int fanout) {
  for (auto& [open, values] : now_) {
    Values result = nothing();
    grid_.for_each(values, [&](std::size_t place, const int* extents) {
      std::size_t to = 0;
      for (int d = 0; d < grid_.dims(); ++d) {
        const int outside = context_.chain(d).unrolled[at(fanout)][at(extents[d])];
        if (outside < 0) return;
        to += grid_.stride(d) * at(outside);
      }
      result.lower(to, values[place]);
    });
    values = std::move(result);
  }
}

void Lattice::finish() {
  for (const auto& [open, values] : now_) {
    const std::uint32_t tensors = open_tensors(open);
    grid_.for_each(values, [&](std::size_t place, const int* extents) {
      for (int d = 0; d < grid_.dims(); ++d) {
        if (context_.chain(d).ends[at(extents[d])] == 0) return;
      }
      const std::int64_t sum = values[place] + close_cost(open, tensors, -1, extents, Move{});
      if (sum < limit_) least_ = std::min(least_, sum);
    });
  }
}

}  // namespace tilewright::certificate
