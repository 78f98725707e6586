// Private nests for plans that have trees and places of tensors alone.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "fusion/count_leaf.h"
#include "fusion/flat_nests.h"
#include "fusion/fronts_leaf.h"
#include "tilewright/mapspace.h"

namespace tilewright {
namespace {

using fusion::FrontPoint;

Diagnostic about(const Diagnostic& problem) {
  return {{}, problem.message, "write its nests into the plan (`tilewright explain plan`)"};
}

// The stack of an einsum with its whole sizes: energies of its tables are over all executions.
Checked<fusion::NestStack> stack_of(const Workload& workload, const Architecture& arch,
                                    const std::string& shared) {
  Checked<Problem> problem = Problem::create(workload, arch);
  if (!problem.ok()) return {std::nullopt, std::move(problem.problems)};
  Checked<Restrictions> restrictions = Restrictions::create(*problem.value);
  if (!restrictions.ok()) return {std::nullopt, std::move(restrictions.problems)};
  return fusion::NestStack::create(*problem.value, *restrictions.value, shared);
}

class NestFinder {
 public:
  NestFinder(const Cascade& cascade, const Architecture& arch, PlanNests& found)
      : cascade_(cascade), arch_(arch), found_(found), geometry_(cascade, found.plan) {}

  void find(int einsum) {
    const Workload& workload = cascade_.workload(einsum);
    const std::vector<Execution> executions = executions_of(cascade_, found_.plan, einsum);
    const std::vector<Home> homes = homes_of(geometry_, einsum);
    const Checked<fusion::NestStack> stack = stack_of(workload, arch_, homes.front().memory);
    if (stack.ok() && homes.size() == 1 && has_equal_parts(workload, executions)) {
      find_in(*stack.value, einsum, executions.front().extents);
      return;
    }
    for (const Home& home : homes) {
      for (const Diagnostic& problem : fusion::problems_with_nests(workload, arch_, home.memory)) {
        if (!contains_message(problem)) found_.problems.push_back(about(problem));
      }
    }
    if (!found_.problems.empty()) return;
    fusion::SolvedNests& solved = solved_
                                      .try_emplace(homes.front().memory, cascade_, arch_,
                                                   homes.front().memory, no_deadline_, std::nullopt)
                                      .first->second;
    for (const Execution& execution : executions) solve(solved, einsum, execution);
  }

 private:
  static bool has_equal_parts(const Workload& workload, const std::vector<Execution>& executions) {
    if (executions.size() != 1) return false;
    for (std::size_t d = 0; d < workload.dims.size(); ++d) {
      if (workload.dims[d].size % executions.front().extents[d] != 0) return false;
    }
    return true;
  }

  // Two memories may have the same problem.
  bool contains_message(const Diagnostic& problem) const {
    return std::any_of(found_.problems.begin(), found_.problems.end(),
                       [&](const Diagnostic& one) { return one.message == problem.message; });
  }

  // Where there are no tables of nests: one by one.
  void solve(fusion::SolvedNests& solved, int einsum, const Execution& execution) {
    const Checked<Problem> problem = leaf_problem(cascade_.workload(einsum), arch_,
                                                  homes_of(geometry_, einsum), execution.extents);
    append(found_.problems, problem.problems);
    if (!problem.ok()) return;
    auto found = solved.find_in(geometry_, einsum, execution);
    if (!found) {
      refuse(einsum, execution.extents);
      return;
    }
    found_.plan.leaves[at(einsum)].nests.push_back(std::move(found->nest));
  }

  void find_in(const fusion::NestStack& stack, int einsum,
               const std::vector<std::int64_t>& extents) {
    const Workload& workload = cascade_.workload(einsum);
    const std::uint32_t residents = residents_of(cascade_, found_.plan, einsum);
    const Checked<Problem> problem =
        leaf_problem(workload, arch_, geometry_.shared(einsum), residents, extents);
    append(found_.problems, problem.problems);
    if (!problem.ok()) return;
    PerDim parts{};
    std::uint32_t cut = 0;
    for (std::size_t d = 0; d < extents.size(); ++d) {
      parts[d] = extents[d];
      if (extents[d] != workload.dims[d].size) cut |= std::uint32_t{1} << d;
    }
    const fusion::NestTable table(stack);
    const fusion::LeafFronts<FrontPoint> fronts(table, cut);
    const std::uint32_t streamed = ((std::uint32_t{1} << workload.tensors.size()) - 1) & ~residents;
    const std::int64_t taken = fusion::room_taken(geometry_, arch_, einsum, extents);
    const FrontPoint* best = nullptr;
    for (const FrontPoint& point :
         fronts.front(streamed, fronts.lattice().index_of(parts)).points()) {
      if (point.room <= stack.capacity() - taken) best = &point;  // the last one costs least
    }
    if (best == nullptr) {
      refuse(einsum, extents);
      return;
    }
    found_.plan.leaves[at(einsum)].nests.push_back(
        fronts.nest(best->origin, parts, *problem.value));
  }

  void refuse(int einsum, const std::vector<std::int64_t>& extents) {
    std::vector<std::string> live;
    for (const Home& home : homes_of(geometry_, einsum)) {
      const auto& memory = std::get<Memory>(arch_.level(*arch_.find_level(home.memory)));
      const std::int64_t taken = fusion::room_taken(geometry_, arch_, einsum, extents, home.memory);
      if (taken == 0) continue;
      const std::vector<std::string> texts =
          in_one_unit(memory.capacity.unit, {taken, fusion::capacity_of(memory)});
      live.push_back(
          fmt::format("the {} that are live in {}, of {}", texts[0], home.memory, texts[1]));
    }
    found_.misfit.push_back(fmt::format("{}: no nest of it fits{}{}",
                                        cascade_.workload(einsum).name,
                                        live.empty() ? "" : " beside ", list_of(live)));
  }

  const Cascade& cascade_;
  const Architecture& arch_;
  PlanNests& found_;
  Geometry geometry_;
  Deadline no_deadline_{std::nullopt};
  std::map<std::string, fusion::SolvedNests> solved_;  // by the memory that a group shares
};

}  // namespace

PlanNests find_nests(const Cascade& cascade, const Architecture& arch, const Plan& plan) {
  PlanNests found{plan, {}, {}};
  for (std::string& problem : problems_of(cascade, plan)) {
    found.problems.push_back({{}, std::move(problem), ""});
  }
  if (!found.problems.empty()) return found;
  NestFinder finder(cascade, arch, found);
  for (int e = 0; e < cascade.einsum_count(); ++e) {
    if (plan.leaves[at(e)].nests.empty()) finder.find(e);
  }
  return found;
}

}  // namespace tilewright
