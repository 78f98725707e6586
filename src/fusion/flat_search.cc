#include "fusion/flat_search.h"

#include <algorithm>
#include <map>

#include "cascade/same_work.h"
#include "fusion/count_loads.h"
#include "fusion/flat_group.h"

namespace tilewright::fusion {

namespace {

// Of the time: until short groups are done, and until those are that hand on nothing that also
// leaves.
constexpr double kShareOfShort = 0.5, kShareWithin = 0.85;

// Consecutive einsums as one group.
struct Group {
  std::optional<Plan> plan;  // nothing: none is known, or none is of use
  double pj = 0;             // of the plan
  double bound_pj = 0;       // none has less, or none of use
  bool searched = false;
  bool cut_short = false;  // the search had too little time
  bool crosses = false;    // hands on what also leaves
};

// Groups that are the same work.
struct SameGroups {
  Cascade work;             // without names
  std::vector<int> begins;  // their first einsums
};

// What to search next.
struct NextGroup {
  int first = 0, last = 0;
  int waiting = 0;  // groups of the same cuts that were not searched yet, this one included

  int length() const { return last - first + 1; }
};

// Groups side by side.
struct Cuts {
  double pj = 0;
  std::vector<int> begins;  // the first einsums of the groups
};

class FlatSearch {
 public:
  FlatSearch(const Cascade& cascade, const Architecture& arch, const FuseOptions& options,
             const std::string& shared, const FlatAim& aim)
      : cascade_(cascade),
        arch_(arch),
        options_(options),
        shared_(shared),
        to_beat_pj_(aim.to_beat_pj.value_or(std::numeric_limits<double>::infinity())),
        deadline_(options.seconds, options.cancelled),
        nests_(cascade, arch, shared, deadline_, options.seconds, aim.evenness) {}

  FuseOutcome run() {
    FuseOutcome outcome;
    const int count = cascade_.einsum_count();
    try {
      for (int e = 0; e < count; ++e) add_alone(e, outcome);
    } catch (const Expired&) {
      outcome.problems = {
          {{}, "the time did not suffice for the einsums one by one", "allow more by --time"}};
      return outcome;
    }
    if (!outcome.problems.empty()) {
      outcome.status = FuseOutcome::Status::Infeasible;
      return outcome;
    }
    for (int length = 2; length <= count; ++length) {
      for (int first = 0; first + length <= count; ++first) add_group(first, first + length - 1);
    }
    const bool any_crossing = std::any_of(groups_.begin(), groups_.end(),
                                          [](const auto& one) { return one.second.crosses; });
    // Short groups are found soon, and those without what also leaves are few. They show what the
    // others have to beat.
    if (count > options_.longest_group) search_all(kShareOfShort, options_.longest_group / 2);
    if (any_crossing) search_all(kShareWithin, options_.longest_group);
    crossing_ = true;
    search_all(1, options_.longest_group);
    fill(outcome);
    return outcome;
  }

 private:
  // Groups of up to so many einsums, until this share of the time has passed.
  void search_all(double share, int longest) {
    longest_ = longest_now_ = longest;
    share_ = share;
    resumed_ = false;
    while (seconds_left().value_or(1) > 0 && !deadline_.has_passed()) {
      if (const auto next = next_group()) {
        search_group(*next);
      } else if (!resume()) {
        break;
      }
    }
  }

  std::optional<double> seconds_left() const {
    if (!options_.seconds) return std::nullopt;
    return std::max(0.0, share_ * *options_.seconds - deadline_.seconds());
  }

  Cascade part(int first, int last) const {
    Cascade part{cascade_.name, cascade_.source, {}, {}};
    part.einsums.assign(cascade_.einsums.begin() + first, cascade_.einsums.begin() + last + 1);
    // Outputs of the group leave anyway; what it hands on also does if somebody behind it reads it.
    for (CascadeEinsum& einsum : part.einsums) einsum.leaves = false;
    for (const Intermediate& one : intermediates_of(cascade_)) {
      if (one.writer < first || one.readers.front().einsum > last) continue;
      part.einsums[at(one.writer - first)].leaves =
          cascade_.einsums[at(one.writer)].leaves || one.readers.back().einsum > last;
    }
    return part;
  }

