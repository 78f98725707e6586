#include "fusion/search_trees.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <type_traits>

#include "fusion/search_cuts.h"
#include "fusion/search_split.h"

namespace tilewright::fusion {

FuseOutcome without_plan(std::vector<Diagnostic> problems) {
  FuseOutcome outcome;
  outcome.problems = std::move(problems);
  return outcome;
}

namespace {

// The search for an objective with time, or without.
template <class Point>
class Fusing {
 public:
  Fusing(const Cascade& cascade, const Architecture& arch, const TreesTask& task,
         OtherFloors others = {})
      : cascade_(cascade),
        arch_(arch),
        options_(task.options),
        goal_(goal_of(task.options)),
        facts_(task.facts),
        shared_(task.shared),
        longest_(task.longest),
        others_(std::move(others)),
        deadline_(task.options.seconds, task.options.cancelled) {}

  // Also lists the groups of several einsums that were found.
  FuseOutcome run(std::vector<GroupPlan>& groups) {
    groups_ = &groups;
    return run();
  }

  // Even and uneven nests, in plans that are no worse than this one of even nests.
  FuseOutcome run_uneven(const FuseOutcome& even) {
    const Total to_beat{even.energy_pj, static_cast<double>(even.cycles.value_or(0))};
    try {
      tables_.emplace(cascade_, arch_, facts_, Evenness::Uneven, deadline_);
      tables_->add_split(arch_, shared_, longest_, deadline_);
      const AllLeaves<Point> leaves(*tables_, leaf_aim(Kind::All, to_beat), deadline_);
      std::vector<Found> found;
      FuseOutcome outcome;
      outcome.proven = search(leaves, aim(to_beat, false), found);
      const Search any(*tables_, leaves, aim(to_beat, false));
      const Total least = any.whole().bounds().whole();
      outcome.bound = outcome.proven ? even.value : value_of(goal_, least);
      outcome.bound_pj = least.pj;
      if (!found.empty()) fill(outcome, found.front());
      return outcome;
    } catch (const Expired&) {
      return {};
    }
  }

  FuseOutcome run() {
    try {
      tables_.emplace(cascade_, arch_, facts_, Evenness::Even, deadline_);
      if (!options_.one_group) tables_->add_split(arch_, shared_, longest_, deadline_);
      first_leaves_.emplace(*tables_, leaf_aim(kTimed ? Kind::Fastest : Kind::All, {}), deadline_);
      if (options_.one_group) return together();
      return cut(unfused());
    } catch (const Expired&) {
      return without_plan(
          {{{}, "the time did not suffice for the tables of all einsums", "allow more by --time"}});
    }
  }

 private:
  using Search = GroupsSearch<Point>;
  using Kind = LeafAim::Kind;
  static constexpr bool kTimed = std::is_same_v<Point, TimedPoint>;

  // A plan and the search that can write it.
  struct Found {
    CutPlan plan;
    std::shared_ptr<const Search> search;
  };

  // The best plan without fusion.
  std::shared_ptr<Search> unfused() const {
    const auto alone = [&](const AllLeaves<Point>& leaves) {
      auto search = std::make_shared<Search>(*tables_, leaves, aim({}, true));
      search->whole().search_leaves();
      return search;
    };
    std::shared_ptr<Search> search = alone(*first_leaves_);
    if (!kTimed) return search;
    // What the fastest nests take need not be the least.
    const auto fastest = options_.prunes ? cuts(*search, 1) : std::nullopt;
    const auto to_beat = fastest ? std::optional(fastest->total) : std::nullopt;
    return alone({*tables_, leaf_aim(Kind::Alone, to_beat), deadline_});
  }

  FuseOutcome cut(const std::shared_ptr<const Search>& alone) const {
    const auto unfused = cuts(*alone, 1);
    if (!unfused) return infeasible(*alone);
    std::vector<Found> found = {{*unfused, alone}};
    // A hurried search finds what the thorough one has to beat, so that most of it is left out.
    if (options_.prunes && cascade_.einsum_count() > 1) {
      search(*first_leaves_, aim(unfused->total, true), found);
    }
    FuseOutcome outcome;
    outcome.proven = search_thoroughly(found);
    outcome.unfused_pj = unfused->total.pj;
    outcome.unfused_cycles = cycles_of(unfused->total);
    outcome.unfused_value = value_of(goal_, unfused->total);
    fill(outcome, best_of(found));
    if (groups_ != nullptr) list_groups(found);
    return outcome;
  }

  // The best tree of all einsums.
  FuseOutcome together() const {
    std::vector<Found> found;
    search(*first_leaves_, aim({}, true), found);
    FuseOutcome outcome;
    outcome.status = FuseOutcome::Status::Infeasible;
    outcome.proven = search_thoroughly(found);
    if (!found.empty()) fill(outcome, best_of(found));
    return outcome;
  }

  // The best tree of each group, by itself.
  void list_groups(const std::vector<Found>& found) const {
    const int count = cascade_.einsum_count();
    for (int first = 0; first < count; ++first) {
      for (int last = first + 1; last < std::min(count, first + longest_); ++last) {
        const Search* search = nullptr;
        const Point* best = nullptr;
        for (const Found& one : found) {
          for (const Point& point : one.search->group(first, last)) {
            if (best != nullptr && point.pj >= best->pj) continue;
            search = one.search.get();
            best = &point;
          }
        }
        if (best != nullptr) groups_->push_back(group_of(*search, first, last, *best));
      }
    }
  }

  GroupPlan group_of(const Search& search, int first, int last, const Point& point) const {
    Plan plan;
    plan.shared = shared_;
    plan.leaves.resize(cascade_.einsums.size());
    search.add_group(arch_, first, last, point.origin, plan);
    renumber(plan.groups.front(), -first);
    plan.leaves.erase(plan.leaves.begin() + last + 1, plan.leaves.end());
    plan.leaves.erase(plan.leaves.begin(), plan.leaves.begin() + first);
    return {first, last, std::move(plan), point.pj};
  }

