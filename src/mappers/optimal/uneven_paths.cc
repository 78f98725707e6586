#include "mappers/optimal/uneven_paths.h"

#include <algorithm>
#include <limits>

namespace tilewright::optimal {
namespace {

using Kind = PathStep::Kind;

// Loops may pass the ends of dimensions.
std::int64_t words_of_tile(const SolverTables& solver, int t, const PerDim& extents) {
  const TensorShape& tensor = solver.tensor(t);
  PerDim tile{};
  for (const int d : members(tensor.relevant)) {
    tile[at(d)] = std::min(extents[at(d)], solver.size(d));
  }
  std::int64_t words = 1;
  for (const int d : members(tensor.alone)) words = times(words, tile[at(d)]);
  for (const Window& window : tensor.windows) {
    words = times(words, window.size(window_extents(window, tile)));
  }
  return words;
}

// A systolic array is like one more.
bool has_limited_ports(const SolverTables& solver) {
  return solver.stationary || std::any_of(solver.memories.begin(), solver.memories.end(),
                                          [](const MemoryShape& memory) { return memory.limited; });
}

void add_to(Loads& loads, const Loads& more) {
  for (std::size_t m = 0; m < loads.size(); ++m) {
    loads[m].reads += more[m].reads;
    loads[m].writes += more[m].writes;
  }
}

}  // namespace

bool is_constrained(const SolverTables& solver, int memory) {
  if (!solver.restrictions->outermost(MemoryId{memory}).empty() ||
      !solver.restrictions->innermost(MemoryId{memory}).empty()) {
    return true;
  }
  for (int d = 0; d < solver.dim_count; ++d) {
    const BoundLimits& limits = solver.limits(solver.memory(memory).slot, d);
    if (limits.least > 1 || (limits.most > 1 && limits.most < solver.size(d))) return true;
  }
  return false;
}

std::size_t UnevenPaths::Key::hash() const {
  std::uint64_t hash = place * 0x9e3779b97f4a7c15U + pending;
  hash = (hash ^ (hash >> 29U)) * 0xbf58476d1ce4e5b9U;
  hash += (std::uint64_t{looped} << 32U) + (placed << 16U) + must_move;
  hash = (hash ^ (hash >> 32U)) * 0x94d049bb133111ebU;
  return static_cast<std::size_t>(hash ^ (hash >> 31U));
}

UnevenPaths::State& UnevenPaths::Bucket::find_or_add(const Spot& spot) {
  const auto next = static_cast<std::uint32_t>(states.size());
  const std::uint32_t number = numbers.find_or_add(
      spot.key.hash(), next, [&](std::uint32_t i) { return states[i].spot.key == spot.key; });
  if (number == next) states.emplace_back().spot = spot;
  return states[number];
}

UnevenPaths::UnevenPaths(const Subproblem& sub, const Goal& goal, const Options& options,
                         const Deadline& deadline)
    : sub_(sub),
      solver_(sub.solver()),
      goal_(goal),
      options_(options),
      bytes_left_(options.most_bytes),
      deadline_(deadline),
      extents_(sub),
      counts_loads_(options.with_loads || (options.keep_graph && has_limited_ports(solver_))) {
  for (const Link& link : sub.placement().links) least_.push_back(sub.least_energy(link));
  if (options_.filled >= 0) {
    more_filling_ = options_.least_filling;
    for (std::size_t i = 0; i < least_.size(); ++i) {
      if (sub.placement().links[i].child <= options_.filled) more_filling_ -= least_[i];
    }
    more_filling_ = std::max<Units>(0, more_filling_);
  }
  begin();
  memory_ = options_.innermost < 0 ? solver_.memory_count : options_.innermost + 1;
  while (memory_-- > 0) {
    enter(memory_);
    follow_all();
  }
}

// Later sets grow while earlier ones are gone through.
void UnevenPaths::follow_all() {
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    std::deque<State> states = std::move(buckets_[b].states);
    buckets_[b] = {};
    for (State& state : states) follow(keep(state));
  }
}

// --- memories -----------------------------------------------------------------

// Every multiplier works on one index; the fan-outs around them unroll some.
void UnevenPaths::begin() {
  State start;
  std::fill_n(start.spot.extents.begin(), solver_.dim_count, 1);
  start.memory = solver_.memory_count;
  if (options_.innermost < 0 && !cross_fanouts(start.memory, start.spot.extents)) return;
  start.spot.key.place = extents_.place_of(start.spot.extents);
  start.spot.rank = extents_.rank(start.spot.extents);
  loads_.push_back(sub_.fixed_loads());
  start.labels.push_back({0, sub_.fixed_energy(), record({}), 0});
  entries_.find_or_add(start.spot) = std::move(start);
}

