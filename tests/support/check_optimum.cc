#include "support/check_optimum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "support/compare_with_oracle.h"
#include "support/problems.h"
#include "tilewright/certificate.h"
#include "tilewright/io.h"

namespace tilewright::testing {
namespace {

using Status = OptimalResult::Status;

// So fine that even small map-spaces are taken apart.
constexpr Granularity kFine = {.looks = {{{4, 2048}, {8, 4096}, {16, 8192}}},
                               .most_extents = 20,
                               .first_effort = 64,
                               .more_effort = 4,
                               .short_steps = 256,
                               .first_part_effort = 64,
                               .more_part_effort = 2,
                               .plain_sets = 0,
                               .plain_frames = 0,
                               .unpooled_steps = 0,
                               .most_asked = 0,
                               .many_frames = 2,
                               .most_in_vain = 1 << 30,
                               .most_effort = std::uint64_t{1} << 32U,
                               .ungrouped = 0};

// Collects what is wrong with one answer.
class Trial {
 public:
  Trial(const OptimalResult& answer, const SmallInstance& instance, SpaceKind kind,
        Objective objective)
      : answer_(answer), instance_(instance), kind_(kind), objective_(objective) {}

  std::vector<std::string> run(const std::optional<BruteForce::Best>& best) {
    if (!best) {
      expect(answer_.status == Status::Infeasible, "nothing fits, which it does not say");
      expect(!answer_.best.has_value(), "nothing fits, but there is a best mapping");
      expect(!answer_.reasons.empty(), "it does not say why nothing fits");
    } else {
      expect(answer_.status == Status::Proven,
             fmt::format("it is not proven; status {}, stop {}", static_cast<int>(answer_.status),
                         static_cast<int>(answer_.stop)));
      expect(answer_.best.has_value(), "there is no best mapping");
    }
    if (best && answer_.best) {
      judge_mapping(best->mapping);
      judge_value(best->score);
      judge_bound(value_of(objective_, best->score));
      if (found_.empty()) judge_certificate();
    }
    return std::move(found_);
  }

 private:
  void expect(bool condition, const std::string& otherwise) {
    if (!condition) found_.push_back(otherwise);
  }

  void judge_mapping(const Mapping& known) {
    const MadeSpace space = MapSpace::create(instance_.problem, kind_, restrictions_of(instance_));
    for (const std::string& reason : space.value->why_not(*answer_.best)) {
      found_.push_back("its mapping is not in the space: " + reason);
    }
    if (!found_.empty()) return;
    const Score score = make_evaluator(instance_.problem).score(*answer_.best);
    expect(score.verdict.fits(), "its mapping does not fit");
    if (!score.verdict.fits()) return;
    expect(score == answer_.score,
           fmt::format("its mapping has {} pJ and {} cycles", score.energy_pj, score.cycles));
    if (*answer_.best == known) return;  // of which the oracle has been asked
    for (const std::string& difference :
         compare_counts_with_oracle({instance_.problem, *answer_.best})) {
      found_.push_back("of its mapping: " + difference);
    }
  }

  void judge_value(const Score& best) {
    const Score& own = answer_.score;
    expect(same_value(own.energy_pj, best.energy_pj) && own.cycles == best.cycles &&
               own.instances == best.instances,
           fmt::format("it has {} pJ and {} cycles on {} instances, the best {} pJ and {} cycles "
                       "on {}",
                       own.energy_pj, own.cycles, own.instances, best.energy_pj, best.cycles,
                       best.instances));
  }

  void judge_bound(double best) {
    expect(answer_.bound <= best || same_value(answer_.bound, best),
           fmt::format("its bound {} is above the best {}", answer_.bound, best));
    expect(answer_.bound >= best * (1 - 1e-9),
           fmt::format("its bound {} is below the best {}", answer_.bound, best));
    expect(answer_.gap >= 0 && answer_.gap <= 1e-9, fmt::format("its gap is {}", answer_.gap));
    expect(answer_.frames_expanded <= answer_.frames, "it expanded more frames than there are");
  }

