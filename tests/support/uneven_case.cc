#include "support/uneven_case.h"

#include <algorithm>
#include <stdexcept>

#include "base/bits.h"
#include "support/problems.h"
#include "support/systolic.h"

namespace tilewright::testing {
namespace {

// Tensors whose outermost keeper is this memory.
std::uint32_t homes_at(const Problem& problem, const Mapping& mapping, int memory) {
  std::uint32_t outside = 0;
  for (int m = 0; m < memory; ++m) outside |= mapping.kept(MemoryId{m});
  (void)problem;
  return mapping.kept(MemoryId{memory}) & ~outside;
}

// Homes are at the first point.
StoragePoints random_points(TestRng& rng, std::uint32_t kept, std::uint32_t homes) {
  StoragePoints points = {homes};
  std::vector<int> others;
  for (const int t : members(kept & ~homes)) others.push_back(t);
  for (std::size_t i = others.size(); i > 1; --i) {
    std::swap(others[i - 1],
              others[static_cast<std::size_t>(rng.between(0, static_cast<std::int64_t>(i) - 1))]);
  }
  for (const int t : others) {
    if (points.back() != 0 && rng.chance(70)) points.push_back(0);
    points.back() |= 1U << t;
  }
  return points;
}

// Goes through the mappings of a problem with storage points; false if there are too many.
bool try_all(const SmallInstance& instance, SpaceKind kind, const Problem& problem,
             std::uint64_t& most, const UnevenVisit& visit) {
  const auto constraints = constraints_at_points(problem, instance.constraints);
  if (!constraints.ok()) return true;  // the points break them
  const Checked<Restrictions> restrictions = Restrictions::create(problem, *constraints.value);
  const MadeSpace space = MapSpace::create(problem, kind, *restrictions.value);
  if (space.too_large) return false;
  if (!space.ok()) return true;
  if (space.value->size() > BigUint(most)) return false;
  const Evaluator evaluator = make_evaluator(problem);
  Walk walk(*space.value, 0, space.value->size());
  while (const Mapping* mapping = walk.next()) {
    --most;
    if (structural_problems(problem, *mapping).empty()) visit(evaluator, *mapping);  // homes
  }
  return true;
}

// What a memory may stand as: itself, or points of some tensors that it may keep. The outermost one
// is at home to all that it keeps, so it has no other points.
std::vector<StoragePoints> choices_at(const Problem& problem, MemoryId memory) {
  std::vector<StoragePoints> choices = {{}};
  if (memory == MemoryId{0}) return choices;
  const MemoryUse& use = problem.use(memory);
  for (std::uint32_t kept = 0; kept <= use.keep_allowed; ++kept) {
    if ((kept & ~use.keep_allowed) != 0 || (use.keep_always & ~kept) != 0) continue;
    for (const StoragePoints& points : all_points(kept)) {
      if (points.size() > 1) choices.push_back(points);
    }
  }
  return choices;
}

}  // namespace

std::vector<StoragePoints> all_points(std::uint32_t tensors) {
  if (tensors == 0) return {{}};
  std::vector<StoragePoints> all;
  for (std::uint32_t first = tensors; first != 0; first = (first - 1) & tensors) {
    for (StoragePoints rest : all_points(tensors & ~first)) {
      rest.insert(rest.begin(), first);
      all.push_back(std::move(rest));
    }
  }
  return all;
}

RandomCase random_uneven_case(TestRng& rng, const RandomOptions& options) {
  for (;;) {
    RandomCase even = random_case(rng, options);
    const auto systolic = rng.chance(15) ? make_systolic(rng, even) : std::nullopt;
    if (systolic) even = *systolic;
    if (auto uneven = with_random_points(rng, even)) return std::move(*uneven);
  }
}

std::optional<RandomCase> with_random_points(TestRng& rng, const RandomCase& even) {
  std::vector<StoragePoints> points(static_cast<std::size_t>(even.problem.memory_count()));
  for (int m = 0; m < even.problem.memory_count(); ++m) {
    const std::uint32_t kept = even.mapping.kept(MemoryId{m});
    if (__builtin_popcount(kept) < 2 || rng.chance(20)) continue;
    StoragePoints own = random_points(rng, kept, homes_at(even.problem, even.mapping, m));
    if (own.front() == 0) own.erase(own.begin());
    points[static_cast<std::size_t>(m)] = own;
  }
  Checked<Problem> problem = with_points(even.problem, points);
  if (!problem.ok()) throw std::logic_error(to_string(problem.problems.front()));
  if (!has_points(*problem.value)) return std::nullopt;
  const bool imperfect = !is_perfect(even.problem, even.mapping);
  Mapping mapping = random_mapping(rng, *problem.value, imperfect);
  int level = 0;
  for (int m = 0; m < even.problem.memory_count(); ++m) {
    const StoragePoints& own = points[static_cast<std::size_t>(m)];
    if (own.empty()) mapping.set_kept(MemoryId{level++}, even.mapping.kept(MemoryId{m}));
    for (const std::uint32_t point : own) mapping.set_kept(MemoryId{level++}, point);
  }
  const auto problems = structural_problems(*problem.value, mapping);
  if (!problems.empty()) throw std::logic_error(problems.front());
  return RandomCase{std::move(*problem.value), std::move(mapping)};
}

bool go_through_uneven(const SmallInstance& instance, SpaceKind kind, std::uint64_t most_mappings,
                       const UnevenVisit& visit) {
  const Problem& problem = instance.problem;
  std::vector<std::vector<StoragePoints>> choices;
  for (int m = 0; m < problem.memory_count(); ++m) {
    choices.push_back(choices_at(problem, MemoryId{m}));
  }
  std::vector<StoragePoints> chosen(choices.size());
  const auto choose = [&](const auto& self, std::size_t m) -> bool {
    if (m < choices.size()) {
      return std::all_of(choices[m].begin(), choices[m].end(), [&](const StoragePoints& own) {
        chosen[m] = own;
        return self(self, m + 1);
      });
    }
    const Checked<Problem> apart = with_points(problem, chosen);
    if (!apart.ok()) return true;  // the points break rules of the architecture
    return try_all(instance, kind, *apart.value, most_mappings, visit);
  };
  return choose(choose, 0);
}

std::optional<UnevenBruteForce> uneven_brute_force(const SmallInstance& instance, SpaceKind kind,
                                                   std::uint64_t most_mappings) {
  UnevenBruteForce result;
  const auto visit = [&](const Evaluator& evaluator, const Mapping& mapping) {
    ++result.mappings;
    const Score score = evaluator.score(mapping);
    if (!score.verdict.fits()) return;
    ++result.valid;
    const auto [least, added] =
        result.least_pj.try_emplace(narrowed(score.cycles), score.energy_pj);
    if (!added) least->second = std::min(least->second, score.energy_pj);
    for (std::size_t i = 0; i < kObjectives.size(); ++i) {
      auto& best = result.best[i];
      if (!best || is_better(kObjectives[i], score, best->score)) {
        best = {score, evaluator.problem(), mapping};
      }
    }
  };
  if (!go_through_uneven(instance, kind, most_mappings, visit)) return std::nullopt;
  return result;
}

}  // namespace tilewright::testing