  void add_alone(int e, FuseOutcome& outcome) {
    const Workload& workload = cascade_.workload(e);
    std::vector<std::int64_t> sizes;
    for (const Dimension& dim : workload.dims) sizes.push_back(dim.size);
    const SolvedNest& nest = nests_.find({e, sizes, 0, nests_.capacity()});
    if (!nest.mapping) {
      outcome.problems.push_back(
          {{}, workload.name + ": no nest fits", "tilewright map of this einsum says why"});
      return;
    }
    Group alone{unfused(part(e, e), shared_), nest.pj, nest.bound_pj, true};
    if (cascade_.einsums[at(e)].then) {
      const double elements = static_cast<double>(tile_words(workload, workload.output(), sizes));
      alone.pj += cascade_.einsums[at(e)].then->energy_pj * elements;
      alone.bound_pj += cascade_.einsums[at(e)].then->energy_pj * elements;
    }
    const Cascade einsum = part(e, e);
    const Geometry geometry(einsum, *alone.plan);
    const Execution once = executions_of(geometry, 0).front();
    alone.plan->leaves.front().nests.push_back(nests_.find_in(geometry, 0, once, e)->nest);
    outcome.unfused_pj += alone.pj;
    groups_[{e, e}] = std::move(alone);
  }

  void add_group(int first, int last) {
    if (last - first >= options_.longest_group) return;
    const Cascade einsums = part(first, last);
    Group& group = groups_[{first, last}];
    group.bound_pj = compulsory_pj({einsums, arch_, shared_, nests_, first, options_.recompute});
    for (const Intermediate& one : intermediates_of(einsums)) {
      group.crosses = group.crosses || einsums.einsums[at(one.writer)].leaves;
    }
    Cascade work = without_names(einsums, arch_);
    const auto same = std::find_if(kinds_.begin(), kinds_.end(),
                                   [&](const SameGroups& kind) { return kind.work == work; });
    if (same != kinds_.end()) {
      same->begins.push_back(first);
    } else {
      kinds_.push_back({std::move(work), {first}});
    }
  }

  // What was found for a group holds for all that are the same work. Where nothing of use was
  // found, others may have a use for more.
  void share(int first, int last) {
    const auto is_it = [&](const SameGroups& kind) {
      return kind.work.einsum_count() == last - first + 1 && contains(kind.begins, first);
    };
    const SameGroups& kind = *std::find_if(kinds_.begin(), kinds_.end(), is_it);
    const Group found = groups_.at({first, last});
    for (const int other : kind.begins) {
      Group& group = groups_.at({other, other + last - first});
      if (other == first) continue;
      group.bound_pj = std::max(group.bound_pj, found.bound_pj);
      if (!found.plan) continue;
      group = found;
      take_names(first, other, *group.plan);
    }
  }

  // A plan of a group for the same work from another einsum on: its loops and nests have other
  // names there.
  void take_names(int from, int first, Plan& plan) const {
    const auto count = static_cast<int>(plan.leaves.size());
    const Workload &before = cascade_.workload(from + count - 1),
                   &now = cascade_.workload(first + count - 1);
    for (SharedLoop& loop : plan.groups.front().loops) {
      loop.dim = now.dim(*before.find_dim(loop.dim)).name;
    }
    const Cascade einsums = part(first, first + count - 1);
    for (int e = 0; e < count; ++e) {
      for (PrivateNest& nest : plan.leaves[at(e)].nests) {
        std::vector<std::int64_t> extents;
        for (const Dimension& dim : nest.problem.workload().dims) extents.push_back(dim.size);
        Checked<Problem> problem = leaf_problem(einsums.workload(e), arch_, shared_,
                                                residents_of(einsums, plan, e), extents);
        if (has_points(nest.problem)) {
          problem = with_points(*problem.value, points_of(nest.problem));
        }
        nest.problem = std::move(*problem.value);
      }
    }
  }