bool UnevenPaths::cross_fanouts(int memory, PerDim& extents) const {
  for (int f = sub_.fanouts_outside(memory); f-- > sub_.fanouts_outside(memory - 1);) {
    for (int d = 0; d < solver_.dim_count; ++d) {
      const std::int64_t left = ceil_div(solver_.size(d), extents[at(d)]);
      if (!may_unroll(solver_, sub_.spatial(), f, d, left, left)) return false;
      extents[at(d)] *= sub_.spatial().unrolled(f, d);
    }
  }
  return true;
}

void UnevenPaths::enter(int memory) {
  keepers_ = {};
  keepers_.kept = sub_.placement().kept[at(memory)];
  keepers_.homes = keepers_.kept;
  for (const Link& link : sub_.placement().links) {
    if (link.child == memory) keepers_.homes &= ~(1U << link.tensor);
  }
  // What a home without windows holds does not depend on the loops: all that its branch of
  // the fan-outs ever meets. With remainders some branch meets no less.
  for (const int t : members(solver_.boxes ? 0U : keepers_.homes)) {
    if (!solver_.tensor(t).windows.empty()) continue;
    std::int64_t words = 1;
    for (const int d : members(solver_.tensor(t).relevant)) {
      words = times(words, ceil_div(solver_.size(d), sub_.unrolled_outside(memory, d)));
    }
    keepers_.at_home[at(t)] = words;
  }
  nesting_.reset();
  if (is_constrained(solver_, memory) && memory != options_.innermost) {
    nesting_.emplace(*solver_.restrictions, MemoryId{memory}, solver_.originals);
  }
  prices_.assign(sub_.placement().links.size(), {});
  buckets_.clear();
  std::deque<State> entries = std::move(entries_.states);
  entries_ = {};
  for (State& entry : entries) {
    const State& kept = keep(entry);
    step_to(kept, kept.spot, {}, {});
  }
}

std::int64_t UnevenPaths::room_for(int tensor, const PerDim& extents) const {
  const Room& room = solver_.memory(memory_).room;
  const bool own = room.partitions[at(tensor)].has_value();
  const Capacity& capacity = own ? *room.partitions[at(tensor)] : room.capacity;
  if (capacity.unit == Capacity::Unit::Unlimited) return 0;
  const std::int64_t words =
      std::max(words_of_tile(solver_, tensor, extents), keepers_.at_home[at(tensor)]);
  const bool bits = capacity.unit == Capacity::Unit::Bits;
  const std::int64_t amount = times(words, bits ? room.element_bits[at(tensor)] : 1);
  if (!own) return amount;
  return amount > capacity.amount ? kCountLimit : 0;
}

// --- links --------------------------------------------------------------------

// A tensor that has its point in this memory has the link into it open, too.
void UnevenPaths::list_links(int tensor, const Key& key) {
  const int outside = contains(key.placed, tensor) ? memory_ - 1 : memory_;
  list_open(sub_, outside, 1U << tensor, key.pending, links_);
}

// Without windows it does not matter which loop moves the tensor.
Units UnevenPaths::price(int link, const Spot& spot, const Mover& mover) {
  const Link& one = sub_.placement().links[at(link)];
  const auto exactly = [&] {
    return sub_.energy(one, sub_.counts(one, memory_, spot.extents, mover));
  };
  if (!solver_.tensor(one.tensor).windows.empty()) return exactly();
  Prices& prices = prices_[at(link)];
  const auto next = static_cast<std::uint32_t>(prices.known.size());
  const std::size_t hash = Key{spot.key.place, 0, 0, 0, 0}.hash();
  const std::uint32_t number = prices.numbers.find_or_add(
      hash, next, [&](std::uint32_t i) { return prices.known[i].first == spot.key.place; });
  if (number == next) prices.known.emplace_back(spot.key.place, exactly());
  return prices.known[number].second;
}

void UnevenPaths::pay(int tensor, const Spot& spot, const Key& key, const Mover& mover,
                      Toll& toll) {
  list_links(tensor, key);
  for (const int link : links_) {
    toll.energy = sum(toll.energy, price(link, spot, mover));
    toll.once = sum(toll.once, least_[at(link)]);
    if (!counts_loads_) continue;
    sub_.add_load(sub_.placement().links[at(link)], memory_, spot.extents, mover, toll.loads);
  }
}

