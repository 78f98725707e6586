#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "fusion/flat_search.h"
#include "fusion/search_cuts.h"
#include "fusion/search_split.h"
#include "tilewright/fusion.h"

namespace tilewright {

namespace {

using fusion::CutPlan;
using fusion::Total;

FuseOutcome refused(std::vector<Diagnostic> problems) {
  FuseOutcome outcome;
  outcome.problems = std::move(problems);
  return outcome;
}

// The search for an objective with time, or without.
template <class Point>
class Fusing {
 public:
  Fusing(const Cascade& cascade, const Architecture& arch, const FuseOptions& options,
         const fusion::CascadeFacts& facts, const std::string& shared, int longest)
      : cascade_(cascade),
        arch_(arch),
        options_(options),
        facts_(facts),
        shared_(shared),
        longest_(longest),
        deadline_(options.seconds, options.cancelled) {}

  FuseOutcome run() {
    try {
      tables_.emplace(cascade_, arch_, facts_, deadline_);
      if (!options_.one_group) tables_->add_split(arch_, shared_, longest_, deadline_);
    } catch (const Expired&) {
      return refused(
          {{{}, "the time did not suffice for the tables of all einsums", "allow more by --time"}});
    }
    // A hurried search finds what the thorough one has to beat, so that most of it is left out.
    Search alone(*tables_, aim({}, true));
    alone.whole().search_leaves();
    if (options_.one_group) return together();
    const auto unfused = cuts(alone, 1);
    if (!unfused) return infeasible(alone);
    std::optional<Total> to_beat;
    std::optional<Search> hurried;
    if (options_.prunes && cascade_.einsum_count() > 1) {
      hurried.emplace(*tables_, aim(unfused->total, true));
      hurried->search();
    }
    const auto first = hurried ? cuts(*hurried, longest_) : std::nullopt;
    if (options_.prunes) to_beat = first ? first->total : unfused->total;
    Search thorough(*tables_, aim(to_beat, false));
    FuseOutcome outcome;
    outcome.proven = thorough.search();
    const auto second = cuts(thorough, longest_);
    outcome.unfused_pj = unfused->total.pj;
    outcome.unfused_cycles = cycles_of(unfused->total);
    outcome.unfused_value = value_of(options_.objective, unfused->total);
    const bool hurry =
        first && (!second || is_better(options_.objective, first->total, second->total));
    fill(outcome, hurry ? *first : *second, hurry ? *hurried : thorough);
    return outcome;
  }

 private:
  using Search = fusion::GroupsSearch<Point>;

  // The best tree of all einsums.
  FuseOutcome together() const {
    Search hurried(*tables_, aim({}, true));
    hurried.search();
    const auto first = whole(hurried);
    Search thorough(*tables_, aim(first ? std::optional(first->total) : std::nullopt, false));
    FuseOutcome outcome;
    outcome.status = FuseOutcome::Status::Infeasible;
    outcome.proven = thorough.search();
    const auto second = whole(thorough);
    if (!first && !second) return outcome;
    const bool better =
        second && (!first || is_better(options_.objective, second->total, first->total));
    fill(outcome, better ? *second : *first, better ? thorough : hurried);
    return outcome;
  }

  std::optional<CutPlan> whole(const Search& search) const {
    const int last = cascade_.einsum_count() - 1;
    std::optional<CutPlan> best;
    for (const Point& point : search.group(0, last)) {
      const Total total = fusion::total_of(point);
      if (best && !is_better(options_.objective, total, best->total)) continue;
      best = CutPlan{total, {{0, last, point.origin, total}}};
    }
    return best;
  }

  fusion::SearchAim aim(std::optional<Total> to_beat, bool hurried) const {
    return {deadline_, options_.objective, to_beat, hurried};
  }

  std::optional<CutPlan> cuts(const Search& search, int longest) const {
    const auto trees = [&](int first, int last) {
      std::vector<fusion::GroupChoice> choices;
      for (const Point& point : search.group(first, last)) {
        choices.push_back({first, last, point.origin, fusion::total_of(point)});
      }
      return choices;
    };
    return fusion::best_cuts(cascade_.einsum_count(), longest, options_.objective, trees);
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
    if (options_.objective.cycles == 0) return std::nullopt;
    return static_cast<std::int64_t>(total.cycles);
  }

