#include "support/check_uneven.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/asked.h"
#include "support/check_optimum.h"
#include "support/compare_with_oracle.h"
#include "support/problems.h"
#include "support/uneven_case.h"
#include "tilewright/certificate.h"

namespace tilewright::testing {
namespace {

// What is wrong with the checker: it must verify the best mapping, by trees as well as by lattices,
// and refuse the best even one as the best of all where it is not.
std::string judge_certificate(const SmallInstance& instance, SpaceKind kind, Objective objective,
                              const UnevenBruteForce::Best& best, const OptimalResult& even) {
  certificate::Claim claim{instance.problem, kind,         instance.constraints,
                           objective,        best.mapping, {}};
  claim.among = certificate::Among::All;
  if (has_points(best.problem)) claim.apart = best.problem;
  const certificate::Proven proven = certificate::prove(claim);
  if (!proven.problems.empty()) return to_string(proven.problems.front());
  if (proven.better) return "the checker knows a better mapping";
  if (!same_value(std::stod(proven.certificate->value), value_of(objective, best.score))) {
    return "the checker counts " + proven.certificate->value;
  }
  certificate::Certificate with_trees = *proven.certificate;
  for (certificate::Run& run : with_trees.proof) {
    if (run.step == certificate::ProofStep::Lattice) run.step = certificate::ProofStep::Tree;
  }
  for (const certificate::Certificate& claimed : {*proven.certificate, with_trees}) {
    const certificate::Outcome outcome = certificate::check(claimed);
    if (!outcome.problems.empty()) return "refused: " + to_string(outcome.problems.front());
  }
  if (!even.best || !is_better(objective, best.score, even.score)) return "";
  claim.mapping = *even.best;
  claim.apart.reset();
  const certificate::Proven forged = certificate::prove(claim);
  if (!forged.better) return "the checker takes an even mapping for the best";
  const Problem& problem = forged.apart ? *forged.apart : instance.problem;
  const Score score = make_evaluator(problem).score(*forged.better);
  return is_better(objective, score, even.score) ? "" : "what the checker found is no better";
}

// What is wrong with the answer to one objective; empty if nothing is.
std::string judge(const SmallInstance& instance, SpaceKind kind, Objective objective,
                  const std::optional<UnevenBruteForce::Best>& best, UnevenReport& report) {
  const Evaluator evaluator = make_evaluator(instance.problem);
  Asked asked;
  asked.objective = objective;
  const OptimalResult even = find_optimum(evaluator, kind, restrictions_of(instance), asked);
  asked.uneven = true;
  const OptimalResult answer = find_optimum(evaluator, kind, restrictions_of(instance), asked);
  if (!best) return answer.best ? "nothing fits, but there is a best mapping" : "";
  if (!answer.best) return "there is no best mapping";
  if (even.best && is_better(objective, even.score, answer.score)) return "even is better";
  const Problem& problem = answer.apart ? *answer.apart : instance.problem;
  const auto wrong = structural_problems(problem, *answer.best);
  if (!wrong.empty()) return "it is no mapping: " + wrong.front();
  if (!(make_evaluator(problem).score(*answer.best) == answer.score))
    return "the score is not its own";
  for (const std::string& line : compare_counts_with_oracle({problem, *answer.best})) return line;
  const double value = value_of(objective, best->score);
  if (answer.bound > value * (1 + 1e-12))
    return fmt::format("bound {} above {}", answer.bound, value);
  const bool proven = answer.status == Proof::Status::Proven;
  const bool equal = same_value(answer.score.energy_pj, best->score.energy_pj) &&
                     answer.score.cycles == best->score.cycles &&
                     answer.score.instances == best->score.instances;
  if (even.best && is_better(objective, answer.score, even.score)) ++report.gains;
  if (!proven) ++report.unproven;
  if (equal || !proven) return judge_certificate(instance, kind, objective, *best, even);
  return fmt::format("it has {} pJ and {} cycles on {}, the best {} pJ and {} cycles on {}:\n{}",
                     answer.score.energy_pj, answer.score.cycles, answer.score.instances,
                     best->score.energy_pj, best->score.cycles, best->score.instances,
                     describe({best->problem, best->mapping}));
}

// What is wrong with the front of energy against latency.
std::string judge_front(const SmallInstance& instance, SpaceKind kind,
                        const UnevenBruteForce& truth) {
  std::vector<std::pair<std::int64_t, double>> expected;
  for (const auto& [cycles, energy_pj] : truth.least_pj) {
    const bool better = expected.empty() || (energy_pj < expected.back().second &&
                                             !same_value(energy_pj, expected.back().second));
    if (better) expected.emplace_back(cycles, energy_pj);
  }
  Asked asked;
  asked.uneven = true;
  const ParetoFront front =
      find_front(make_evaluator(instance.problem), kind, restrictions_of(instance), asked);
  if (!front.complete) return "";
  if (front.points.size() != expected.size()) {
    return fmt::format("a front of {} points, not {}", front.points.size(), expected.size());
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const ParetoFront::Point& point = front.points[i];
    const Problem& problem = point.apart ? *point.apart : instance.problem;
    if (!(make_evaluator(problem).score(point.mapping) == point.score)) {
      return "the score of a point is not its own";
    }
    if (point.score.cycles != expected[i].first ||
        !same_value(point.score.energy_pj, expected[i].second)) {
      return fmt::format("point {} of the front has {} pJ and {} cycles, not {} pJ and {}", i + 1,
                         point.score.energy_pj, point.score.cycles, expected[i].second,
                         expected[i].first);
    }
  }
  return "";
}

}  // namespace

UnevenReport check_uneven_seed(std::uint64_t seed, SpaceKind kind, std::uint64_t most_mappings) {
  constexpr std::uint64_t kEvenMappings = 4'096;
  // Every fifth has a systolic array, and of the others some share halos.
  const SmallInstance instance = small_instance(
      seed, {.kind = kind, .most_mappings = kEvenMappings, .systolic = seed % 5 == 4});
  UnevenReport report = check_uneven(instance, kind, most_mappings);
  if (!report.failures.empty()) {
    report.failures = fmt::format("{}, seed {}\n", to_string(kind), seed) + report.failures;
  }
  return report;
}

UnevenReport check_uneven(const SmallInstance& instance, SpaceKind kind,
                          std::uint64_t most_mappings) {
  UnevenReport report;
  const auto truth = uneven_brute_force(instance, kind, most_mappings);
  if (!truth) return report;
  report.tried = true;
  report.mappings = truth->mappings;
  report.valid = truth->valid;
  for (std::size_t o = 0; o < kObjectives.size(); ++o) {
    const std::string wrong = judge(instance, kind, kObjectives[o], truth->best[o], report);
    if (wrong.empty()) continue;
    report.failures += fmt::format("{}, {} of {} fit: {}\n", to_string(kObjectives[o]),
                                   truth->valid, truth->mappings, wrong);
  }
  const std::string wrong_front = judge_front(instance, kind, *truth);
  if (!wrong_front.empty()) report.failures += wrong_front + "\n";
  if (!report.failures.empty()) report.failures += text_of(instance);
  return report;
}

}  // namespace tilewright::testing