  // The checker comes to the same end on its own way, or says what it cannot verify.
  void judge_certificate() {
    const certificate::Proven proven = certificate::prove(
        {instance_.problem, kind_, instance_.constraints, objective_, *answer_.best, {}});
    expect(!proven.better, "the checker knows a better mapping");
    for (const Diagnostic& problem : proven.problems) {
      expect(problem.message.starts_with("cannot prove: "), "no certificate: " + problem.message);
    }
    if (!proven.certificate) return;
    for (const Diagnostic& problem : certificate::check(*proven.certificate).problems) {
      found_.push_back("its certificate is refused: " + problem.message);
    }
  }

  const OptimalResult& answer_;
  const SmallInstance& instance_;
  SpaceKind kind_;
  Objective objective_;
  std::vector<std::string> found_;
};

std::string mapping_text(const SmallInstance& instance, const std::string& what,
                         const std::optional<Mapping>& mapping) {
  if (!mapping) return fmt::format("# {}: none\n", what);
  return fmt::format("# {}\n{}", what,
                     io::write_mapping(instance.problem, canonical(instance.problem, *mapping)));
}

// Energies of mappings that are equally good may be added up in another order.
bool is_alike(const Score& a, const Score& b) {
  return same_value(a.energy_pj, b.energy_pj) && a.cycles == b.cycles && a.instances == b.instances;
}

}  // namespace

bool same_value(double a, double b) {
  return std::abs(a - b) <= 1e-12 * std::max(std::abs(a), std::abs(b));
}

std::vector<std::string> wrong_with(const OptimalResult& answer, const SmallInstance& instance,
                                    SpaceKind kind, std::size_t objective,
                                    const BruteForce& truth) {
  return Trial(answer, instance, kind, kObjectives[objective]).run(truth.best[objective]);
}

CheckReport check_instance(const SmallInstance& instance, SpaceKind kind) {
  const Evaluator evaluator = make_evaluator(instance.problem);
  const Restrictions restrictions = restrictions_of(instance);
  const BruteForce truth = brute_force(evaluator, kind, restrictions);
  CheckReport report{{}, truth.mappings, truth.valid, 0};
  for (const std::string& doubt : truth.doubts) report.failures += doubt + "\n";
  for (std::size_t i = 0; i < kObjectives.size(); ++i) {
    Asked asked;
    asked.objective = kObjectives[i];
    const OptimalResult answer = find_optimum(evaluator, kind, restrictions, asked);
    report.slowest_seconds = std::max(report.slowest_seconds, answer.seconds);
    auto wrong = wrong_with(answer, instance, kind, i, truth);
    asked.granularity = kFine;
    const OptimalResult in_parts = find_optimum(evaluator, kind, restrictions, asked);
    if (in_parts.status != answer.status || !is_alike(in_parts.score, answer.score)) {
      wrong.push_back(fmt::format("taken apart it has {} pJ and {} cycles on {} instances",
                                  in_parts.score.energy_pj, in_parts.score.cycles,
                                  in_parts.score.instances));
    }
    if (wrong.empty()) continue;
    report.failures += fmt::format("{}, {} of {} mappings fit, {}:\n", to_string(kind), truth.valid,
                                   truth.mappings, to_string(kObjectives[i]));
    for (const std::string& line : wrong) report.failures += "  " + line + "\n";
    report.failures += mapping_text(instance, "found", answer.best);
    const auto& best = truth.best[i];
    report.failures +=
        mapping_text(instance, "best", best ? std::optional<Mapping>(best->mapping) : std::nullopt);
  }
  if (!report.failures.empty()) report.failures += text_of(instance);
  return report;
}

CheckReport check_seed(std::uint64_t seed, const SmallOptions& options) {
  CheckReport report = check_instance(small_instance(seed, options), options.kind);
  if (!report.failures.empty()) {
    report.failures = fmt::format("seed {}, ", seed) + report.failures;
  }
  return report;
}

}  // namespace tilewright::testing
