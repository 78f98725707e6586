#include "fusion/search_tree.h"

#include <algorithm>
#include <bit>

namespace tilewright::fusion {

namespace {

int bit_of(const RunFacts& run, TensorRef ref) {
  const auto found = std::find(run.tensors.begin(), run.tensors.end(), ref);
  return static_cast<int>(found - run.tensors.begin());
}

// The number of an einsum among those that have tensors without a place.
int entry_of(const RunFacts& run, std::uint32_t unplaced, int einsum) {
  int entry = 0;
  for (int e = run.first; e < einsum; ++e) entry += (unplaced & run.bits_of(e)) != 0 ? 1 : 0;
  return entry;
}

TreeStep step_of(TreeStep::Kind kind, const RunFacts& run, std::uint32_t from) {
  TreeStep step;
  step.kind = kind;
  step.from = from;
  step.first = run.first;
  step.last = run.last;
  return step;
}

}  // namespace

template <class Point>
TreeSearch<Point>::TreeSearch(const CascadeFacts& facts,
                              std::shared_ptr<const LeafSet<Point>> leaves, TreeSettings settings)
    : facts_(facts),
      leaves_(std::move(leaves)),
      settings_(settings),
      bounds_(facts, settings.times, settings.goal, leaves_->floors, settings.to_beat,
              /*alone=*/false, settings.others) {}

template <class Point>
bool TreeSearch<Point>::search() {
  try {
    search_all();
  } catch (const Expired&) {
    return false;
  }
  return true;
}

template <class Point>
void TreeSearch<Point>::search_all() {
  search_leaves();
  for (int e = 0; facts_.einsums() > 1 && e < facts_.einsums(); ++e) make_leaf(e);
  for (int length = 2; length <= facts_.einsums(); ++length) {
    for (int first = 0; first + length <= facts_.einsums(); ++first) {
      if (!facts_.has_run(first, first + length - 1)) continue;
      const RunFacts& run = facts_.run(first, first + length - 1);
      make_run(run);
      if (!facts_.splits_readers(run.first, run.last)) make_group(run);
    }
  }
}

template <class Point>
const std::vector<Point>& TreeSearch<Point>::group(int first, int last) const {
  static const std::vector<Point> kNoPoints;
  const auto found = groups_.find({first, last});
  return found == groups_.end() ? kNoPoints : found->second.points();
}

template <class Point>
void TreeSearch<Point>::take(Front& front, Point point, const Total& rest, const TreeStep& step) {
  if (point.room > facts_.capacity() || !front.wants(point)) return;
  if (!bounds_.pays(total_of(point) + rest)) return;
  if (settings_.hurried && !is_among_the_few(front, point, rest)) return;
  steps_.push_back(step);
  point.origin = static_cast<std::uint32_t>(steps_.size() - 1);
  front.add(point);
}

// If points need about the same room, one is kept, and those that promise more.
template <class Point>
bool TreeSearch<Point>::is_among_the_few(const Front& front, const Point& point,
                                         const Total& rest) const {
  const auto about = [](std::int64_t room) {
    return std::bit_width(static_cast<std::uint64_t>(room));
  };
  const double value = bounds_.value(total_of(point) + rest);
  return std::none_of(front.points().begin(), front.points().end(), [&](const Point& other) {
    return about(other.room) == about(point.room) && bounds_.value(total_of(other) + rest) <= value;
  });
}

template <class Point>
TreeStep TreeSearch<Point>::leaf_step(int einsum, std::size_t extents, std::uint32_t streamed,
                                      const FrontPoint& nest) {
  TreeStep step;
  step.first = step.last = einsum;
  step.extents = static_cast<std::uint32_t>(extents);
  step.tensors = streamed;
  step.nest = nest.origin;
  return step;
}

// Each resident is local, or has its place further out.
template <class Point>
void TreeSearch<Point>::add_residents(int einsum, std::size_t extents, std::uint32_t streamed,
                                      Fronts& fronts) {
  const RunFacts& run = facts_.run(einsum, einsum);
  const std::uint32_t resident = all_tensors(einsum) & ~streamed;
  for (std::uint32_t local = resident;; local = (local - 1) & resident) {
    std::uint32_t unplaced = 0;
    std::int64_t room = 0;
    double pj = facts_.fixed_pj(einsum);
    for (const int t : members(resident)) {
      const TensorRef ref{einsum, t};
      if (!contains(local, t)) {
        unplaced |= 1U << bit_of(run, ref);
        continue;
      }
      const TensorFacts& of = facts_.tensor(ref);
      room += facts_.tile_words(run, extents, of.dims) * of.room_per_word;
      pj += facts_.load_pj(run, extents, ref);
    }
    const Total rest = bounds_.rest(run, einsum, unplaced);
    for (const auto& nest : leaf(einsum).front(streamed, extents).points()) {
      Point point = to_point(nest);
      point.room += room;
      point.pj += pj;
      for (const int t : members(local)) {
        settings_.times.load(point, 0, facts_.load_words(run, extents, {einsum, t}));
      }
      if (unplaced == 0) {
        settings_.times.close(point, 0);
      } else {
        settings_.times.tighten(point, run, extents, unplaced);
      }
      take(fronts[unplaced], point, rest, leaf_step(einsum, extents, streamed, nest));
    }
    if (local == 0) break;
  }
}

template <class Point>
std::uint32_t TreeSearch<Point>::all_tensors(int einsum) const {
  return (1U << facts_.stack(einsum).flat().tensors) - 1;
}

template <class Point>
void TreeSearch<Point>::search_leaves() {
  for (int e = 0; e < facts_.einsums(); ++e) make_alone(e);
}

// A group of its own: everything is streamed.
template <class Point>
void TreeSearch<Point>::make_alone(int einsum) {
  const std::uint32_t all = all_tensors(einsum);
  const std::size_t whole = leaf(einsum).lattice().last();
  Front& alone = groups_[{einsum, einsum}];
  for (const auto& nest : leaf(einsum).front(all, whole).points()) {
    Point point = to_point(nest);
    point.pj += facts_.fixed_pj(einsum);
    settings_.times.close(point, 0);
    if (!alone.wants(point)) continue;
    steps_.push_back(leaf_step(einsum, whole, all, nest));
    point.origin = static_cast<std::uint32_t>(steps_.size() - 1);
    alone.add(point);
  }
}

template <class Point>
void TreeSearch<Point>::make_leaf(int einsum) {
  settings_.deadline.check();
  const RunFacts& run = facts_.run(einsum, einsum);
  const std::uint32_t all = all_tensors(einsum), must_stream = leaf(einsum).must_stream();
  RunTable table;
  table.at.resize(run.lattice.size());
  for (std::size_t i = 0; i < run.lattice.size(); ++i) {
    table.at[i].resize(std::size_t{1} << run.tensors.size());
    for (std::uint32_t streamed = must_stream; streamed <= all; ++streamed) {
      if ((must_stream & ~streamed) == 0) add_residents(einsum, i, streamed, table.at[i]);
    }
  }
  runs_[{einsum, einsum}] = std::move(table);
}

// Tensors that a loop over the dimension moves may have their place just inside it; with no
// loop around, all may.
template <class Point>
typename TreeSearch<Point>::Fronts TreeSearch<Point>::with_places(const RunFacts& run,
                                                                  std::size_t extents, int dim,
                                                                  const Fronts& fronts) {
  Fronts placed = fronts;
  for (std::size_t b = 0; b < run.tensors.size(); ++b) {
    const TensorRef ref = run.tensors[b];
    const TensorFacts& of = facts_.tensor(ref);
    if (dim >= 0 && !contains(of.dims, dim)) continue;
    const std::int64_t room = facts_.tile_words(run, extents, of.dims) * of.room_per_word;
    const double pj = facts_.load_pj(run, extents, ref);
    const Words words = facts_.load_words(run, extents, ref);
    const std::uint32_t bit = 1U << b;
    for (std::uint32_t set = 0; set < placed.size(); ++set) {
      if ((set & bit) == 0 || placed[set].points().empty()) continue;
      const std::uint32_t left = set & ~bit;
      const int entry = entry_of(run, set, ref.einsum);
      const Total rest = bounds_.rest(run, run.last, left);
      for (Point point : placed[set].points()) {
        TreeStep step = step_of(TreeStep::Kind::Place, run, point.origin);
        step.tensors = bit;
        point.room += room;
        point.pj += pj;
        settings_.times.load(point, entry, words);
        if ((left & run.bits_of(ref.einsum)) == 0) settings_.times.close(point, entry);
        settings_.times.tighten(point, run, extents, left);
        take(placed[left], point, rest, step);
      }
    }
  }
  return placed;
}

// Intermediates of the run that are there while the child runs.
template <class Point>
std::int64_t TreeSearch<Point>::live_beside(const RunFacts& run, std::size_t extents,
                                            const RunFacts& child) const {
  std::int64_t live = 0;
  for (const Shared& one : facts_.shared()) {
    if (!CascadeFacts::is_inside(one, run.first, run.last) ||
        CascadeFacts::is_inside(one, child.first, child.last)) {
      continue;
    }
    if (one.writer.einsum > child.last || one.last() < child.first) continue;
    live += facts_.tile_words(run, extents, one.dims) * facts_.tensor(one.writer).room_per_word;
  }
  return live;
}

// What the child's einsums hand on, or get, needs no words from outside, but for what also leaves;
// their time is known if nothing else of theirs is open.
template <class Point>
void TreeSearch<Point>::hand_on(const RunFacts& run, std::size_t extents, const RunFacts& child,
                                std::uint32_t set, std::uint32_t kept, Point& point) const {
  int entry = 0;
  for (int e = child.first; e <= child.last; ++e) {
    if ((set & child.bits_of(e)) == 0) continue;
    for (const Shared& one : facts_.shared()) {
      if (one.writer.einsum != e) continue;
      if (!contains(set & ~kept, bit_of(child, one.writer))) continue;
      if (one.leaves) {
        point.pj += facts_.least_load_pj(one.writer);
        settings_.times.load(point, entry, facts_.least_words(one.writer));
      }
      if (one.reduces < 0) continue;
      const std::int64_t steps =
          facts_.dim_size(one.reduces) / facts_.extent(run, extents, one.reduces);
      settings_.times.hand_on(point, entry, one, static_cast<double>(steps));
    }
    if ((kept & child.bits_of(e)) == 0) {
      settings_.times.close(point, entry);
    } else {
      ++entry;
    }
  }
}

// Fronts of a child by the tensors that stay without a place in the run around it. What
// writers and readers in the run hand on must have none inside the child.
template <class Point>
typename TreeSearch<Point>::Fronts TreeSearch<Point>::child_fronts(const RunFacts& run,
                                                                   std::size_t extents, int dim,
                                                                   const RunFacts& child) {
  const std::size_t inner = facts_.inner_extents(run, extents, child);
  const Fronts& own = runs_.at({child.first, child.last}).at[inner];
  const Fronts placed = child.length() > 1 ? with_places(child, inner, dim, own) : Fronts{};
  const Fronts& from = child.length() > 1 ? placed : own;
  std::uint32_t handed_on = 0;
  std::vector<int> kept_bits;
  for (std::size_t b = 0; b < child.tensors.size(); ++b) {
    if (contains(run.tensors, child.tensors[b])) {
      kept_bits.push_back(static_cast<int>(b));
    } else {
      handed_on |= 1U << b;
    }
  }
  const std::int64_t live = live_beside(run, extents, child);
  Fronts fronts(std::size_t{1} << kept_bits.size());
  for (std::uint32_t set = 0; set < fronts.size(); ++set) {
    std::uint32_t kept = 0;
    for (const int b : members(set)) kept |= 1U << kept_bits[at(b)];
    for (Point point : from[kept | handed_on].points()) {
      point.room += live;
      if (point.room > facts_.capacity()) continue;
      hand_on(run, extents, child, kept | handed_on, kept, point);
      if (fronts[set].wants(point)) fronts[set].add(point);
    }
  }
  return fronts;
}

// Puts a child behind those that are there already.
template <class Point>
void TreeSearch<Point>::join_child(const RunFacts& run, std::size_t extents, const RunFacts& child,
                                   const Fronts& last, const Fronts& before, Fronts& covered) {
  const double rescale = rescale_pj(run, extents, child.first, child.last);
  const bool is_first = child.first == run.first;
  const std::uint32_t sets = is_first ? 1 : static_cast<std::uint32_t>(before.size());
  if (covered.empty()) covered.resize(sets * last.size());
  for (std::uint32_t set = 0; set < sets; ++set) {
    if (!is_first && before[set].points().empty()) continue;
    for (std::uint32_t more = 0; more < last.size(); ++more) {
      if (last[more].points().empty()) continue;
      const std::uint32_t unplaced = set + more * sets;
      const Total rest = bounds_.rest(run, child.last, unplaced);
      for (const Point& point : last[more].points()) {
        TreeStep step = step_of(TreeStep::Kind::Join, run, kNoStep);
        step.other = point.origin;
        if (is_first) {
          take(covered[unplaced], point, rest, step);
          continue;
        }
        for (Point joined : before[set].points()) {
          step.from = joined.origin;
          PortTimes::join(joined, point);
          joined.pj += rescale;
          take(covered[unplaced], joined, rest, step);
        }
      }
    }
  }
}

template <class Point>
typename TreeSearch<Point>::Fronts TreeSearch<Point>::join(const RunFacts& run, std::size_t extents,
                                                           int dim) {
  // prefix[k]: children that cover the first k einsums of the run.
  std::vector<Fronts> prefix(at(run.length() + 1));
  for (int end = run.first; end <= run.last; ++end) {
    for (int begin = run.first; begin <= end; ++begin) {
      if ((begin == run.first && end == run.last) || !facts_.has_run(begin, end)) continue;
      const RunFacts& child = facts_.run(begin, end);
      join_child(run, extents, child, child_fronts(run, extents, dim, child),
                 prefix[at(begin - run.first)], prefix[at(end - run.first + 1)]);
    }
  }
  return std::move(prefix.back());
}

template <class Point>
std::int64_t TreeSearch<Point>::states_room(const RunFacts& run, std::size_t extents,
                                            int dim) const {
  std::int64_t room = 0;
  for (const Shared& one : facts_.shared()) {
    if (one.reduces != dim || !CascadeFacts::is_inside(one, run.first, run.last)) continue;
    std::int64_t words = one.state_words;
    for (const int d : one.dims) {
      if (d != dim) words *= facts_.extent(run, extents, d);
    }
    room += words * facts_.tensor(one.writer).room_per_word;
  }
  return room;
}

// What a child is the last to get from those before it, and is normalised in several steps.
template <class Point>
double TreeSearch<Point>::rescale_pj(const RunFacts& run, std::size_t extents, int begin,
                                     int end) const {
  double pj = 0;
  for (const Shared& one : facts_.shared()) {
    if (one.reduces < 0 || !CascadeFacts::is_inside(one, run.first, run.last)) continue;
    if (one.writer.einsum >= begin || one.last() < begin || one.last() > end) continue;
    const std::int64_t steps =
        facts_.dim_size(one.reduces) / facts_.extent(run, extents, one.reduces);
    pj += static_cast<double>(steps - 1) * one.rescale_pj;
  }
  return pj;
}

template <class Point>
void TreeSearch<Point>::add_loops(const RunFacts& run, std::size_t extents, RunTable& table) {
  std::vector<ExtentLattice::Step> steps;
  run.lattice.steps_from(extents, steps);
  const Fronts looped = with_places(run, extents, -1, table.at[extents]);
  Fronts joined;
  int joined_for = -2;
  for (const ExtentLattice::Step& step : steps) {
    const int dim = run.dims[at(step.dim)];
    // Children that are leaves have nothing that depends on the loop around them.
    if (joined_for == -2 || (run.length() > 2 && joined_for != dim)) {
      joined = join(run, extents, dim);
      joined_for = dim;
    }
    const std::int64_t whole = run.lattice.size_of(step.dim);
    const std::int64_t count =
        run.lattice.extent(step.to, step.dim) / run.lattice.extent(extents, step.dim);
    const bool ends = run.lattice.extent(step.to, step.dim) == whole;
    const std::int64_t states = ends ? states_room(run, step.to, dim) : 0;
    for (std::uint32_t set = 0; set < table.at[step.to].size(); ++set) {
      if (looped[set].points().empty() && joined[set].points().empty()) continue;
      const Total rest = bounds_.rest(run, run.last, set);
      for (const Fronts* from : {&looped, static_cast<const Fronts*>(&joined)}) {
        for (Point point : (*from)[set].points()) {
          TreeStep loop = step_of(TreeStep::Kind::Loop, run, point.origin);
          loop.dim = dim;
          loop.count = count;
          point.room += states;
          settings_.times.tighten(point, run, step.to, set);
          take(table.at[step.to][set], point, rest, loop);
        }
      }
    }
  }
}

template <class Point>
void TreeSearch<Point>::make_run(const RunFacts& run) {
  RunTable table;
  table.at.assign(run.lattice.size(), Fronts(std::size_t{1} << run.tensors.size()));
  for (std::size_t i = 0; i < run.lattice.size(); ++i) {
    settings_.deadline.check();
    add_loops(run, i, table);
  }
  runs_[{run.first, run.last}] = std::move(table);
}

template <class Point>
void TreeSearch<Point>::make_group(const RunFacts& run) {
  const std::size_t whole = run.lattice.last();
  Front& best = groups_[{run.first, run.last}];
  best.merge(with_places(run, whole, -1, runs_.at({run.first, run.last}).at[whole])[0]);
  best.merge(join(run, whole, -1)[0]);
}

template class TreeSearch<FrontPoint>;
template class TreeSearch<TimedPoint>;

}  // namespace tilewright::fusion