// The next loop moves all open tensors that carry its dimension, and nothing between can
// change what their links cost then. (Windows are left out: what is unrolled on the way may
// change theirs.) All else is loaded once at least.
void UnevenPaths::set_rest(State& state) {
  const Key& key = state.spot.key;
  const std::vector<Link>& links = sub_.placement().links;
  state.once = 0;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const bool placed = contains(key.placed, links[i].tensor);
    if (links[i].child > memory_ || (links[i].child == memory_ && placed)) continue;
    state.once = sum(state.once, least_[i]);
  }
  std::array<Units, kMaxTensors> extra{};  // what an open tensor costs more if it is moved now
  const std::uint32_t open = open_tensors(key.pending);
  for (const int t : members(open)) {
    list_links(t, key);
    for (const int link : links_) {
      state.once = sum(state.once, least_[at(link)]);
      if (!solver_.tensor(t).windows.empty()) continue;
      extra[at(t)] =
          sum(extra[at(t)], std::max<Units>(0, price(link, state.spot, {}) - least_[at(link)]));
    }
  }
  Units least_moved = kNever;
  for (int d = 0; d < solver_.dim_count; ++d) {
    if (state.spot.extents[at(d)] >= solver_.size(d)) continue;
    Units moved = 0;
    for (const int t : members(moved_by(solver_, open, d))) moved = sum(moved, extra[at(t)]);
    least_moved = std::min(least_moved, moved);
  }
  state.rest = sum(state.once, more_filling(key));
  if (least_moved < kNever) state.rest = sum(state.rest, least_moved);
}

// As long as no link into the memories whose least filling is known is paid for.
Units UnevenPaths::more_filling(const Key& key) const {
  const bool unpaid = memory_ > options_.filled || (memory_ == options_.filled && key.placed == 0);
  return unpaid ? more_filling_ : 0;
}

// --- steps --------------------------------------------------------------------

void UnevenPaths::follow(const State& state) {
  if (++followed_ % 64 == 0) deadline_.check();
  if (state.labels.empty()) return;
  for (int d = 0; d < solver_.dim_count; ++d) {
    if (nesting_) {
      loop_by_rules(state, d);
    } else {
      loop(state, d);
    }
  }
  if (!may_have_point(state.spot.key)) return;
  if (contains(solver_.uneven, memory_) && __builtin_popcount(unplaced(state)) > 1) {
    for (const int t : members(unplaced(state) & ~keepers_.homes)) place(state, t);
  }
  if (state.spot.key.must_move != 0) return;
  if (memory_ == 0) {
    finish(state);
  } else {
    end_memory(state);
  }
}

// Constraints on loops hold between any two points of a memory, inside the first and so on.
bool UnevenPaths::may_have_point(const Key& key) const {
  const bool beside_another = key.placed != 0 && key.looped == 0;
  return beside_another || may_be_idle(~key.looped);
}

// The tensor's tile is what is inside; further loops of this memory follow. If the next one
// left the tile as it is, the point could as well stand outside that loop. So the next loop
// moves it. Which one it is counts for a window alone; the others are paid for at once. Where
// constraints tell loops apart, the point may have to stand where it is, and its links stay open.
void UnevenPaths::place(const State& state, int tensor) {
  Toll toll;
  toll.words = room_for(tensor, state.spot.extents);
  if (toll.words >= kCountLimit) return;
  Spot spot = state.spot;
  spot.key.placed |= 1U << tensor;
  spot.key.pending += one_open(tensor);
  spot.key.looped = 0;
  if (nesting_) {
    // The next loop that moves it decides.
  } else if (solver_.tensor(tensor).windows.empty()) {
    pay(tensor, spot, spot.key, {}, toll);
    spot.key.pending -= links_of(spot.key.pending, 1U << tensor);
  } else {
    spot.key.must_move |= 1U << tensor;
  }
  step_to(state, spot, toll, {0, Kind::Place, static_cast<std::uint8_t>(tensor), 1});
}

void UnevenPaths::loop(const State& state, int dim) {
  const std::int64_t extent = state.spot.extents[at(dim)];
  if (extent >= solver_.size(dim)) return;
  const bool any_dim = memory_ == options_.innermost;
  if (!any_dim && solver_.limits(solver_.memory(memory_).slot, dim).most == 1) return;
  const std::uint32_t must = state.spot.key.must_move;
  if (moved_by(solver_, must, dim) != must) return;
  const std::uint32_t moved = moved_by(solver_, open_tensors(state.spot.key.pending), dim);
  // A loop that moves no window is the same as loops of its prime factors, one in another. Where
  // all mappings are gone through, each has one loop.
  const std::vector<std::int64_t>& bounds = options_.keep_graph || moves_window(solver_, moved, dim)
                                                ? extents_.bounds_outside(dim, extent)
                                                : extents_.steps_outside(dim, extent);
  for (const std::int64_t bound : bounds) loop(state, dim, bound, moved);
}

