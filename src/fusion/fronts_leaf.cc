#include "fusion/fronts_leaf.h"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace tilewright::fusion {

namespace {

bool has_no_more_words(const OpenTime& a, const OpenTime& b) {
  return a.words[0] <= b.words[0] && a.words[1] <= b.words[1];
}

double elements(const FlatProblem& flat, int tensor) {
  return static_cast<double>(flat.tensor[at(tensor)].words(flat.size));
}

}  // namespace

LeafNests::LeafNests(const NestTable& table, std::uint32_t shared)
    : table_(table), lattice_(table.stack().sizes(), shared) {
  const NestStack& stack = table.stack();
  const FlatProblem& flat = stack.flat();
  must_stream_ = ((1U << flat.tensors) - 1) & ~stack.kept(stack.shared());
  macs_ = static_cast<double>(flat.macs);
  outputs_ = elements(flat, stack.output());
  for (int d = 0; d < flat.dims; ++d) {
    std::uint32_t still = 0;
    for (int t = 0; t < flat.tensors; ++t) {
      if (contains(stack.irrelevant(t), d)) still |= 1U << t;
    }
    still_by_dim_.push_back(still);
  }
  const int output = stack.output();
  const int keeper = contains(must_stream_, output) ? 0 : stack.shared();
  first_pj_ = outputs_ * (stack.prices(keeper, flat.memories, output).outside_pj -
                          flat.prices[at(keeper)].update_pj[at(output)]);
}

double LeafNests::inside_pj(const Run& run, const OpenRuns& runs, double pj) const {
  if (pj == std::numeric_limits<double>::infinity()) return pj;
  // Runs that are open inside the shared memory go on here, if this run is for their tensors.
  for (const int t : members(runs.open)) {
    pj += runs.word_pj[at(t)] * table_.per_word(t, run.ended[at(t)]);
  }
  return pj * macs_ - outputs_ * runs.first_pj - first_pj_;
}

std::optional<double> LeafNests::least_inside_pj() const {
  const NestStack& stack = table_.stack();
  for (int d = 0; d < stack.flat().dims; ++d) {
    if (!contains(stack.loop_dims(stack.shared()), d)) return std::nullopt;
  }
  Run whole;
  whole.tile = table_.lattice().last();
  whole.ended.fill(whole.tile);
  double least = std::numeric_limits<double>::infinity();
  for (const NestTable::Row& row : table_.rows()) {
    least = std::min(least, inside_pj(whole, row.runs, row.pj[whole.tile]));
  }
  return least;
}

LeafNests::StreamPrice LeafNests::stream_price(int tensor) const {
  const NestStack& stack = table_.stack();
  const LinkPrices prices = stack.prices(0, stack.shared(), tensor);
  StreamPrice price{prices.outside_pj + prices.inside_pj, 0};
  if (tensor != stack.output()) return price;
  const double update = stack.flat().prices[0].update_pj[at(tensor)];
  price.saved_pj = outputs_ * (prices.outside_pj - update + prices.inside_pj);
  return price;
}

std::vector<std::size_t> LeafNests::shared_extents() const {
  std::vector<std::size_t> numbers;
  numbers.reserve(table_.lattice().size());
  for (std::size_t i = 0; i < table_.lattice().size(); ++i) {
    numbers.push_back(lattice_.index_of(table_.lattice().extents(i)));
  }
  return numbers;
}

// Streamed tensors have their points inside, residents outside all loops of the shared memory.
template <class Point>
class LeafFronts<Point>::SharedPoints : public PointRules {
 public:
  explicit SharedPoints(const LeafFronts& fronts) : fronts_(fronts) {}

  std::uint32_t tensors() const override { return stack().kept(stack().shared()); }
  std::uint32_t loop_dims() const override { return stack().loop_dims(stack().shared()); }
  bool place(PointPath& path, int tensor, std::size_t tile) const override {
    path.pj += fronts_.prices_[at(tensor)].word_pj * fronts_.table_.per_word(tensor, tile);
    path.room += fronts_.tile_room_[at(tensor)];
    if (fronts_.times_ != nullptr) {
      fronts_.times_->stream(path.time, tensor,
                             fronts_.macs_ * fronts_.table_.per_word(tensor, tile));
    }
    return path.room <= stack().capacity();
  }
  bool is_of_use(const PointPath& path, const OpenRuns& runs, std::size_t /*tile*/) const override {
    return fronts_.interest_ == nullptr || fronts_.pays(path, runs);
  }

