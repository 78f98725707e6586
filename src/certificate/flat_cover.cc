#include "certificate/flat_cover.h"

#include <algorithm>

#include "base/bits.h"
#include "certificate/plan_extents.h"

namespace tilewright::certificate {

FlatCover::FlatCover(const FlatSpace& space, const FlatNestBounds& bounds, const EinsumRun& run,
                     const Deadline& deadline, Ask ask)
    : space_(space),
      bounds_(bounds),
      deadline_(deadline),
      ask_(std::move(ask)),
      group_(space.cascade(), run) {}

Int128 FlatCover::least(Int128 most) {
  most_ = asked_most_ = most;
  std::vector<FlatLoop> loops;
  choose_loops(0, loops);
  return most_;
}

void FlatCover::choose_loops(std::size_t next, std::vector<FlatLoop>& loops) {
  if (is_over()) return;
  if (next < group_.loop_dims().size()) {
    choose_loops(next + 1, loops);
    const int dim = group_.loop_dims()[next];
    const std::int64_t size = group_.workload(group_.run().last).dims[at(dim)].size;
    for (const std::int64_t count : divisors_of(size)) {
      if (count == 1) continue;
      loops.push_back({dim, count});
      choose_loops(next + 1, loops);
      loops.pop_back();
    }
    return;
  }
  const auto before = [](const FlatLoop& a, const FlatLoop& b) { return a.dim < b.dim; };
  std::vector<FlatLoop> order = loops;
  do {
    FlatCell cell(group_, order);
    put_intermediates(first(), cell);
  } while (std::next_permutation(order.begin(), order.end(), before));
}

// Without windows pieces of an intermediate never overlap, so that nothing is gained by what stays
// longer than until it is read.
bool FlatCover::may_pay_to_keep(int einsum) const {
  for (const FlatGroup::Reader& reader : group_.readers(einsum)) {
    for (const Rank& rank : group_.workload(reader.einsum).tensors[at(reader.tensor)].ranks) {
      if (rank.size() > 1) return true;
    }
  }
  return false;
}

void FlatCover::put_intermediates(int einsum, FlatCell& cell) {
  if (is_over()) return;
  if (einsum > group_.run().last) return look_into(cell);
  put_intermediates(einsum + 1, cell);
  if (!may_pay_to_keep(einsum)) return;
  const int output = group_.workload(einsum).tensor_count() - 1;
  const Place before = cell.place(einsum);
  for (const Place& place : cell.places(einsum, output)) {
    if (place.kind != Place::Kind::Kept) continue;
    cell.put(einsum, place);
    put_intermediates(einsum + 1, cell);
  }
  cell.put(einsum, before);
}

// --- a cell -----------------------------------------------------------------------------

void FlatCover::count_step() {
  constexpr std::int64_t kMost = std::int64_t{1} << 26, kBetweenChecks = 64;
  if (++steps_ > kMost) throw Unverifiable("plans with so many loops and places in a group");
  if (steps_ % kBetweenChecks == 0) deadline_.check();
}

void FlatCover::look_into(FlatCell& cell) {
  ++cells_;
  count_step();
  Open open;
  if (!cell.settle() || !start(cell, open)) return;
  if (least_loads(cell, open) >= left_for_loads(open)) return;
  if (!take_intermediates(cell, open)) return;
  add_options(cell, open);
  Int128 least = left_for_loads(open);
  choose_places(0, 0, open, least, [&](Int128 loads) { least = loads; });
  if (ask_) ask_floors(open, least);
  Int128 left = left_for_loads(open);
  if (least >= left) return;
  choose_places(0, 0, open, left, [&](Int128) {
    close(open);
    left = is_over() ? 0 : left_for_loads(open);
  });
}

bool FlatCover::start(const FlatCell& cell, Open& open) const {
  for (int e = first(); e <= group_.run().last; ++e) {
    const std::vector<FlatExecution> executions = cell.executions(e);
    open.fixed = plus(open.fixed, space_.afterwards(e, executions));
    if (group_.also_leaves(e)) open.fixed = plus(open.fixed, space_.departure(e));
    Einsum& made = open.einsums.emplace_back();
    for (const FlatExecution& one : executions) made.executions.push_back({one, space_.room()});
    if (open.fixed >= most_) return false;
  }
  return true;
}

// Intermediates leave so much room; false if they have none.
bool FlatCover::take_intermediates(const FlatCell& cell, Open& open) const {
  for (int e = first(); e <= group_.run().last; ++e) {
    if (!group_.hands_on(e)) continue;
    const int output = group_.workload(e).tensor_count() - 1;
    const FlatCell::Stay stay = cell.stay(e, output, cell.place(e));
    const std::int64_t room = space_.amount(e, output, stay.words);
    for (int other = stay.run.first; other <= stay.run.last; ++other) {
      for (Execution& one : open.einsums[at(other - first())].executions) {
        one.room -= room;
        if (one.room < 0) return false;
      }
    }
  }
  return true;
}

Int128 FlatCover::floors(const Open& open) const {
  Int128 sum = 0;
  for (std::size_t e = 0; e < open.einsums.size(); ++e) {
    for (const Execution& one : open.einsums[e].executions) {
      sum = plus(sum, bounds_.floor(first() + static_cast<int>(e), one.of));
    }
  }
  return sum;
}

// Loads of everything from outside at least.
Int128 FlatCover::least_loads(const FlatCell& cell, const Open& open) const {
  Int128 sum = 0;
  for (int e = first(); e <= group_.run().last; ++e) {
    for (int t = 0; t < group_.workload(e).tensor_count(); ++t) {
      if (!group_.is_outside(e, t)) continue;
      Int128 least = streamed(open, e, t);
      for (const Place& place : cell.places(e, t)) {
        least = std::min(least, space_.load(e, t, cell.loaded(e, t, place)));
      }
      sum = plus(sum, least);
    }
  }
  return sum;
}

// As long as the cell is not closed.
void FlatCover::ask_floors(const Open& open, Int128 loads) {
  for (std::size_t e = open.einsums.size(); e-- > 0;) {
    for (const Execution& one : open.einsums[e].executions) {
      for (const bool old_sums : {false, true}) {
        if (old_sums && one.of.fresh == one.of.count) continue;
        if (loads >= left_for_loads(open)) return;
        ask_({first() + static_cast<int>(e), one.of.extents, 0, 0, old_sums});
      }
    }
  }
}

// --- places of what comes from outside --------------------------------------------------

Int128 FlatCover::streamed(const Open& open, int einsum, int tensor) const {
  Int128 sum = 0;
  for (const Execution& one : open.einsums[at(einsum - first())].executions) {
    sum = plus(sum, space_.streamed(einsum, tensor, one.of));
  }
  return sum;
}

FlatCover::Option FlatCover::option_of(const FlatCell& cell, const Open& open, int einsum,
                                       int tensor, const Place& place) const {
  Option option;
  option.cost = space_.load(einsum, tensor, cell.loaded(einsum, tensor, place));
  for (const Einsum& one : open.einsums) option.room.emplace_back(one.executions.size());
  if (place.kind == Place::Kind::Local) {
    const std::vector<Execution>& own = open.einsums[at(einsum - first())].executions;
    for (std::size_t i = 0; i < own.size(); ++i) {
      option.room[at(einsum - first())][i] = space_.amount(
          einsum, tensor, tile_elements(group_.workload(einsum), tensor, own[i].of.extents));
    }
    return option;
  }
  const FlatCell::Stay stay = cell.stay(einsum, tensor, place);
  const std::int64_t room = space_.amount(einsum, tensor, stay.words);
  for (int e = stay.run.first; e <= stay.run.last; ++e) {
    std::vector<std::int64_t>& taken = option.room[at(e - first())];
    std::fill(taken.begin(), taken.end(), room);
  }
  return option;
}

// Places that take no more room and load no more than another one are enough.
void FlatCover::add_options(const FlatCell& cell, Open& open) const {
  const auto beats = [](const Option& a, const Option& b) {
    bool beaten = a.cost <= b.cost;
    for (std::size_t e = 0; e < a.room.size(); ++e) {
      beaten = beaten && std::equal(a.room[e].begin(), a.room[e].end(), b.room[e].begin(),
                                    [](std::int64_t x, std::int64_t y) { return x <= y; });
    }
    return beaten;
  };
  for (int e = first(); e <= group_.run().last; ++e) {
    for (int t = 0; t < group_.workload(e).tensor_count(); ++t) {
      if (!group_.is_outside(e, t)) continue;
      Tensor tensor{e, t, {}, 0};
      for (const Place& place : cell.places(e, t)) {
        Option option = option_of(cell, open, e, t, place);
        const auto beaten = [&](const Option& other) { return beats(other, option); };
        if (std::any_of(tensor.options.begin(), tensor.options.end(), beaten)) continue;
        std::erase_if(tensor.options, [&](const Option& other) { return beats(option, other); });
        tensor.options.push_back(std::move(option));
      }
      tensor.options.push_back({true, streamed(open, e, t), {}});
      std::stable_sort(tensor.options.begin(), tensor.options.end(),
                       [](const Option& a, const Option& b) { return a.cost < b.cost; });
      tensor.least = tensor.options.front().cost;
      open.tensors.push_back(std::move(tensor));
    }
  }
}

bool FlatCover::take_room(const Option& option, int sign, Open& open) const {
  bool fits = true;
  for (std::size_t e = 0; e < option.room.size(); ++e) {
    for (std::size_t i = 0; i < option.room[e].size(); ++i) {
      std::int64_t& room = open.einsums[e].executions[i].room;
      room -= sign * option.room[e][i];
      fits = fits && room >= 0;
    }
  }
  return fits;
}

template <typename Visit>
void FlatCover::choose_places(std::size_t next, Int128 loads, Open& open, Int128& limit,
                              const Visit& visit) {
  count_step();
  if (next == open.tensors.size()) {
    if (has_room_to_stream(open)) visit(loads);
    return;
  }
  Int128 others = 0;
  for (std::size_t i = next + 1; i < open.tensors.size(); ++i) {
    others = plus(others, open.tensors[i].least);
  }
  const Tensor& tensor = open.tensors[next];
  std::uint32_t& streamed = open.einsums[at(tensor.einsum - first())].streamed;
  const std::uint32_t bit = 1U << static_cast<unsigned>(tensor.tensor);
  for (const Option& option : tensor.options) {
    const Int128 chosen = plus(loads, option.cost);
    if (plus(others, chosen) >= limit) return;
    if (option.streamed) {
      streamed |= bit;
      choose_places(next + 1, chosen, open, limit, visit);
      streamed &= ~bit;
      continue;
    }
    open.loads = plus(open.loads, option.cost);
    if (take_room(option, 1, open)) choose_places(next + 1, chosen, open, limit, visit);
    take_room(option, -1, open);
    open.loads -= option.cost;
  }
}

// --- all places are chosen --------------------------------------------------------------

// Each tensor that is streamed has an element in the shared memory at least.
bool FlatCover::has_room_to_stream(const Open& open) const {
  for (std::size_t e = 0; e < open.einsums.size(); ++e) {
    Count needed = 0;
    for (const int t : members(open.einsums[e].streamed)) {
      needed += space_.amount(first() + static_cast<int>(e), t, 1);
    }
    for (const Execution& one : open.einsums[e].executions) {
      if (needed > Count(one.room)) return false;
    }
  }
  return true;
}

Int128 FlatCover::total(const Open& open) const {
  Int128 sum = plus(open.fixed, open.loads);
  for (std::size_t e = 0; e < open.einsums.size(); ++e) {
    for (const Execution& one : open.einsums[e].executions) {
      sum = plus(sum, bounds_.least(first() + static_cast<int>(e), one.of, open.einsums[e].streamed,
                                    one.room));
    }
  }
  return sum;
}

void FlatCover::close(Open& open) {
  if (total(open) >= most_) return;
  for (std::size_t e = open.einsums.size(); ask_ && e-- > 0;) {
    const Einsum& einsum = open.einsums[e];
    const int number = first() + static_cast<int>(e);
    for (const Execution& one : einsum.executions) {
      for (const bool old_sums : {false, true}) {
        if (old_sums && one.of.fresh == one.of.count) continue;
        // With all the room there is, an answer holds for many cells.
        for (const std::int64_t room : {space_.room(), one.room}) {
          ask_(
              {number, one.of.extents, einsum.streamed, einsum.streamed == 0 ? 0 : room, old_sums});
          if (total(open) >= most_) return;
          if (einsum.streamed == 0) break;
        }
      }
    }
  }
  most_ = total(open);
}

}  // namespace tilewright::certificate
