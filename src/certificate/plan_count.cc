#include "certificate/plan_count.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/bits.h"
#include "certificate/points.h"

namespace tilewright::certificate {

namespace {

using PlaceKind = tilewright::Placement::Kind;

// The bounds and orders of a nest, on a problem in which all memories keep what they may.
Mapping on_problem(const Problem& problem, const Mapping& nest) {
  Mapping mapping(problem);
  for (int s = 0; s < problem.slot_count(); ++s) {
    for (int d = 0; d < problem.dim_count(); ++d) {
      mapping.set_bound(s, DimId{d}, nest.bound(s, DimId{d}));
    }
  }
  for (int m = 0; m < problem.memory_count(); ++m) {
    std::vector<DimId> order;
    for (int i = 0; i < problem.dim_count(); ++i) {
      order.push_back(DimId{nest.order(MemoryId{m})[i]});
    }
    mapping.set_order(MemoryId{m}, order);
  }
  return mapping;
}

int leaf_count(const PlanNode& node) {
  int leaves = node.children.empty() ? 1 : 0;
  for (const PlanNode& child : node.children) leaves += leaf_count(child);
  return leaves;
}

Problem with_sizes(const Problem& whole, const std::vector<std::int64_t>& sizes, bool later_sums) {
  Workload workload = whole.workload();
  for (std::size_t d = 0; d < sizes.size(); ++d) workload.dims[d].size = sizes[d];
  Architecture arch = whole.arch();
  arch.reads_first_sums = later_sums;
  Checked<Problem> made = Problem::create(std::move(workload), std::move(arch));
  if (!made.ok()) throw Unverifiable(to_string(made.problems.front()));
  return std::move(*made.value);
}

}  // namespace

Problem at_points_of(const PrivateNest& nest, const Problem& whole) {
  if (!has_points(nest.problem)) return whole;
  Checked<Problem> made = with_points(without_constraints(whole), points_of(nest.problem));
  if (!made.ok()) throw Unverifiable(to_string(made.problems.front()));
  return std::move(*made.value);
}

std::string shape_misfit(const Problem& problem, const PrivateNest& nest) {
  const bool same = nest.mapping.slot_count() == problem.slot_count() &&
                    nest.mapping.dim_count() == problem.dim_count() &&
                    nest.mapping.memory_count() == problem.memory_count();
  return same ? "" : " has other levels";
}

std::string rules_misfit(const Problem& whole, const Problem& problem, const Mapping& mapping,
                         Among among) {
  if (has_points(problem) && among == Among::Even) return " is uneven";
  Checked<Rules> rules = read_rules(whole, SpaceKind::Perfect, {});
  if (!rules.ok()) return ": " + to_string(rules.problems.front());
  allow_points(whole, uneven_memories(whole, among), *rules.value);
  const auto broken = broken_rules_at_points(whole, *rules.value, problem, mapping);
  return broken.empty() ? "" : ": " + broken.front();
}

PlanCounter::PlanCounter(const PlanSpace& space, const PlanTimes& times, const Plan& plan)
    : space_(space), plan_times_(times), plan_(plan), times_(at(space.einsums())) {
  read_trees();
  for (int e = 0; e < space.einsums() && problem_.empty(); ++e) check_places(e);
  if (!problem_.empty()) return;
  for (int e = 0; e < space.einsums(); e = groups_[at(e)].last + 1) {
    for (const HandedOn& one : space.handed_on(groups_[at(e)])) add_intermediate(one);
  }
  for (int e = 0; e < space.einsums(); ++e) {
    for (std::size_t t = 0; t < space.einsum(e).tensors.size(); ++t) add_resident(e, t);
  }
  for (int e = 0; e < space.einsums() && problem_.empty(); ++e) add_nest(e);
}

PlanTotal PlanCounter::total() const {
  PlanTotal total{energy_, 0};
  for (const OpenTime& time : times_) total.cycles += plan_times_.cycles(time);
  return total;
}

void PlanCounter::read_trees() {
  paths_.resize(at(space_.einsums()));
  groups_.resize(at(space_.einsums()));
  int next = 0;
  for (const PlanNode& group : plan_.groups) {
    std::vector<Loop> above;
    reading_ = {next, next + leaf_count(group) - 1};
    const EinsumRun run = read_node(group, above, next);
    if (!problem_.empty()) return;
    if (!space_.may_be_group(run)) {
      return complain(fmt::format("{} to {} cannot be one group", name(run.first), name(run.last)));
    }
    for (int e = run.first; e <= run.last; ++e) groups_[at(e)] = run;
  }
  if (next != space_.einsums()) return complain("the plan does not have all einsums");
  if (plan_.leaves.size() != paths_.size()) complain("the plan does not have all leaves");
}

EinsumRun PlanCounter::read_node(const PlanNode& node, std::vector<Loop>& above, int& next) {
  const std::size_t before = above.size();
  EinsumRun run{next, next};
  if (!node.shared.empty() && node.shared != plan_.shared) {
    complain("a group of the plan shares another memory, which has no proof yet");
    return run;
  }
  if (node.children.empty()) {
    if (node.einsum != next || next >= space_.einsums()) {
      complain("the einsums of the plan are not in their order");
      return run;
    }
    if (!node.loops.empty()) complain(fmt::format("loops are around {} alone", name(next)));
    paths_[at(next)] = above;
    ++next;
    return run;
  }
  for (const SharedLoop& loop : node.loops) {
    above.push_back({space_.find_dim(loop.dim).value_or(-1), loop.count, {}});
    if (above.back().dim < 0 || loop.count < 2) complain("a loop of the plan is none");
    if (loop.tile != 0) complain("a loop of the plan leaves a remainder, which has no proof yet");
  }
  for (const PlanNode& child : node.children) {
    if (!problem_.empty()) return run;
    run.last = read_node(child, above, next).last;
  }
  above.resize(before);
  for (int e = run.first; e <= run.last && problem_.empty(); ++e) {
    for (std::size_t k = before; k < before + node.loops.size(); ++k) paths_[at(e)][k].run = run;
  }
  check_loops(node, run);
  return run;
}

void PlanCounter::check_loops(const PlanNode& node, const EinsumRun& run) {
  if (!problem_.empty() || node.loops.empty()) return;
  if (run.length() == 1) return complain(fmt::format("loops are around {} alone", name(run.first)));
  const std::uint32_t dims = space_.shared_dims(run, reading_);
  for (const SharedLoop& loop : node.loops) {
    if (contains(dims, *space_.find_dim(loop.dim))) continue;
    complain(fmt::format("{} to {} cannot share a loop over {}", name(run.first), name(run.last),
                         loop.dim));
  }
}

// Intermediates pass from writer to reader just inside the loops that these share.
void PlanCounter::check_places(int einsum) {
  const PlanLeaf& leaf = plan_.leaves[at(einsum)];
  const std::vector<PlanTensor>& tensors = space_.einsum(einsum).tensors;
  const std::string& of = name(einsum);
  if (leaf.tensors.size() != tensors.size()) return complain("a tensor has no place: " + of);
  Extents left = space_.sizes();
  for (const Loop& loop : paths_[at(einsum)]) {
    std::int64_t& extent = left[at(loop.dim)];
    if (extent % loop.count != 0) return complain("a loop does not divide what is left in " + of);
    extent /= loop.count;
  }
  for (std::size_t t = 0; t < tensors.size(); ++t) {
    const tilewright::Placement& place = leaf.tensors[t];
    const std::string& tensor = space_.cascade().workload(einsum).tensors[t].name;
    if (!place.home.empty() && place.home != plan_.shared) {
      return complain(tensor + " is at home in another memory, which has no proof yet");
    }
    if (space_.is_inside(groups_[at(einsum)], einsum, static_cast<int>(t))) {
      const bool written = t + 1 == tensors.size();
      if (written && place.kind != PlaceKind::Local) complain(tensor + " is not local");
      continue;
    }
    if (place.kind == PlaceKind::Streamed) continue;
    if (!tensors[t].shareable) complain("the shared memory does not keep " + tensor);
    const bool alone = groups_[at(einsum)].length() == 1;
    if (alone) complain(tensor + " of a group of one einsum is not streamed");
    const auto loops = static_cast<int>(paths_[at(einsum)].size());
    const bool inside = place.depth >= 0 && place.depth <= loops;
    if (place.kind == PlaceKind::Kept && !inside) complain(tensor + " is kept below no loop");
  }
}

std::size_t PlanCounter::common(int einsum, int other) const {
  const std::vector<Loop>& path = paths_[at(einsum)];
  std::size_t loops = 0;
  while (loops < path.size() && path[loops].run.has(other)) ++loops;
  return loops;
}

EinsumRun PlanCounter::run_below(int einsum, std::size_t loops) const {
  const std::vector<Loop>& path = paths_[at(einsum)];
  return loops < path.size() ? path[loops].run : EinsumRun{einsum, einsum};
}

PlanCounter::Extents PlanCounter::below(int einsum, std::size_t loops) const {
  Extents extents = space_.sizes();
  for (std::size_t k = 0; k < loops; ++k) {
    const Loop& loop = paths_[at(einsum)][k];
    extents[at(loop.dim)] /= loop.count;
  }
  return extents;
}

std::size_t PlanCounter::moved_by(int einsum, const PlanTensor& tensor, std::size_t loops) const {
  while (loops > 0 && !contains(tensor.dims, paths_[at(einsum)][loops - 1].dim)) --loops;
  return loops;
}

void PlanCounter::add_intermediate(const HandedOn& one) {
  const std::size_t loops = common(one.writer, one.last());
  const Extents extents = below(one.writer, loops);
  const EinsumRun run{run_below(one.writer, loops).first, run_below(one.last(), loops).last};
  live_.push_back({run, space_.tile_room(space_.einsum(one.writer).output(), extents)});
  if (one.leaves) {
    const PlanTensor& output = space_.einsum(one.writer).output();
    energy_ = plus(energy_, space_.least_load(output));
    plan_times_.add_least(times_[at(one.writer)], output);
  }
  if (one.reduces < 0) return;
  const std::vector<Loop>& path = paths_[at(one.writer)];
  for (std::size_t k = 0; k < loops; ++k) {
    if (path[k].dim != one.reduces) continue;
    // The state is kept outside the outermost loop over the dimension.
    const std::int64_t others =
        space_.product(one.dims & ~(1U << one.reduces), below(one.writer, k));
    live_.push_back({path[k].run, narrow(Count(others) * one.state_words *
                                         space_.einsum(one.writer).output().width)});
    break;
  }
  const std::int64_t steps = space_.size(one.reduces) / extents[at(one.reduces)];
  energy_ = plus(energy_, times(one.rescale, steps - 1));
  OpenTime& time = times_[at(one.writer)];
  time.cycles = std::max(time.cycles, plan_times_.afterwards(one, steps));
}

bool PlanCounter::is_resident(int einsum, std::size_t tensor) const {
  return plan_.leaves[at(einsum)].tensors[tensor].kind != PlaceKind::Streamed ||
         space_.is_inside(groups_[at(einsum)], einsum, static_cast<int>(tensor));
}

// What comes from outside and stays: its loads and its room.
void PlanCounter::add_resident(int einsum, std::size_t tensor) {
  const bool inside = space_.is_inside(groups_[at(einsum)], einsum, static_cast<int>(tensor));
  if (inside || !is_resident(einsum, tensor)) return;
  const PlanTensor& of = space_.einsum(einsum).tensors[tensor];
  const tilewright::Placement& place = plan_.leaves[at(einsum)].tensors[tensor];
  const bool local = place.kind == PlaceKind::Local;
  const std::size_t loops =
      local ? paths_[at(einsum)].size() : moved_by(einsum, of, at(place.depth));
  const Extents extents = below(einsum, loops);
  energy_ = plus(energy_, space_.load(of, extents));
  plan_times_.add_words(times_[at(einsum)], of, space_.loaded(of, extents));
  live_.push_back({local ? EinsumRun{einsum, einsum} : run_below(einsum, loops),
                   space_.tile_room(of, extents)});
}

// The loops of a nest on the whole architecture count what enters the shared memory, too; of
// residents that is left out.
void PlanCounter::count_nest(int einsum, const Problem& problem, const Mapping& mapping,
                             Int128 executions) {
  const Terms terms(problem);
  const Counter counter(terms, mapping);
  const Int128 scale = power_of_ten(space_.decimals() - terms.energies.decimals);
  Int128 energy = times(terms.macs, terms.energies.mac);
  PortWords outside;
  const std::vector<int> whole = whole_memories(problem);
  for (std::size_t m = 0; m < counter.memories().size(); ++m) {
    for (std::size_t t = 0; t < space_.einsum(einsum).tensors.size(); ++t) {
      const PortWords& words = counter.memories()[m].total[t];
      const Energies::OfAccess& each = terms.energies.memories[m].access[t];
      const bool resident = is_resident(einsum, t);
      if (resident && m == 0) continue;
      if (!resident || whole[m] > 1) energy = plus(energy, times(each.write, words.fills));
      energy = plus(energy, times(each.read, words.reads));
      energy = plus(energy, times(each.update, words.updates));
      if (m == 0) add(outside, words);
    }
  }
  energy_ = plus(energy_, times(times(energy, scale), executions));
  outside = {outside.reads * executions, outside.fills * executions, outside.updates * executions};
  plan_times_.add_words(times_[at(einsum)], outside);
}

void PlanCounter::add_nest(int einsum) {
  const PlanEinsum& of = space_.einsum(einsum);
  const std::vector<PrivateNest>& nests = plan_.leaves[at(einsum)].nests;
  if (nests.size() != 1) return complain(name(einsum) + " has no nest, or several");
  const Extents left = below(einsum, paths_[at(einsum)].size());
  std::vector<std::int64_t> sizes;
  for (const int d : of.dims) sizes.push_back(left[at(d)]);
  const Problem whole = with_sizes(*of.problem, sizes, false);
  const Problem first = at_points_of(nests[0], whole);
  check_nest(einsum, whole, first, nests[0]);
  if (!problem_.empty()) return;
  const Mapping mapping = on_problem(first, nests[0].mapping);
  check_room(einsum, first, mapping);
  if (!problem_.empty()) return;
  // Executions, and those of them that begin sums.
  Count all = 1, begin = 1;
  for (const Loop& loop : paths_[at(einsum)]) {
    all *= loop.count;
    if (contains(of.output().dims, loop.dim)) begin *= loop.count;
  }
  count_nest(einsum, first, mapping, begin);
  const Problem later = at_points_of(nests[0], with_sizes(*of.problem, sizes, true));
  count_nest(einsum, later, mapping, all - begin);
  energy_ = plus(energy_, times(of.afterwards, space_.elements(of.output())));
  const Int128 instances = Counter(Terms(first), mapping).cost().instances;
  OpenTime& time = times_[at(einsum)];
  time.cycles = std::max(time.cycles, plan_times_.least_cycles(einsum, instances));
}

// A mapping of the einsum with the sizes that its loops leave; with storage points or without.
void PlanCounter::check_nest(int einsum, const Problem& whole, const Problem& problem,
                             const PrivateNest& nest) {
  std::string misfit = shape_misfit(problem, nest);
  if (misfit.empty()) {
    misfit = rules_misfit(whole, problem, on_problem(problem, nest.mapping), space_.nests());
  }
  if (!misfit.empty()) complain("the nest of " + name(einsum) + misfit);
}

// What a tile of the shared memory takes at the point of its tensor; residents have theirs at the
// outer end.
Count PlanCounter::tile_room(int einsum, std::size_t tensor, const Problem& problem,
                             const Mapping& mapping) {
  const PlanEinsum& of = space_.einsum(einsum);
  const std::vector<int> whole = whole_memories(problem);
  int level = 1;
  while (whole[at(level)] == 1 &&
         !mapping.keeps(MemoryId{level}, TensorId{static_cast<int>(tensor)})) {
    if (at(++level) == whole.size()) break;
  }
  if (is_resident(einsum, tensor)) {
    if (level != 1) complain("a resident of " + name(einsum) + " stands inside loops");
    return 0;
  }
  Extents tile = space_.sizes();
  for (int d = 0; d < problem.dim_count(); ++d) {
    Count extent = 1;
    for (int s = problem.use(MemoryId{level}).slot; s < problem.slot_count(); ++s) {
      extent *= mapping.bound(s, DimId{d});
    }
    tile[at(of.dims[at(d)])] = narrow(extent);
  }
  return space_.tile_room(of.tensors[tensor], tile);
}

void PlanCounter::check_room(int einsum, const Problem& problem, const Mapping& mapping) {
  const Terms terms(problem);
  const auto overflows = Counter(terms, mapping).overflows();
  if (!overflows.empty()) return complain("the nest of " + name(einsum) + ": " + overflows.front());
  const PlanEinsum& of = space_.einsum(einsum);
  Count room = 0;
  for (std::size_t t = 0; t < of.tensors.size(); ++t) {
    if (of.tensors[t].shareable) room += tile_room(einsum, t, problem, mapping);
  }
  for (const Live& one : live_) {
    if (one.run.has(einsum)) room += one.room;
  }
  if (room <= space_.room()) return;
  complain(fmt::format("while {} runs, {} too many are in the shared memory", name(einsum),
                       static_cast<std::int64_t>(room) - space_.room()));
}

}  // namespace tilewright::certificate
