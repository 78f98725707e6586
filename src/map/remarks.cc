// What belongs to an outcome beside its figures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "parts.h"

namespace tilewright {

namespace {

// "less EDP", "less energy", "fewer cycles"
std::string saving_in(Objective objective) {
  if (objective == Objective::Energy) return "less energy";
  if (objective == Objective::Latency) return "fewer cycles";
  if (objective == Objective::Edp) return "less EDP";
  return fmt::format("less {}", objective == Objective::Ed2p ? "ED2P" : to_string(objective));
}

// Rounded down: so much was found.
int percent_of(double share) { return static_cast<int>(std::floor(100 * share + 1e-9)); }

// "#3", "#1 to #4, #7"
std::string numbers_text(const std::vector<std::size_t>& numbers) {
  std::string text;
  for (std::size_t first = 0; first < numbers.size();) {
    std::size_t last = first;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += fmt::format("{}#{}", text.empty() ? "" : ", ", numbers[first]);
    if (last > first) {
      text += fmt::format("{}#{}", last == first + 1 ? ", " : " to ", numbers[last]);
    }
    first = last + 1;
  }
  return text;
}

// Sentences in the order in which they come up, with the numbers of their layers.
class Collector {
 public:
  void add(const std::string& sentence, std::size_t layer) {
    const auto [known, inserted] = places_.emplace(sentence, sentences_.size());
    if (inserted) sentences_.push_back({sentence, {}});
    sentences_[known->second].layers.push_back(layer + 1);
  }

  // The layers are left out where a sentence holds for all of them.
  std::vector<std::string> take(std::size_t all) const {
    std::vector<std::string> texts;
    for (const auto& [sentence, layers] : sentences_) {
      const bool everywhere = layers.size() == all;
      texts.push_back(everywhere ? sentence
                                 : fmt::format("Layer{} {}: {}", layers.size() == 1 ? "" : "s",
                                               numbers_text(layers), sentence));
    }
    return texts;
  }

 private:
  struct Sentence {
    std::string text;
    std::vector<std::size_t> layers;
  };
  std::vector<Sentence> sentences_;
  std::map<std::string, std::size_t> places_;
};

std::string best_roles(const MapOutcome& outcome) {
  return fmt::format("Of {} ways to deal out the roles, {} is the best.", outcome.roles.size(),
                     roles_text(outcome.problem->workload()));
}

// No mapping uses more, with remainders or without.
std::int64_t most_instances(const Problem& problem, const Restrictions& restrictions) {
  std::int64_t all = 1;
  for (int s = 0; s < problem.slot_count(); ++s) {
    if (problem.slots()[at(s)].is_temporal()) continue;
    const std::int64_t along = problem.instances_along(s);
    std::int64_t most = 1;
    for (int d = 0; d < problem.dim_count() && most < along; ++d) {
      const Int128 more = Int128{most} * restrictions.limits(s, DimId{d}).most;
      most = more > along ? along : static_cast<std::int64_t>(more);
    }
    all *= most;
  }
  return all;
}

// A search of some milliseconds that looks at no clock.
SearchResult search_quickly(const Evaluator& evaluator, const Restrictions& restrictions,
                            const MapOptions& options) {
  Limits quick;
  quick.threads = options.limits.threads;
  quick.evaluations = 1000;
  quick.cancelled = options.limits.cancelled;
  return find_mapper("quickflow")
      ->run({evaluator, SpaceKind::RubyS, restrictions, options.objective}, quick, {})
      .search;
}

void add_remainders(const NetworkOutcome& outcome, Objective objective,
                    std::vector<std::string>& remarks) {
  std::vector<std::size_t> layers;
  double least = 1;
  double most = 0;
  for (std::size_t i = 0; i < outcome.layers.size(); ++i) {
    const auto& gain = outcome.of(i).remainders;
    if (!gain) continue;
    layers.push_back(i + 1);
    least = std::min(least, gain->share);
    most = std::max(most, gain->share);
  }
  if (layers.empty()) return;
  const std::string range = percent_of(least) == percent_of(most)
                                ? fmt::format("{} %", percent_of(most))
                                : fmt::format("{} to {} %", percent_of(least), percent_of(most));
  add_text(remarks,
           "Perfect factors leave compute instances idle in {} of {} layers; with --mapspace "
           "ruby-s, where loops may leave remainders, a quick search finds mappings of {} "
           "that take {} {}.",
           layers.size(), outcome.layers.size(),
           layers.size() == 1 ? fmt::format("layer #{}", layers.front()) : "these", range,
           saving_in(objective));
}

}  // namespace

std::optional<RemainderGain> map::gain_of_remainders(const MapOutcome& outcome,
                                                     const MapOptions& options) {
  constexpr double kWorthSaying = 0.05;
  const bool compared = options.mapper->proves || options.mapper == find_mapper("quickflow");
  if (!outcome.found() || options.space != SpaceKind::Perfect || options.padded || !compared ||
      is_cancelled(options)) {
    return std::nullopt;
  }
  const Problem& problem = *outcome.problem;
  const Checked<Evaluator> evaluator = Evaluator::compile(problem);
  const Checked<Restrictions> restrictions = Restrictions::create(problem, options.constraints);
  if (!evaluator.ok() || !restrictions.ok()) return std::nullopt;
  const Evaluation perfect = evaluator.value->evaluate(*outcome.search.best);
  const std::int64_t used = perfect.compute_instances;
  const bool waits_for_memory = perfect.score.cycles > perfect.array_cycles();
  if (waits_for_memory || used >= most_instances(problem, *restrictions.value)) {
    return std::nullopt;
  }
  const SearchResult found = search_quickly(*evaluator.value, *restrictions.value, options);
  // Less by other means than more instances is no matter of factors.
  if (!found.best || is_cancelled(options) ||
      evaluator.value->evaluate(*found.best).compute_instances <= used) {
    return std::nullopt;
  }
  const Objective objective = options.objective;
  const double share =
      1 - value_of(objective, found.score) / value_of(objective, outcome.search.score);
  if (share < kWorthSaying) return std::nullopt;
  const std::int64_t instances = physical_instances(problem.arch(), problem.arch().compute_level());
  return RemainderGain{instances - used, instances, share};
}

std::vector<std::string> remarks_on(const MapOutcome& outcome, const MapOptions& options) {
  std::vector<std::string> remarks = outcome.remarks;
  if (outcome.remainders) {
    const RemainderGain& gain = *outcome.remainders;
    add_text(remarks,
             "Perfect factors leave {} of {} compute instances idle; with --mapspace ruby-s, where "
             "loops "
             "may leave remainders, a quick search finds a mapping that takes {} % {}.",
             gain.idle, gain.instances, percent_of(gain.share), saving_in(options.objective));
  }
  return remarks;
}

std::vector<std::string> remarks_on(const NetworkOutcome& outcome, const MapOptions& options) {
  Collector collector;
  for (std::size_t i = 0; i < outcome.layers.size(); ++i) {
    const MapOutcome& of_layer = outcome.of(i);
    if (!of_layer.roles.empty() && of_layer.found()) collector.add(best_roles(of_layer), i);
    for (const std::string& remark : of_layer.remarks) collector.add(remark, i);
  }
  std::vector<std::string> remarks = collector.take(outcome.layers.size());
  add_remainders(outcome, options.objective, remarks);
  return remarks;
}

}  // namespace tilewright
