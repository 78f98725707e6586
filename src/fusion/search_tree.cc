#include "fusion/search_tree.h"

#include <algorithm>

namespace tilewright::fusion {

namespace {

int bit_of(const RunFacts& run, TensorRef ref) {
  const auto found = std::find(run.tensors.begin(), run.tensors.end(), ref);
  return static_cast<int>(found - run.tensors.begin());
}

}  // namespace

TreeSearch::TreeSearch(const CascadeFacts& facts, const Deadline& deadline, bool prunes)
    : facts_(facts), deadline_(deadline), prunes_(prunes) {}
TreeSearch::~TreeSearch() = default;

bool TreeSearch::search() {
  try {
    search_all();
  } catch (const Expired&) {
    return false;
  }
  return true;
}

void TreeSearch::search_all() {
  for (int e = 0; e < facts_.einsums(); ++e) make_leaf(e);
  if (prunes_) set_limits();
  for (int length = 2; length <= facts_.einsums(); ++length) {
    for (int first = 0; first + length <= facts_.einsums(); ++first) {
      if (!facts_.has_run(first, first + length - 1)) continue;
      const RunFacts& run = facts_.run(first, first + length - 1);
      make_run(run);
      if (!facts_.splits_readers(run.first, run.last)) make_group(run);
    }
  }
}

const FrontPoint* TreeSearch::best_group(int first, int last) const {
  const auto found = groups_.find({first, last});
  return found == groups_.end() || found->second.empty() ? nullptr : &found->second.points().back();
}

void TreeSearch::take(Front& front, std::int64_t room, double pj, const TreeStep& step) {
  const std::size_t run = at(step.first * facts_.einsums() + step.last);
  if (!limits_.empty() && pj > limits_[run]) return;
  if (room > facts_.capacity() || !front.wants(room, pj)) return;
  steps_.push_back(step);
  front.add({room, pj, static_cast<std::uint32_t>(steps_.size() - 1)});
}

// A group is of use only if it takes less than its einsums one by one. Each einsum takes what
// its best nest does with everything resident and nothing loaded, at least; so what is spent in
// a run is limited by what the others of a group can save. Energies only grow on the way out.
void TreeSearch::set_limits() {
  const int count = facts_.einsums();
  std::vector<double> alone, saving;
  for (int e = 0; e < count; ++e) {
    const Front& all =
        leaves_[at(e)]->front(leaves_[at(e)]->must_stream(), leaves_[at(e)]->lattice().last());
    const FrontPoint* unfused = best_group(e, e);
    if (unfused == nullptr || all.empty()) return;
    alone.push_back(unfused->pj);
    saving.push_back(unfused->pj - facts_.fixed_pj(e) - all.points().back().pj);
  }
  std::vector<double> limits(at(count * count), 0);
  for (int first = 0; first < count; ++first) {
    for (int last = first; last < count; ++last) {
      double limit = 0;
      for (int e = 0; e < count; ++e) {
        limit += first <= e && e <= last ? alone[at(e)] : saving[at(e)];
      }
      limits[at(first * count + last)] = limit * (1 + 1e-9);
    }
  }
  limits_ = std::move(limits);
}

TreeStep TreeSearch::leaf_step(int einsum, std::size_t extents, std::uint32_t streamed,
                               const FrontPoint& nest) {
  TreeStep step;
  step.first = step.last = einsum;
  step.extents = static_cast<std::uint32_t>(extents);
  step.tensors = streamed;
  step.nest = nest;
  return step;
}

// Each resident is local, or has its place further out.
void TreeSearch::add_residents(int einsum, std::size_t extents, std::uint32_t streamed,
                               Fronts& fronts) {
  const RunFacts& run = facts_.run(einsum, einsum);
  const Front& nests = leaves_[at(einsum)]->front(streamed, extents);
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
    for (const FrontPoint& nest : nests.points()) {
      take(fronts[unplaced], room + nest.room, pj + nest.pj,
           leaf_step(einsum, extents, streamed, nest));
    }
    if (local == 0) break;
  }
}

std::uint32_t TreeSearch::all_tensors(int einsum) const {
  return (1U << facts_.stack(einsum).flat().tensors) - 1;
}

void TreeSearch::make_leaf(int einsum) {
  deadline_.check();
  tables_.push_back(std::make_unique<NestTable>(facts_.stack(einsum)));
  leaves_.push_back(std::make_unique<LeafFronts>(*tables_.back(), facts_.leaf_dims(einsum)));
  const LeafFronts& leaf = *leaves_.back();
  const RunFacts& run = facts_.run(einsum, einsum);
  const std::uint32_t all = all_tensors(einsum);
  RunTable table;
  table.at.resize(run.lattice.size());
  for (std::size_t i = 0; i < run.lattice.size(); ++i) {
    table.at[i].resize(std::size_t{1} << run.tensors.size());
    for (std::uint32_t streamed = leaf.must_stream(); streamed <= all; ++streamed) {
      if ((leaf.must_stream() & ~streamed) != 0) continue;
      add_residents(einsum, i, streamed, table.at[i]);
    }
  }
  // A group of its own: everything is streamed.
  const std::size_t whole = run.lattice.last();
  Front& alone = groups_[{einsum, einsum}];
  for (const FrontPoint& nest : leaf.front(all, whole).points()) {
    take(alone, nest.room, facts_.fixed_pj(einsum) + nest.pj, leaf_step(einsum, whole, all, nest));
  }
  runs_[{einsum, einsum}] = std::move(table);
}

