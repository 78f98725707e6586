#include "fusion/flat_search.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "cascade/same_work.h"
#include "fusion/count_loads.h"
#include "fusion/flat_group.h"
#include "fusion/flat_groups.h"
#include "fusion/flat_homes.h"
#include "fusion/flat_times.h"
#include "fusion/search_split.h"

namespace tilewright::fusion {

namespace {

// Short groups must be done after this share of the time, and those that hand on nothing that also
// leaves after the next.
constexpr double kShareOfShort = 0.5, kShareWithin = 0.85;

// Groups that are the same work.
struct SameGroups {
  Cascade work;             // without names
  std::vector<int> begins;  // their first einsums
};

// What to search next.
struct NextGroup {
  GroupKey key = {0, -1};
  int waiting = 0;  // groups of the same cuts that were not searched yet, this one included
};

class FlatSearch {
 public:
  FlatSearch(const Cascade& cascade, const Architecture& arch, const FuseOptions& options,
             const std::vector<std::string>& shared, const FlatAim& aim)
      : cascade_(cascade),
        arch_(arch),
        options_(options),
        to_beat_pj_(aim.to_beat_pj.value_or(std::numeric_limits<double>::infinity())),
        homes_(aim.homes),
        deadline_(options.seconds, options.cancelled),
        groups_(cascade.einsum_count()) {
    for (const std::string& memory : shared) {
      nests_.push_back(std::make_unique<SolvedNests>(cascade, arch, memory, deadline_,
                                                     options.seconds, aim.evenness));
    }
    for (const GroupPlan& other : aim.others) {
      groups_[{other.first, other.last, memories()}] = {other.plan, other.pj, other.pj, true};
    }
  }

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
    const bool any_crossing = std::any_of(groups_.all().begin(), groups_.all().end(),
                                          [](const auto& one) { return one.second.crosses; });
    // Short groups are found soon, and those without what also leaves are few. They show what the
    // others have to beat.
    if (count > options_.longest_group) search_all(kShareOfShort, options_.longest_group / 2);
    if (any_crossing) search_all(kShareWithin, options_.longest_group);
    crossing_ = true;
    search_all(1, options_.longest_group);
    fill(outcome);
    if (!homes_.empty()) move_homes(outcome);
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

  int memories() const { return static_cast<int>(nests_.size()); }

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
    const Cascade einsum = part(e, e);
    // Without residents all memories are the same.
    const FlatTask task = task_of(einsum, {e, e, 0}, false);
    Group alone{unfused(einsum, task.shared), 0, 0, true};
    const std::optional<double> nests_pj =
        put_nests(task, *alone.plan, Geometry(einsum, *alone.plan), 0);
    const auto evaluation =
        nests_pj ? evaluate_plan(einsum, arch_, *alone.plan).value : std::nullopt;
    if (!evaluation) {
      outcome.problems.push_back({{},
                                  cascade_.workload(e).name + ": no nest fits",
                                  "tilewright map of this einsum says why"});
      return;
    }
    alone.pj = evaluation->energy_pj;
    alone.bound_pj = *nests_pj + evaluation->leaves.front().afterwards_pj;
    outcome.unfused_pj += alone.pj;
    groups_[{e, e}] = std::move(alone);
  }