 private:
  const NestStack& stack() const { return fronts_.table_.stack(); }

  const LeafFronts& fronts_;
};

// With what is open ended as late as can be, and everything else streamed once.
template <class Point>
bool LeafFronts<Point>::pays(const PointPath& path, const OpenRuns& runs) const {
  Run whole;
  whole.ended.fill(table_.lattice().last());
  const double inside = inside_pj(whole, runs, path.pj);
  return std::any_of(sets_.begin(), sets_.end(), [&](const Streamed& set) {
    if ((path.placed & ~set.tensors) != 0) return false;
    Point point;
    point.pj = inside;
    if constexpr (kTimed) point.time.cycles = times_->least_cycles(runs.parallel);
    for (const int t : members(set.tensors & ~must_stream_)) {
      const StreamPrice& price = prices_[at(t)];
      point.pj -= price.saved_pj;
      if (!contains(path.placed, t)) {
        point.pj += macs_ * table_.per_word(t, whole.ended[at(t)]) * price.word_pj;
      }
    }
    return interest_->pays(point, set.tensors);
  });
}

template <class Point>
LeafFronts<Point>::LeafFronts(const NestTable& table, std::uint32_t shared, const LeafTimes* times,
                              const LeafInterest<Point>* interest)
    : LeafNests(table, shared),
      times_(times),
      interest_(interest),
      shared_extents_(shared_extents()) {
  for (int t = 0; t < table.stack().flat().tensors; ++t) prices_.push_back(stream_price(t));
  choose_sets();
  for (std::size_t r = 0; r < table.rows().size(); ++r) {
    const double parallel = table.rows()[r].runs.parallel;
    if (interest == nullptr || interest->works(parallel)) all_rows_.push_back(r);
    row_cycles_.push_back(times == nullptr ? 0 : times->least_cycles(parallel));
  }
  if (table.evenness() == Evenness::Uneven) {
    rules_ = std::make_unique<SharedPoints>(*this);
    points_ = std::make_unique<PointPaths>(table.prices(), *rules_);
  }
  for (std::size_t tile = 0; tile < table.lattice().size(); ++tile) try_tile(tile);
  if (points_) point_steps_ = points_->take_steps();
  points_.reset();
  sweep();
}

template <class Point>
LeafFronts<Point>::~LeafFronts() = default;

template <class Point>
void LeafFronts<Point>::choose_sets() {
  fronts_.resize(std::size_t{1} << table_.stack().flat().tensors);
  for (std::uint32_t streamed = 0; streamed < fronts_.size(); ++streamed) {
    if ((must_stream_ & ~streamed) != 0) continue;
    fronts_[streamed].resize(lattice_.size());
    if (interest_ == nullptr || interest_->streams(streamed)) sets_.push_back({streamed, 0, {}});
  }
}

// Leaves out nests that another one beats even if its own runs end here and those of the nest
// never do.
template <class Point>
void LeafFronts<Point>::choose(NestInTile nest, std::size_t tile) {
  const auto beats = [&](const NestInTile& a, const NestInTile& b) {
    return a.placed == b.placed && a.room <= b.room && a.most_pj <= b.least_pj &&
           a.runs->parallel >= b.runs->parallel && has_no_more_words(a.time, b.time);
  };
  double open = 0;
  for (const int t : members(nest.runs->open)) {
    open += nest.runs->word_pj[at(t)] * table_.per_word(t, tile);
  }
  nest.least_pj = nest.pj * macs_ - outputs_ * nest.runs->first_pj;
  nest.most_pj = nest.least_pj + open * macs_;
  if (std::any_of(in_tile_.begin(), in_tile_.end(),
                  [&](const NestInTile& other) { return beats(other, nest); })) {
    return;
  }
  std::erase_if(in_tile_, [&](const NestInTile& other) { return beats(nest, other); });
  in_tile_.push_back(nest);
}