// Tensors that a loop over the dimension moves may have their place just inside it; with no
// loop around, all may.
TreeSearch::Fronts TreeSearch::with_places(const RunFacts& run, std::size_t extents, int dim,
                                           const Fronts& fronts) {
  Fronts placed = fronts;
  for (std::size_t b = 0; b < run.tensors.size(); ++b) {
    const TensorFacts& of = facts_.tensor(run.tensors[b]);
    if (dim >= 0 && !contains(of.dims, dim)) continue;
    const std::int64_t room = facts_.tile_words(run, extents, of.dims) * of.room_per_word;
    const double pj = facts_.load_pj(run, extents, run.tensors[b]);
    const std::uint32_t bit = 1U << b;
    for (std::uint32_t set = 0; set < placed.size(); ++set) {
      if ((set & bit) == 0) continue;
      for (const FrontPoint& point : placed[set].points()) {
        TreeStep step;
        step.kind = TreeStep::Kind::Place;
        step.from = point.origin;
        step.first = run.first;
        step.last = run.last;
        step.tensors = bit;
        take(placed[set & ~bit], point.room + room, point.pj + pj, step);
      }
    }
  }
  return placed;
}

// Fronts of a child by the tensors that stay without a place in the run around it. What
// writers and readers in the run hand on must have none inside the child.
TreeSearch::Fronts TreeSearch::child_fronts(const RunFacts& run, std::size_t extents, int dim,
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
  // Intermediates of the run that are there while the child runs.
  std::int64_t live = 0;
  for (const Shared& one : facts_.shared()) {
    if (!CascadeFacts::is_inside(one, run.first, run.last) ||
        CascadeFacts::is_inside(one, child.first, child.last)) {
      continue;
    }
    if (one.writer.einsum > child.last || one.last() < child.first) continue;
    live += facts_.tile_words(run, extents, one.dims) * facts_.tensor(one.writer).room_per_word;
  }
  Fronts fronts(std::size_t{1} << kept_bits.size());
  for (std::uint32_t set = 0; set < fronts.size(); ++set) {
    std::uint32_t of_child = handed_on;
    for (const int b : members(set)) of_child |= 1U << kept_bits[at(b)];
    for (const FrontPoint& point : from[of_child].points()) {
      if (point.room + live > facts_.capacity()) continue;
      fronts[set].add({point.room + live, point.pj, point.origin});
    }
  }
  return fronts;
}

TreeSearch::Fronts TreeSearch::join(const RunFacts& run, std::size_t extents, int dim) {
  // prefix[k]: children that cover the first k einsums of the run.
  std::vector<Fronts> prefix(at(run.length() + 1));
  for (int end = run.first; end <= run.last; ++end) {
    Fronts& covered = prefix[at(end - run.first + 1)];
    for (int begin = run.first; begin <= end; ++begin) {
      if ((begin == run.first && end == run.last) || !facts_.has_run(begin, end)) continue;
      const Fronts last = child_fronts(run, extents, dim, facts_.run(begin, end));
      const double rescale = rescale_pj(run, extents, begin, end);
      const Fronts& before = prefix[at(begin - run.first)];
      const std::size_t sets = begin == run.first ? 1 : before.size();
      if (covered.empty()) covered.resize(sets * last.size());
      for (std::uint32_t set = 0; set < sets; ++set) {
        for (std::uint32_t more = 0; more < last.size(); ++more) {
          Front& front = covered[set + more * static_cast<std::uint32_t>(sets)];
          for (const FrontPoint& point : last[more].points()) {
            TreeStep step;
            step.kind = TreeStep::Kind::Join;
            step.from = kNoStep;
            step.other = point.origin;
            step.first = run.first;
            step.last = run.last;
            if (begin == run.first) {
              take(front, point.room, point.pj, step);
              continue;
            }
            for (const FrontPoint& earlier : before[set].points()) {
              step.from = earlier.origin;
              take(front, std::max(earlier.room, point.room), earlier.pj + point.pj + rescale,
                   step);
            }
          }
        }
      }
    }
  }
  return std::move(prefix.back());
}

std::int64_t TreeSearch::states_room(const RunFacts& run, std::size_t extents, int dim) const {
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
double TreeSearch::rescale_pj(const RunFacts& run, std::size_t extents, int begin, int end) const {
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

void TreeSearch::add_loops(const RunFacts& run, std::size_t extents, RunTable& table) {
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
      for (const Fronts* from : {&looped, static_cast<const Fronts*>(&joined)}) {
        for (const FrontPoint& point : (*from)[set].points()) {
          TreeStep loop;
          loop.kind = TreeStep::Kind::Loop;
          loop.from = point.origin;
          loop.first = run.first;
          loop.last = run.last;
          loop.dim = dim;
          loop.count = count;
          take(table.at[step.to][set], point.room + states, point.pj, loop);
        }
      }
    }
  }
}

void TreeSearch::make_run(const RunFacts& run) {
  RunTable table;
  table.at.assign(run.lattice.size(), Fronts(std::size_t{1} << run.tensors.size()));
  for (std::size_t i = 0; i < run.lattice.size(); ++i) {
    deadline_.check();
    add_loops(run, i, table);
  }
  runs_[{run.first, run.last}] = std::move(table);
}

void TreeSearch::make_group(const RunFacts& run) {
  const std::size_t whole = run.lattice.last();
  Front& best = groups_[{run.first, run.last}];
  best.merge(with_places(run, whole, -1, runs_.at({run.first, run.last}).at[whole])[0]);
  best.merge(join(run, whole, -1)[0]);
}

}  // namespace tilewright::fusion