  void add_group(int first, int last) {
    if (last - first >= options_.longest_group) return;
    const Cascade einsums = part(first, last);
    for (int m = 0; m < memories(); ++m) {
      Group& group = groups_[{first, last, m}];
      group.bound_pj = compulsory_pj(task_of(einsums, {first, last, m}, options_.recompute));
      for (const Intermediate& one : intermediates_of(einsums)) {
        group.crosses = group.crosses || einsums.einsums[at(one.writer)].leaves;
      }
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
  void share(const GroupKey& key) {
    const auto is_it = [&](const SameGroups& kind) {
      return kind.work.einsum_count() == key.length() && contains(kind.begins, key.first);
    };
    const SameGroups& kind = *std::find_if(kinds_.begin(), kinds_.end(), is_it);
    const Group found = groups_.at(key);
    for (const int other : kind.begins) {
      Group& group = groups_.at({other, other + key.length() - 1, key.source});
      if (other == key.first) continue;
      group.bound_pj = std::max(group.bound_pj, found.bound_pj);
      if (!found.plan) continue;
      group = found;
      take_names(key.first, other, *group.plan);
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
    take_nests(part(first, first + count - 1), arch_, plan);
  }

  double most_pj() const { return std::min(groups_.known().pj, to_beat_pj_); }

  // What a group promises: what it takes if that was searched for, else what it takes at least.
  std::optional<double> promised(const GroupKey& key, const Group& group) const {
    if (group.searched) return group.plan ? std::optional(group.pj) : std::nullopt;
    if (group.crosses && !crossing_) return std::nullopt;
    return key.length() <= longest_ ? std::optional(group.bound_pj) : std::nullopt;
  }

  // The longest one of the most promising cuts that was not searched yet; nothing if these promise
  // no more than what is known.
  std::optional<NextGroup> next_group() const {
    const GroupCuts cuts = *groups_.best_cuts(
        0, cascade_.einsum_count() - 1,
        [&](const GroupKey& key, const Group& group) { return promised(key, group); });
    if (cuts.pj >= most_pj() * (1 - 1e-12)) return std::nullopt;
    NextGroup next;
    for (const GroupKey& key : cuts.groups) {
      if (groups_.at(key).searched) continue;
      ++next.waiting;
      if (key.length() > next.key.length()) next.key = key;
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
    for (auto& [key, group] : groups_.all()) {
      any = any || group.cut_short;
      if (group.cut_short) group.searched = group.cut_short = false;
    }
    resumed_ = true;
    longest_ = longest_now_;
    return any;
  }

  FlatTask task_of(const Cascade& einsums, const GroupKey& key, bool recompute) {
    SolvedNests& nests = *nests_[at(key.source)];
    return {einsums, arch_, nests.shared(), nests, key.first, recompute};
  }

  void search_group(const NextGroup& next) {
    const int first = next.key.first, last = next.key.last;
    // What the others take at least is not there for this one.
    const double group_pj = most_pj() - groups_.least(0, first - 1).pj -
                            groups_.least(last + 1, cascade_.einsum_count() - 1).pj;
    const Cascade einsums = part(first, last);
    const Deadline deadline = share_of(next);
    FlatTask task = task_of(einsums, next.key, false);
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
    Group& group = groups_.at(next.key);
    group.searched = true;
    group.cut_short = deadline.has_passed();
    group.bound_pj = std::max(group.bound_pj, found.bound_pj);
    if (found.plan) {
      group.pj = found.pj;
      group.plan = std::move(found.plan);
    }
    share(next.key);
    // Where the time ended without a plan, groups of that length take too long.
    if (group.cut_short && !group.plan) longest_ = std::min(longest_, next.key.length() / 2);
  }

  // Groups of several einsums that are known; first those of the best plan.
  std::vector<GroupKey> known_groups() const {
    std::vector<GroupKey> keys;
    const auto add = [&](const GroupKey& key) {
      const GroupKey range{key.first, key.last};
      if (key.length() > 1 && !contains(keys, range)) keys.push_back(range);
    };
    for (const GroupKey& key : groups_.known().groups) add(key);
    for (const auto& [key, group] : groups_.all()) {
      if (group.plan) add(key);
    }
    return keys;
  }

  // Moves tensors of all groups between memories, and takes the best plan then.
  void move_homes(FuseOutcome& outcome) {
    const FuseOutcome before = outcome;
    std::vector<std::unique_ptr<SolvedNests>> own;  // of memories that were not searched here
    std::vector<SolvedNests*> nests;
    for (const std::string& memory : homes_) {
      const auto known = std::find_if(nests_.begin(), nests_.end(),
                                      [&](const auto& one) { return one->shared() == memory; });
      if (known == nests_.end()) {
        own.push_back(
            std::make_unique<SolvedNests>(cascade_, arch_, memory, deadline_, options_.seconds));
      }
      nests.push_back(known == nests_.end() ? own.back().get() : known->get());
    }
    for (const GroupKey& range : known_groups()) move_homes(range, nests);
    outcome.plan = {};
    outcome.group_pj.clear();
    fill(outcome);
    outcome.one_memory_pj = before.energy_pj;
    outcome.proven = before.proven;
    outcome.bound = outcome.bound_pj = before.bound_pj;
  }

  void move_homes(const GroupKey& range, const std::vector<SolvedNests*>& nests) {
    const Cascade einsums = part(range.first, range.last);
    std::vector<FlatTask> tasks;
    std::vector<FlatGroup> starts;
    for (SolvedNests* one : nests) {
      if (deadline_.has_passed()) return;
      tasks.push_back({einsums, arch_, one->shared(), *one, range.first, false});
      starts.push_back(start_in(range, tasks.back()));
    }
    FlatGroup found = search_homes(tasks, starts, deadline_);
    groups_[{range.first, range.last, memories() + 1}] = {std::move(found.plan), found.pj, 0, true};
  }

  // The group that is known of a memory; or, where none was of use, the best one.
  FlatGroup start_in(const GroupKey& range, const FlatTask& task) const {
    bool searched_here = false;
    for (int m = 0; m <= memories(); ++m) {
      const auto known = groups_.all().find({range.first, range.last, m});
      searched_here = searched_here || (m < memories() && nests_[at(m)]->shared() == task.shared);
      if (known == groups_.all().end() || !known->second.plan) continue;
      if (known->second.plan->shared != task.shared) continue;
      return {known->second.plan, known->second.pj, 0};
    }
    if (!searched_here) return {};
    return FlatGroupSearch(task).search(std::numeric_limits<double>::infinity(), deadline_);
  }

  void fill(FuseOutcome& outcome) const {
    const GroupCuts cuts = groups_.known();
    const double bound_pj = groups_.least().pj;
    outcome.status = FuseOutcome::Status::Found;
    outcome.searched = FuseOutcome::Searched::Flat;
    outcome.remainders = options_.remainders;
    outcome.recomputes = options_.recompute;
    outcome.plan.shared = nests_.front()->shared();
    for (const GroupKey& key : cuts.groups) put_group(key.first, groups_.at(key), outcome);
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
    if (group.plan->shared != outcome.plan.shared) node.shared = group.plan->shared;
    outcome.plan.groups.push_back(std::move(node));
    append(outcome.plan.leaves, group.plan->leaves);
  }

  const Cascade& cascade_;
  const Architecture& arch_;
  const FuseOptions& options_;
  double to_beat_pj_;
  std::vector<std::string> homes_;
  Deadline deadline_;
  std::vector<std::unique_ptr<SolvedNests>> nests_;  // by memory that groups may share
  // By memory; behind these are the groups of another search, and those with several homes.
  KnownGroups groups_;
  std::vector<SameGroups> kinds_;
  double share_ = 1;       // of the time, for what is searched now
  int longest_now_ = 0;    // einsums of its groups
  bool crossing_ = false;  // groups are searched that hand on what also leaves
  bool resumed_ = false;
  int longest_ = 0;  // einsums of a group that is searched; shrinks where time ends too soon
};

}  // namespace

void take_nests(const Cascade& cascade, const Architecture& arch, Plan& plan) {
  for (int e = 0; e < cascade.einsum_count(); ++e) {
    for (PrivateNest& nest : plan.leaves[at(e)].nests) {
      std::vector<std::int64_t> extents;
      for (const Dimension& dim : nest.problem.workload().dims) extents.push_back(dim.size);
      Checked<Problem> problem =
          leaf_problem(cascade.workload(e), arch, homes_of(cascade, plan, e), extents);
      if (has_points(nest.problem)) {
        problem = with_points(*problem.value, points_of(nest.problem));
      }
      nest.problem = std::move(*problem.value);
    }
  }
}

FuseOutcome search_flat(const Cascade& cascade, const Architecture& arch,
                        const FuseOptions& options, const std::vector<std::string>& shared,
                        const FlatAim& aim) {
  return FlatSearch(cascade, arch, options, shared, aim).run();
}

FuseOutcome fuse_flat(const Cascade& cascade, const Architecture& arch, const FuseOptions& options,
                      const std::vector<std::string>& shared, const FlatAim& aim) {
  FuseOutcome refused;
  for (const std::string& memory : shared) {
    for (const CascadeEinsum& einsum : cascade.einsums) {
      append(refused.problems, problems_with_nests(einsum.workload, arch, memory));
    }
  }
  if (!refused.problems.empty()) return refused;
  if (options.cycle_pj > 0) return fuse_flat_priced(cascade, arch, options, shared, aim);
  if (options.objective.cycles == 0) return search_flat(cascade, arch, options, shared, aim);
  return fuse_flat_timed(cascade, arch, options, shared, aim.evenness);
}

std::vector<double> flat_floors(const Cascade& cascade, const Architecture& arch,
                                const std::string& shared, const Deadline& deadline) {
  SolvedNests nests(cascade, arch, shared, deadline, std::nullopt);
  return einsum_floors({cascade, arch, nests.shared(), nests});
}

}  // namespace tilewright::fusion
