#include "support/check_local_search.h"

#include <fmt/format.h>

#include "support/problems.h"

namespace tilewright::testing {
namespace {

using Step = SearchResult::Step;

bool goes_down(const std::vector<Step>& steps, Objective objective) {
  for (std::size_t i = 1; i < steps.size(); ++i) {
    if (steps[i].seen <= steps[i - 1].seen || steps[i].valid <= steps[i - 1].valid) return false;
    // The last one may be the same but for rounding.
    if (!is_better(objective, steps[i].score, steps[i - 1].score) && i + 1 < steps.size()) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::vector<std::string> wrong_with(const SearchResult& answer, const Evaluator& evaluator,
                                    SpaceKind kind, const Restrictions& restrictions,
                                    Objective objective) {
  std::vector<std::string> found;
  const auto expect = [&](bool condition, const std::string& otherwise) {
    if (!condition) found.push_back(otherwise);
  };
  expect(answer.valid <= answer.seen, "more mappings are valid than were seen");
  expect(answer.best.has_value() == (answer.valid > 0), "a valid mapping is best, or none is");
  expect(goes_down(answer.steps, objective), "its steps do not go down");
  if (!answer.best) return found;
  expect(!answer.steps.empty() && answer.steps.back().score == answer.score,
         "its last step is not its answer");
  const MadeSpace space = MapSpace::create(evaluator.problem(), kind, restrictions);
  expect(space.ok() || space.too_large, "it found a mapping where the space has none");
  if (!space.ok()) return found;
  for (const std::string& reason : space.value->why_not(*answer.best)) {
    found.push_back("its mapping is not in the space: " + reason);
  }
  if (!found.empty()) return found;
  const Score score = evaluator.score(*answer.best);
  expect(score.verdict.fits(), "its mapping does not fit");
  expect(score == answer.score,
         fmt::format("its mapping has {} pJ and {} cycles", score.energy_pj, score.cycles));
  return found;
}

LocalSearchReport check_local_search(const SmallInstance& instance, SpaceKind kind,
                                     Objective objective) {
  return check_search(instance, kind, objective,
                      [](const auto&... asked) { return search_locally(asked...); });
}

LocalSearchReport check_search(const SmallInstance& instance, SpaceKind kind, Objective objective,
                               const SearchRun& run) {
  const Evaluator evaluator = make_evaluator(instance.problem);
  const Restrictions restrictions = restrictions_of(instance);
  Asked asked;
  asked.objective = objective;
  const SearchResult answer = run(evaluator, kind, restrictions, asked);
  Asked proof;
  proof.objective = objective;
  const OptimalResult optimum = find_optimum(evaluator, kind, restrictions, proof);
  LocalSearchReport report;
  if (answer.best) report.found = value_of(objective, answer.score);
  if (optimum.best) report.optimum = value_of(objective, optimum.score);
  auto wrong = wrong_with(answer, evaluator, kind, restrictions, objective);
  if (report.found && !report.optimum) wrong.emplace_back("it found a mapping where none fits");
  if (report.found && report.optimum && *report.found < *report.optimum &&
      !same_value(*report.found, *report.optimum)) {
    wrong.push_back(
        fmt::format("its value {} is below the optimum {}", *report.found, *report.optimum));
  }
  if (wrong.empty()) return report;
  report.failures = fmt::format("{}, {}:\n", to_string(kind), to_string(objective));
  for (const std::string& line : wrong) report.failures += "  " + line + "\n";
  report.failures += text_of(instance);
  return report;
}

}  // namespace tilewright::testing