  void fill(FuseOutcome& outcome, const CutPlan& best, const Search& search) const {
    outcome.status = FuseOutcome::Status::Found;
    outcome.objective = options_.objective;
    outcome.energy_pj = best.total.pj;
    outcome.cycles = cycles_of(best.total);
    outcome.value = value_of(options_.objective, best.total);
    outcome.bound = outcome.proven ? outcome.value
                                   : value_of(options_.objective, search.whole().bounds().whole());
    const bool energy = options_.objective == Objective::Energy;
    outcome.bound_pj = energy ? outcome.bound : search.whole().bounds().whole().pj;
    outcome.plan.shared = shared_;
    outcome.plan.leaves.resize(cascade_.einsums.size());
    for (const fusion::GroupChoice& group : best.groups) {
      outcome.group_pj.push_back(group.total.pj);
      search.add_group(arch_, group.first, group.last, group.origin, outcome.plan);
    }
    outcome.seconds = deadline_.seconds();
  }

  const Cascade& cascade_;
  const Architecture& arch_;
  const FuseOptions& options_;
  const fusion::CascadeFacts& facts_;
  const std::string& shared_;
  int longest_;  // einsums of a group
  Deadline deadline_;
  std::optional<fusion::AllTables<Point>> tables_;
};

}  // namespace

namespace {

// Trees, which need tables of all nests.
FuseOutcome fuse_trees(const Cascade& cascade, const Architecture& arch, const FuseOptions& options,
                       const fusion::CascadeFacts& facts, const std::string& shared, int longest) {
  if (options.objective.cycles == 0) {
    return Fusing<fusion::FrontPoint>(cascade, arch, options, facts, shared, longest).run();
  }
  std::vector<Diagnostic> problems;
  for (std::string& no : fusion::PortTimes::refusals(cascade, arch, facts)) {
    problems.push_back({{}, std::move(no), "ask for --objective energy"});
  }
  if (!problems.empty()) return refused(std::move(problems));
  return Fusing<fusion::TimedPoint>(cascade, arch, options, facts, shared, longest).run();
}

// The better one of two searches of one cascade; both found a plan.
FuseOutcome better(FuseOutcome trees, FuseOutcome flat) {
  const bool proven = trees.proven && flat.proven;
  const double bound = std::min(trees.bound, flat.bound), seconds = trees.seconds + flat.seconds;
  trees.remainders = flat.remainders;
  FuseOutcome best = flat.value < trees.value ? std::move(flat) : std::move(trees);
  best.searched = FuseOutcome::Searched::TreesAndFlat;
  best.proven = proven;
  best.bound = best.bound_pj = bound;
  best.seconds = seconds;
  return best;
}

}  // namespace

FuseOutcome fuse(const Cascade& cascade, const Architecture& arch, const FuseOptions& options) {
  const auto shared = options.shared ? options.shared : default_shared_memory(arch);
  if (!shared) return refused({{{}, "the architecture has no second memory to be shared", ""}});
  const bool timed = options.objective.cycles > 0;
  if (timed && options.recompute) {
    return refused(
        {{{}, "work is done again for the least energy alone", "leave out --recompute"}});
  }
  if (timed && options.remainders) {
    return refused(
        {{{}, "loops leave a remainder for the least energy alone", "leave out --remainders"}});
  }
  const int longest =
      timed ? std::min(options.longest_group, kLongestTimedGroup) : options.longest_group;
  const Checked<fusion::CascadeFacts> facts =
      fusion::CascadeFacts::create(cascade, arch, *shared, longest);
  if (!facts.ok() && timed) return refused(facts.problems);
  if (!facts.ok()) return fusion::fuse_flat(cascade, arch, options, *shared);
  FuseOutcome trees = fuse_trees(cascade, arch, options, *facts.value, *shared, longest);
  if ((!options.recompute && !options.remainders) || !trees.found()) return trees;
  return better(std::move(trees), fusion::fuse_flat(cascade, arch, options, *shared));
}

}  // namespace tilewright