template <class Point>
void LeafFronts<Point>::choose_nests(std::size_t tile) {
  in_tile_.clear();
  for (const std::size_t r : all_rows_) {
    const NestTable::Row& row = table_.rows()[r];
    if (row.pj[tile] == std::numeric_limits<double>::infinity()) continue;
    choose({&row.runs, row.pj[tile], 0, 0, {row_cycles_[r], {}}, r}, tile);
  }
  if (!points_) return;
  for (const NestInTile& nest : in_tile_) points_->add(*nest.runs, nest.pj, nest.row, tile);
  points_->go_on(tile);
  for (const PointPath& path : points_->paths(tile)) {
    const OpenRuns& runs = points_->runs(path);
    OpenTime time = path.time;
    if (times_ != nullptr) time.cycles = times_->least_cycles(runs.parallel);
    choose({&runs, path.pj, path.placed, path.room, time, path.step}, tile);
  }
}

template <class Point>
void LeafFronts<Point>::try_tile(std::size_t tile) {
  const NestStack& stack = table_.stack();
  const PerDim extents = table_.lattice().extents(tile);
  for (int t = 0; t < stack.flat().tensors; ++t) {
    tile_room_[at(t)] = stack.flat().tensor[at(t)].words(extents) * stack.element_room(t);
  }
  bool fits = false;
  for (Streamed& set : sets_) {
    set.room = 0;
    for (const int t : members(set.tensors & ~must_stream_)) set.room += tile_room_[at(t)];
    fits = fits || set.room <= stack.capacity();
  }
  if (!fits && !points_) return;
  choose_nests(tile);
  if (in_tile_.empty()) return;
  Run run;
  run.tile = run.extents = tile;
  run.ended.fill(tile);
  try_run(run);
  std::vector<std::uint32_t> tried;
  for (const std::uint32_t still : still_by_dim_) {
    if (still == 0 || contains(tried, still)) continue;
    tried.push_back(still);
    run.still = still;
    go_on(run);
  }
}

// Makes the run longer by loops that move none of its tensors, in one dimension after the other.
template <class Point>
void LeafFronts<Point>::go_on(const Run& run) {
  std::vector<std::size_t> longer;
  const std::uint32_t used = [&] {
    std::uint32_t dims = 0;
    for (std::uint64_t rest = run.dims; rest != 0; rest >>= 5U) dims |= 1U << ((rest & 31U) - 1U);
    return dims;
  }();
  for (int d = 0; d < table_.stack().flat().dims; ++d) {
    const std::uint32_t still = run.still & still_by_dim_[at(d)];
    if (still == 0 || contains(used, d)) continue;
    // Runs of the same tensors have their dimensions in rising order.
    const bool shrinks = still != run.still;
    if (!shrinks && run.dims != 0 && static_cast<int>((run.dims & 31U) - 1U) > d &&
        still_by_dim_[(run.dims & 31U) - 1U] == still_by_dim_[at(d)]) {
      continue;
    }
    table_.lattice().multiples_along(run.extents, d, longer);
    for (const std::size_t to : longer) {
      Run next = run;
      next.still = still;
      next.extents = to;
      next.dims = (run.dims << 5U) | static_cast<std::uint64_t>(d + 1);
      for (const int t : members(still)) next.ended[at(t)] = to;
      try_run(next);
      go_on(next);
    }
  }
}

// The nests inside that count are those that no other beats in energy and multipliers at work.
template <class Point>
void LeafFronts<Point>::try_run(const Run& run) {
  std::vector<Inside>& best = inside_;
  best.clear();
  const auto beats = [&](const Inside& a, const Inside& b) {
    const NestInTile &nest = in_tile_[a.nest], &other = in_tile_[b.nest];
    return a.pj <= b.pj && nest.placed == other.placed && nest.room <= other.room &&
           nest.runs->parallel >= other.runs->parallel && has_no_more_words(nest.time, other.time);
  };
  for (std::size_t n = 0; n < in_tile_.size(); ++n) {
    const Inside one{inside_pj(run, *in_tile_[n].runs, in_tile_[n].pj), n};
    if (std::any_of(best.begin(), best.end(), [&](const Inside& b) { return beats(b, one); })) {
      continue;
    }
    std::erase_if(best, [&](const Inside& b) { return beats(one, b); });
    best.push_back(one);
  }
  stream(run);
  for (const Inside& inside : best) add_streamed(run, inside);
}