  // The best way to map the einsums from `first` to `last`, where groups take what `cost` says;
  // those without are not there.
  template <class Cost>
  std::optional<Cuts> best_cuts(int first, int last, Cost cost) const {
    std::vector<std::optional<Cuts>> ends = {Cuts{}};
    for (int end = first; end <= last; ++end) {
      std::optional<Cuts> best;
      for (int begin = first; begin <= end; ++begin) {
        if (!groups_.contains({begin, end}) || !ends[at(begin - first)]) continue;
        const std::optional<double> pj = cost(EinsumRange{begin, end});
        if (!pj || (best && ends[at(begin - first)]->pj + *pj >= best->pj)) continue;
        best = ends[at(begin - first)];
        best->pj += *pj;
        best->begins.push_back(begin);
      }
      ends.push_back(std::move(best));
    }
    return ends.back();
  }

  Cuts known() const {
    const auto pj = [&](EinsumRange range) {
      const Group& one = groups_.at({range.first, range.last});
      return one.plan ? std::optional<double>(one.pj) : std::nullopt;
    };
    return *best_cuts(0, cascade_.einsum_count() - 1, pj);
  }
  double most_pj() const { return std::min(known().pj, to_beat_pj_); }
  Cuts least(int first, int last) const {
    return *best_cuts(first, last, [&](EinsumRange range) {
      return std::optional(groups_.at({range.first, range.last}).bound_pj);
    });
  }

  // What a group promises: what it takes if that was searched for, else what it takes at least.
  std::optional<double> promised(EinsumRange range) const {
    const Group& group = groups_.at({range.first, range.last});
    if (group.searched) return group.plan ? std::optional(group.pj) : std::nullopt;
    if (group.crosses && !crossing_) return std::nullopt;
    return range.last - range.first < longest_ ? std::optional(group.bound_pj) : std::nullopt;
  }

  // The longest one of the most promising cuts that was not searched yet; nothing if these promise
  // no more than what is known.
  std::optional<NextGroup> next_group() const {
    const int count = cascade_.einsum_count();
    const Cuts cuts = *best_cuts(0, count - 1, [&](EinsumRange range) { return promised(range); });
    if (cuts.pj >= most_pj() * (1 - 1e-12)) return std::nullopt;
    NextGroup next{0, -1, 0};
    for (std::size_t i = 0; i < cuts.begins.size(); ++i) {
      const int last = i + 1 < cuts.begins.size() ? cuts.begins[i + 1] - 1 : count - 1;
      if (groups_.at({cuts.begins[i], last}).searched) continue;
      const int waiting = next.waiting + 1;
      if (last - cuts.begins[i] + 1 > next.length()) next = {cuts.begins[i], last, waiting};
      next.waiting = waiting;
    }
    return next.waiting > 0 ? std::optional(next) : std::nullopt;
  }

  // A part of the time that is left; groups of other cuts shall have some, too.
  Deadline share_of(const NextGroup& next) const {
    const auto left = seconds_left();
    if (!left) return Deadline(std::nullopt, options_.cancelled);
    return Deadline(*left / (next.waiting + (resumed_ ? 0 : 1)), options_.cancelled);
  }

  // Groups whose search was cut short may have what is left of the time; false if there are none.
  // What they found of nests is still there.
  bool resume() {
    bool any = false;
    for (auto& [range, group] : groups_) {
      any = any || group.cut_short;
      if (group.cut_short) group.searched = group.cut_short = false;
    }
    resumed_ = true;
    longest_ = longest_now_;
    return any;
  }

