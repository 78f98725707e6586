#include "support/brute_force.h"

#include "support/compare_with_oracle.h"

namespace tilewright::testing {
namespace {

void ask_oracle(BruteForce& result, const Problem& problem, const Mapping& mapping) {
  for (const std::string& difference : compare_counts_with_oracle({problem, mapping})) {
    result.doubts.push_back(describe({problem, mapping}) + "\n  " + difference);
  }
}

}  // namespace

void note_mapping(BruteForce& result, const Mapping& mapping, const Score& score) {
  ++result.valid;
  for (std::size_t i = 0; i < kObjectives.size(); ++i) {
    std::optional<BruteForce::Best>& best = result.best[i];
    if (!best || is_better(kObjectives[i], score, best->score)) best = {score, mapping};
  }
}

BruteForce brute_force(const Evaluator& evaluator, SpaceKind kind,
                       const Restrictions& restrictions) {
  const Problem& problem = evaluator.problem();
  const MadeSpace space = MapSpace::create(problem, kind, restrictions);
  BruteForce result;
  if (!space.ok()) return result;
  result.mappings = *space.value->size().small();
  // The oracle walks the whole nest; a few of them are enough.
  const std::uint64_t sampled = 1 + result.mappings / 2;
  Walk walk(*space.value, 0, space.value->size());
  for (std::uint64_t i = 1; const Mapping* mapping = walk.next(); ++i) {
    const Score score = evaluator.score(*mapping);
    if (!score.verdict.fits()) continue;
    note_mapping(result, *mapping, score);
    if (i % sampled == 0) ask_oracle(result, problem, *mapping);
  }
  if (result.valid > 0) ask_oracle(result, problem, result.best.back()->mapping);
  return result;
}

}  // namespace tilewright::testing