  // Adds the best plan that it finds; false if the time did not suffice for all.
  bool search(const AllLeaves<Point>& leaves, const SearchAim& aim,
              std::vector<Found>& found) const {
    const auto made = std::make_shared<Search>(*tables_, leaves, aim);
    const bool complete = made->search();
    const auto plan = options_.one_group ? whole(*made) : cuts(*made, longest_);
    if (plan) found.push_back({*plan, made});
    return complete;
  }

  // With all nests that a plan may have which is as good as those that were found before.
  bool search_thoroughly(std::vector<Found>& found) const {
    std::optional<Total> to_beat;
    if (options_.prunes && !found.empty()) to_beat = best_of(found).plan.total;
    if (!kTimed) return search(*first_leaves_, aim(to_beat, false), found);
    try {
      const AllLeaves<Point> leaves(*tables_, leaf_aim(Kind::All, to_beat), deadline_);
      return search(leaves, aim(to_beat, false), found);
    } catch (const Expired&) {
      return false;
    }
  }

  // If plans are equally good, the one that was found last is taken.
  const Found& best_of(const std::vector<Found>& found) const {
    const Found* best = &found.back();
    for (const Found& one : found) {
      if (is_better(goal_, one.plan.total, best->plan.total)) best = &one;
    }
    return *best;
  }

  std::optional<CutPlan> whole(const Search& search) const {
    const int last = cascade_.einsum_count() - 1;
    std::optional<CutPlan> best;
    for (const Point& point : search.group(0, last)) {
      const Total total = total_of(point);
      if (best && !is_better(goal_, total, best->total)) continue;
      best = CutPlan{total, {{0, last, point.origin, total}}};
    }
    return best;
  }

  SearchAim aim(std::optional<Total> to_beat, bool hurried) const {
    return {deadline_, goal_, to_beat, hurried, others_};
  }

  LeafAim leaf_aim(Kind kind, std::optional<Total> to_beat) const { return {kind, goal_, to_beat}; }

  std::optional<CutPlan> cuts(const Search& search, int longest) const {
    const auto trees = [&](int first, int last) {
      std::vector<GroupChoice> choices;
      for (const Point& point : search.group(first, last)) {
        choices.push_back({first, last, point.origin, total_of(point)});
      }
      return choices;
    };
    return best_cuts(cascade_.einsum_count(), longest, goal_, trees);
  }

  FuseOutcome infeasible(const Search& search) const {
    FuseOutcome outcome;
    outcome.status = FuseOutcome::Status::Infeasible;
    for (int e = 0; e < cascade_.einsum_count(); ++e) {
      if (!search.group(e, e).empty()) continue;
      outcome.problems.push_back(
          {{},
           fmt::format("{}: no nest fits, not even with every tensor streamed",
                       cascade_.workload(e).name),
           "make memories larger; tilewright map of this einsum says which"});
    }
    return outcome;
  }

  std::optional<std::int64_t> cycles_of(const Total& total) const {
    if (!goal_.is_timed()) return std::nullopt;
    return static_cast<std::int64_t>(total.cycles);
  }

  void fill(FuseOutcome& outcome, const Found& found) const {
    const CutPlan& best = found.plan;
    const Search& search = *found.search;
    outcome.status = FuseOutcome::Status::Found;
    outcome.objective = options_.objective;
    outcome.energy_pj = best.total.pj;
    outcome.cycles = cycles_of(best.total);
    outcome.value = value_of(goal_, best.total);
    outcome.bound =
        outcome.proven ? outcome.value : value_of(goal_, search.whole().bounds().whole());
    outcome.bound_pj = goal_.is_timed() ? search.whole().bounds().whole().pj : outcome.bound;
    outcome.plan.shared = shared_;
    outcome.plan.leaves.resize(cascade_.einsums.size());
    for (const GroupChoice& group : best.groups) {
      outcome.group_pj.push_back(group.total.pj);
      search.add_group(arch_, group.first, group.last, group.origin, outcome.plan);
    }
    outcome.seconds = deadline_.seconds();
  }

  const Cascade& cascade_;
  const Architecture& arch_;
  const FuseOptions& options_;
  Goal goal_;
  const CascadeFacts& facts_;
  const std::string& shared_;
  int longest_;  // einsums of a group
  OtherFloors others_;
  Deadline deadline_;
  std::vector<GroupPlan>* groups_ = nullptr;
  std::optional<AllTables<Point>> tables_;
  std::optional<AllLeaves<Point>> first_leaves_;
};

}  // namespace

FuseOutcome fuse_trees(const Cascade& cascade, const Architecture& arch, const TreesTask& task) {
  if (!goal_of(task.options).is_timed()) return Fusing<FrontPoint>(cascade, arch, task).run();
  return Fusing<TimedPoint>(cascade, arch, task).run();
}

FuseOutcome fuse_trees_uneven(const Cascade& cascade, const Architecture& arch,
                              const TreesTask& task, const FuseOutcome& even) {
  if (!goal_of(task.options).is_timed()) {
    return Fusing<FrontPoint>(cascade, arch, task).run_uneven(even);
  }
  return Fusing<TimedPoint>(cascade, arch, task).run_uneven(even);
}

FuseOutcome fuse_trees(const Cascade& cascade, const Architecture& arch, const TreesTask& task,
                       const OtherFloors& others, std::vector<GroupPlan>& groups) {
  return Fusing<FrontPoint>(cascade, arch, task, others).run(groups);
}

}  // namespace tilewright::fusion