// Where there are such constraints, a dimension has one loop between two points. Loops that must
// stand inside another one have bound 1 if they do not.
void UnevenPaths::loop_by_rules(const State& state, int dim) {
  const std::uint32_t looped = state.spot.key.looped;
  if (contains(looped, dim) || !may_be_idle(nesting_->inside(dim) & ~looped)) return;
  const BoundLimits& limits = solver_.limits(solver_.memory(memory_).slot, dim);
  const std::uint32_t moved = moved_by(solver_, open_tensors(state.spot.key.pending), dim);
  const std::int64_t least = std::max<std::int64_t>(limits.least, 2);
  for (const std::int64_t bound : extents_.bounds_from(least, dim, state.spot.extents[at(dim)])) {
    if (bound <= limits.most) loop(state, dim, bound, moved);
  }
}

bool UnevenPaths::may_be_idle(std::uint32_t dims) const {
  if (!nesting_) return true;
  const std::uint32_t all = (1U << solver_.dim_count) - 1U;
  for (const int d : members(dims & all)) {
    if (solver_.limits(solver_.memory(memory_).slot, d).least > 1) return false;
  }
  return true;
}

void UnevenPaths::loop(const State& state, int dim, std::int64_t bound, std::uint32_t moved) {
  Toll toll;
  Spot spot = state.spot;
  for (const int t : members(moved)) pay(t, spot, spot.key, {dim, bound}, toll);
  std::int64_t& extent = spot.extents[at(dim)];
  spot.key.place = extents_.moved(spot.key.place, dim, extent, extent * bound);
  spot.key.pending &= ~links_of(spot.key.pending, moved);
  spot.key.must_move = 0;
  if (nesting_) spot.key.looped |= 1U << dim | nesting_->inside(dim);
  spot.rank += extents_.rank(dim, extent * bound) - extents_.rank(dim, extent);
  extent *= bound;
  step_to(state, spot, toll, {0, Kind::Loop, static_cast<std::uint8_t>(dim), bound});
}

// The tensors that have no point yet have it here, and their links open.
void UnevenPaths::end_memory(const State& state) {
  Spot spot = state.spot;
  if (!cross_fanouts(memory_, spot.extents)) return;
  spot.key = {extents_.place_of(spot.extents), state.spot.key.pending, 0, 0, 0};
  spot.rank = extents_.rank(spot.extents);
  for (const int t : members(unplaced(state) & ~keepers_.homes)) spot.key.pending += one_open(t);
  const Units crossing =
      sub_.crossing_dims(memory_) == 0 ? 0 : sub_.crossing_energy(memory_, state.spot.extents);
  State& entry = entries_.find_or_add(spot);
  entry.once = state.once;
  entry.memory = memory_;
  Toll toll;
  toll.energy = crossing;
  toll.words = unplaced_room(state.spot);
  add_arc(entry, toll, {0, Kind::EndOfMemory, 0, 1});
  std::vector<Label>& labels = entry.labels;
  const bool goes_on = solver_.shares_outside(memory_);  // and the room that is taken counts there
  for (const Label& label : state.labels) {
    const std::int64_t words = goes_on ? label.words + toll.words : 0;
    const Label next{words, sum(label.energy, crossing), 0, label.loads};
    if (add(labels, next)) labels.back().last = record({label.last, Kind::EndOfMemory, 0, 1});
  }
}

// Links that are still open are loaded once.
void UnevenPaths::finish(const State& state) {
  for (int d = 0; d < solver_.dim_count; ++d) {
    if (state.spot.extents[at(d)] < solver_.size(d)) return;
  }
  Toll toll;
  toll.words = unplaced_room(state.spot);
  for (const int t : members(open_tensors(state.spot.key.pending))) {
    pay(t, state.spot, state.spot.key, {}, toll);
  }
  if (options_.keep_graph) last_arcs_.push_back(arc_of(toll, {0, Kind::EndOfMemory, 0, 1}));
  for (const Label& label : state.labels) {
    End end{sum(label.energy, toll.energy), loads_[label.loads], label.last};
    add_to(end.loads, toll.loads);
    ends_.push_back(end);
  }
}

}  // namespace tilewright::optimal