// What streaming takes does not depend on the nest inside.
template <class Point>
void LeafFronts<Point>::stream(const Run& run) {
  std::array<double, kMaxTensors>& words = streamed_words_;
  for (int t = 0; t < table_.stack().flat().tensors; ++t) {
    if (contains(must_stream_, t)) continue;
    const StreamPrice& price = prices_[at(t)];
    words[at(t)] = macs_ * table_.per_word(t, run.ended[at(t)]);
    added_[at(t)] = words[at(t)] * price.word_pj - price.saved_pj;
  }
  if constexpr (kTimed) {
    for (Streamed& set : sets_) {
      set.time = {};
      for (const int t : members(set.tensors)) times_->stream(set.time, t, words[at(t)]);
    }
  }
}

template <class Point>
OpenTime LeafFronts<Point>::time_of(const NestInTile& nest, const Streamed& set) const {
  OpenTime time = nest.time;
  if (nest.placed == 0) {
    time.words = set.time.words;
    return time;
  }
  for (const int t : members(set.tensors & ~nest.placed)) {
    times_->stream(time, t, streamed_words_[at(t)]);
  }
  return time;
}

template <class Point>
void LeafFronts<Point>::add_streamed(const Run& run, const Inside& inside) {
  const NestInTile& nest = in_tile_[inside.nest];
  const std::int64_t capacity = table_.stack().capacity();
  bool noted = false;
  for (const Streamed& set : sets_) {
    if ((nest.placed & ~set.tensors) != 0) continue;
    Point point;
    point.room = set.room + nest.room;
    for (const int t : members(nest.placed)) point.room -= tile_room_[at(t)];
    if (point.room > capacity) continue;
    point.pj = inside.pj;
    for (const int t : members(set.tensors)) {
      point.pj += contains(nest.placed, t) ? -prices_[at(t)].saved_pj : added_[at(t)];
    }
    if constexpr (kTimed) point.time = time_of(nest, set);
    if (interest_ != nullptr && !interest_->pays(point, set.tensors)) continue;
    FrontOf<Point>& front = fronts_[set.tensors][shared_extents_[run.extents]];
    if (!front.wants(point)) continue;
    if (!noted) {
      nests_.push_back({static_cast<std::uint32_t>(nest.row), static_cast<std::uint32_t>(run.tile),
                        nest.placed != 0, run.dims});
      noted = true;
    }
    point.origin = static_cast<std::uint32_t>(nests_.size()) - 1;
    front.add(point);
  }
}

// Loops around a nest whose runs have ended change nothing, so it serves all multiples.
template <class Point>
void LeafFronts<Point>::sweep() {
  std::vector<ExtentLattice::Step> steps;
  for (std::size_t i = 0; i < lattice_.size(); ++i) {
    lattice_.steps_from(i, steps);
    for (auto& fronts : fronts_) {
      if (fronts.empty()) continue;
      for (const ExtentLattice::Step& step : steps) fronts[step.to].merge(fronts[i]);
    }
  }
}

PrivateNest LeafNests::nest(std::uint32_t origin, const PerDim& extents,
                            const Problem& problem) const {
  const Nest& nest = nests_[origin];
  const NestStack& stack = table_.stack();
  const PerDim tile = table_.lattice().extents(nest.tile);
  std::vector<int> run;
  for (std::uint64_t rest = nest.run; rest != 0; rest >>= 5U) {
    run.push_back(static_cast<int>(rest & 31U) - 1);
  }
  NestOutline outline(stack);
  for (int d = 0; d < stack.flat().dims; ++d) {
    if (!contains(run, d)) outline.add_loop(0, d, extents[at(d)] / tile[at(d)]);
  }
  for (const int d : run) outline.add_loop(0, d, extents[at(d)] / tile[at(d)]);
  NestTable::Place place{nest.row, nest.tile};
  if (nest.has_points) {
    place = table_.write_path(point_steps_, nest.row, nest.tile, stack.shared(), outline);
  }
  table_.write_nest(place.row, place.tile, outline);
  return outline.write(problem);
}

template class LeafFronts<FrontPoint>;
template class LeafFronts<TimedNest>;

}  // namespace tilewright::fusion