  void search_group(const NextGroup& next) {
    const int first = next.first, last = next.last;
    // What the others take at least is not there for this one.
    const double group_pj =
        most_pj() - least(0, first - 1).pj - least(last + 1, cascade_.einsum_count() - 1).pj;
    const Cascade einsums = part(first, last);
    const Deadline deadline = share_of(next);
    FlatTask task{einsums, arch_, shared_, nests_, first, false};
    FlatGroup found = FlatGroupSearch(task).search(group_pj, deadline);
    if (options_.recompute) {
      // Plans that do no work twice are few, and show what the others have to beat.
      task.recompute = true;
      FlatGroup again = FlatGroupSearch(task).search(found.pj, deadline);
      if (!again.plan) again.plan = std::move(found.plan);
      found = std::move(again);
    }
    if (options_.remainders) {
      found = FlatGroupSearch(task).search_remainders(std::move(found), deadline);
    }
    Group& group = groups_.at({first, last});
    group.searched = true;
    group.cut_short = deadline.has_passed();
    group.bound_pj = std::max(group.bound_pj, found.bound_pj);
    if (found.plan) {
      group.pj = found.pj;
      group.plan = std::move(found.plan);
    }
    share(first, last);
    // Where the time ended without a plan, groups of that length take too long.
    if (group.cut_short && !group.plan) longest_ = std::min(longest_, next.length() / 2);
  }

  void fill(FuseOutcome& outcome) const {
    const int count = cascade_.einsum_count();
    const Cuts cuts = known();
    const double bound_pj = least(0, count - 1).pj;
    outcome.status = FuseOutcome::Status::Found;
    outcome.searched = FuseOutcome::Searched::Flat;
    outcome.remainders = options_.remainders;
    outcome.recomputes = options_.recompute;
    outcome.plan.shared = shared_;
    for (std::size_t i = 0; i < cuts.begins.size(); ++i) {
      const int last = i + 1 < cuts.begins.size() ? cuts.begins[i + 1] - 1 : count - 1;
      put_group(cuts.begins[i], groups_.at({cuts.begins[i], last}), outcome);
    }
    outcome.energy_pj = outcome.value = cuts.pj;
    outcome.unfused_value = outcome.unfused_pj;
    outcome.proven = bound_pj >= cuts.pj * (1 - 1e-9);
    outcome.bound = outcome.bound_pj = outcome.proven ? cuts.pj : bound_pj;
    outcome.seconds = deadline_.seconds();
  }

  static void put_group(int first, const Group& group, FuseOutcome& outcome) {
    outcome.group_pj.push_back(group.pj);
    PlanNode node = group.plan->groups.front();
    renumber(node, first);
    outcome.plan.groups.push_back(std::move(node));
    append(outcome.plan.leaves, group.plan->leaves);
  }

  static void renumber(PlanNode& node, int first) {
    if (node.is_leaf()) node.einsum += first;
    for (PlanNode& child : node.children) renumber(child, first);
  }

  const Cascade& cascade_;
  const Architecture& arch_;
  const FuseOptions& options_;
  const std::string& shared_;
  double to_beat_pj_;
  Deadline deadline_;
  SolvedNests nests_;
  std::map<std::pair<int, int>, Group> groups_;
  std::vector<SameGroups> kinds_;
  double share_ = 1;       // of the time, for what is searched now
  int longest_now_ = 0;    // einsums of its groups
  bool crossing_ = false;  // groups are searched that hand on what also leaves
  bool resumed_ = false;
  int longest_ = 0;  // einsums of a group that is searched; shrinks where time ends too soon
};

}  // namespace

FuseOutcome fuse_flat(const Cascade& cascade, const Architecture& arch, const FuseOptions& options,
                      const std::string& shared, const FlatAim& aim) {
  FuseOutcome refused;
  for (const CascadeEinsum& einsum : cascade.einsums) {
    append(refused.problems, problems_with_nests(einsum.workload, arch, shared));
  }
  if (!refused.problems.empty()) return refused;
  return FlatSearch(cascade, arch, options, shared, aim).run();
}

}  // namespace tilewright::fusion
