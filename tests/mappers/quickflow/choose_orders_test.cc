// The order chosen in one shot is the best of all.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <optional>

#include "support/brute_force.h"
#include "support/loop_orders.h"
#include "support/problems.h"
#include "support/random_problem.h"
#include "support/slow_build.h"

namespace tilewright::testing {
namespace {

const int kCases = slow_build() ? 40 : 400;
constexpr std::uint64_t kLeastOrders = 12;
const std::uint64_t kMostOrders = slow_build() ? 150 : 1500;

bool same(double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(b); }

// The case with slow ports and without those that the multipliers use, whose
// words no order spares: what unloads one port may load another, or take energy.
RandomCase with_slow_ports(TestRng& rng, RandomCase random) {
  Architecture arch = random.problem.arch();
  std::uint32_t kept_inside = 0;
  for (int m = random.problem.memory_count(); m-- > 0;) {
    const LevelId level = random.problem.use(MemoryId{m}).level;
    auto& memory = std::get<Memory>(arch.levels[static_cast<std::size_t>(index_of(level))]);
    const std::uint32_t kept = random.mapping.kept(MemoryId{m});
    const bool serves_memories_only = (kept & ~kept_inside) == 0;
    const bool output_inside = (kept & ~kept_inside) >> (random.problem.tensor_count() - 1) == 0;
    kept_inside |= kept;
    memory.shared_bandwidth = memory.read_bandwidth = memory.write_bandwidth = std::nullopt;
    if (serves_memories_only && rng.chance(70)) {
      memory.read_bandwidth = Rational{rng.between(1, 8), 32};
    }
    if (output_inside && rng.chance(70)) memory.write_bandwidth = Rational{rng.between(1, 8), 32};
    memory.read_pj *= rng.pick<double>({1, 1, 16});
    memory.write_pj *= rng.pick<double>({1, 1, 16});
  }
  return {make_problem(random.problem.workload(), std::move(arch)), std::move(random.mapping)};
}

// A case with a choice of orders, few enough to try them all.
RandomCase draw_case(TestRng& rng, const RandomOptions& options) {
  for (;;) {
    RandomCase random = random_case(rng, options);
    const std::uint64_t orders = count_orders(random.problem, random.mapping);
    if (orders < kLeastOrders || orders > kMostOrders) continue;
    return rng.chance(50) ? with_slow_ports(rng, std::move(random)) : random;
  }
}

Restrictions restrict(const Problem& problem, const std::vector<Constraint>& rules) {
  return *Restrictions::create(problem, rules).value;
}

// Some loops outermost, some innermost, at some memories.
std::vector<Constraint> random_order_rules(TestRng& rng, const Problem& problem) {
  std::vector<Constraint> rules;
  for (int m = 0; m < problem.memory_count(); ++m) {
    OrderRule rule;
    for (const DimId dim : random_order(rng, problem.dim_count())) {
      const auto drawn = rng.between(0, 5);
      if (drawn == 0) rule.outermost.push_back(problem.workload().dim(dim).name);
      if (drawn == 1) rule.innermost.push_back(problem.workload().dim(dim).name);
    }
    if (rule == OrderRule{}) continue;
    rules.push_back({problem.memory(MemoryId{m}).name, {}, std::move(rule), {}});
  }
  return rules;
}

// By trying all orders that obey.
struct BestOrders {
  std::array<std::optional<Score>, kObjectives.size()> scores;

  BestOrders(const RandomCase& random, const Evaluator& evaluator,
             const Restrictions& restrictions) {
    for_each_order(random.problem, random.mapping, [&](const Mapping& mapping) {
      if (!restrictions.broken_by(random.problem, mapping).empty()) return;
      const Score score = evaluator.score(mapping);
      for (std::size_t i = 0; i < kObjectives.size(); ++i) {
        if (!scores[i] || is_better(kObjectives[i], score, *scores[i])) scores[i] = score;
      }
    });
  }

  // Whether faster orders cost more energy.
  bool trade() const { return scores[0]->cycles > scores[1]->cycles; }
};

// What must hold with remainders as well.
Score choose_and_check(const RandomCase& random, const Evaluator& evaluator,
                       const Restrictions& restrictions, Objective objective) {
  OrderChooser chooser(evaluator, restrictions, objective);
  Mapping chosen = random.mapping;
  const Score claimed = chooser.choose(chosen);
  const Score score = evaluator.score(chosen);
  EXPECT_EQ(claimed.cycles, score.cycles);
  EXPECT_TRUE(same(claimed.energy_pj, score.energy_pj))
      << claimed.energy_pj << " claimed, " << score.energy_pj << " in truth";
  EXPECT_EQ(structural_problems(random.problem, chosen), std::vector<std::string>{});
  EXPECT_EQ(restrictions.broken_by(random.problem, chosen), std::vector<std::string>{});
  Mapping given = random.mapping;
  for (int m = 0; m < random.problem.memory_count(); ++m) {
    chosen.set_order(MemoryId{m}, {});
    given.set_order(MemoryId{m}, {});
  }
  EXPECT_TRUE(chosen == given) << "more than the orders has changed";
  return score;
}

void check_best(const RandomCase& random, const Evaluator& evaluator,
                const Restrictions& restrictions, const BestOrders& best) {
  for (std::size_t i = 0; i < kObjectives.size(); ++i) {
    const Objective objective = kObjectives[i];
    const Score score = choose_and_check(random, evaluator, restrictions, objective);
    EXPECT_TRUE(same(value_of(objective, score), value_of(objective, *best.scores[i])))
        << to_string(objective) << " " << value_of(objective, score) << ", but "
        << value_of(objective, *best.scores[i]) << " can be had";
    // Of the fastest the one that takes least energy.
    if (objective == Objective::Latency) {
      EXPECT_TRUE(same(score.energy_pj, best.scores[i]->energy_pj))
          << score.energy_pj << " pJ, but " << best.scores[i]->energy_pj << " can be had";
    }
  }
}

struct Shard {
  const char* name;
  std::uint64_t seed;
  bool rules;
  RandomOptions options;
};

class OrderChooserOnRandomProblems : public ::testing::TestWithParam<Shard> {};

TEST_P(OrderChooserOnRandomProblems, FindsTheBestOfAllOrders) {
  int trades = 0;
  for (int i = 0; i < kCases; ++i) {
    TestRng rng(GetParam().seed + static_cast<std::uint64_t>(i));
    const RandomCase random = draw_case(rng, GetParam().options);
    const Evaluator evaluator = make_evaluator(random.problem);
    const std::vector<Constraint> rules =
        GetParam().rules ? random_order_rules(rng, random.problem) : std::vector<Constraint>{};
    const Restrictions restrictions = restrict(random.problem, rules);
    const BestOrders best(random, evaluator, restrictions);
    check_best(random, evaluator, restrictions, best);
    trades += best.trade() ? 1 : 0;
    ASSERT_FALSE(::testing::Test::HasFailure()) << "case " << i << ": " << describe(random);
  }
  EXPECT_TRUE(trades > 0 || slow_build());
}

constexpr RandomOptions kPerfect{.imperfect = false, .largest_volume = 20'000};
constexpr RandomOptions kTimeloop{
    .imperfect = false, .accounting = Accounting::Timeloop, .largest_volume = 20'000};

INSTANTIATE_TEST_SUITE_P(Shards, OrderChooserOnRandomProblems,
                         ::testing::Values(Shard{"free", 31'000'000, false, kPerfect},
                                           Shard{"with_rules", 32'000'000, true, kPerfect},
                                           Shard{"timeloop", 33'000'000, false, kTimeloop}),
                         [](const auto& shard) { return std::string(shard.param.name); });

TEST(OrderChooser, IsHonestAboutMappingsWithRemainders) {
  for (int i = 0; i < kCases; ++i) {
    TestRng rng(34'000'000 + static_cast<std::uint64_t>(i));
    const RandomCase random =
        random_case(rng, {.largest_volume = 20'000, .largest_tables = rng.chance(10)});
    const Evaluator evaluator = make_evaluator(random.problem);
    const Restrictions restrictions =
        restrict(random.problem, random_order_rules(rng, random.problem));
    for (const Objective objective : kObjectives) {
      choose_and_check(random, evaluator, restrictions, objective);
    }
    ASSERT_FALSE(::testing::Test::HasFailure()) << "case " << i << ": " << describe(random);
  }
}

// A product of matrices with three loops at each of four memories, and ports
// that are often slower than the multipliers.
RandomCase ladder(TestRng& rng) {
  constexpr int kLooped = 4;
  std::vector<Level> levels;
  for (int m = 0; m <= kLooped; ++m) {
    Memory memory = make_memory("m" + std::to_string(m));
    for (double* pj : {&memory.read_pj, &memory.write_pj, &memory.update_pj}) {
      *pj = static_cast<double>(rng.between(1, 100)) * rng.pick<double>({1, 1, 16});
    }
    if (m < kLooped && rng.chance(60)) memory.read_bandwidth = Rational{rng.between(1, 8), 32};
    if (m < kLooped && rng.chance(60)) memory.write_bandwidth = Rational{rng.between(1, 8), 32};
    if (m > 0 && m < kLooped) memory.free = {"input", "weight", "output"};
    levels.emplace_back(memory);
  }
  Workload workload = make_gemm("ladder", 1, 1, 1);
  std::vector<std::array<std::int64_t, 3>> bounds(kLooped);
  for (auto& bound : bounds) {
    for (std::size_t d = 0; d < 3; ++d) workload.dims[d].size *= bound[d] = rng.between(2, 3);
  }
  const Problem problem = make_problem(workload, make_arch(levels));
  Mapping mapping(problem);
  for (int m = 0; m < kLooped; ++m) {
    for (int d = 0; d < 3; ++d) {
      mapping.set_bound(problem.use(MemoryId{m}).slot, DimId{d},
                        bounds[static_cast<std::size_t>(m)][static_cast<std::size_t>(d)]);
    }
    if (m > 0) mapping.set_kept(MemoryId{m}, static_cast<std::uint32_t>(rng.between(0, 7)));
  }
  return {problem, mapping};
}

TEST(OrderChooser, WeighsPortsOfAllMemoriesTogether) {
  const int kLadders = slow_build() ? 3 : 60;
  int trades = 0;
  for (int i = 0; i < kLadders; ++i) {
    TestRng rng(35'000'000 + static_cast<std::uint64_t>(i));
    const RandomCase random = ladder(rng);
    const Evaluator evaluator = make_evaluator(random.problem);
    const Restrictions free = restrict(random.problem, {});
    const BestOrders best(random, evaluator, free);
    check_best(random, evaluator, free, best);
    trades += best.trade() ? 1 : 0;
    ASSERT_FALSE(::testing::Test::HasFailure()) << "case " << i << ": " << describe(random);
  }
  EXPECT_GT(trades, kLadders / 4);
}

// A product of matrices has three classes of orders: one tensor stays, which one?
TEST(OrderChooser, ComparesOneOrderOfEachClass) {
  const Problem problem =
      make_problem(make_gemm("g", 4, 4, 4), make_arch({make_memory("dram"), make_memory("buf")}));
  Mapping mapping(problem);
  set_loops(problem, mapping, "dram", {{"M", 2}, {"N", 2}, {"K", 2}});
  set_loops(problem, mapping, "buf", {{"M", 2}, {"N", 2}, {"K", 2}});
  OrderChooser chooser(make_evaluator(problem), restrict(problem, {}), Objective::Edp);
  chooser.choose(mapping);
  EXPECT_EQ(chooser.choices(), 1U);
  EXPECT_EQ(chooser.compared(), 3U + 1U);  // nothing is inside the buffer
}

// The loops of one memory move every tensor at all memories inside it.
TEST(OrderChooser, CountsEveryLinkOfTheDeepestHierarchy) {
  std::vector<Level> levels;
  for (int m = 0; m < kMaxMemories; ++m) {
    levels.emplace_back(make_memory("m" + std::to_string(m)));
  }
  const Problem problem = make_problem(make_gemm("g", 2, 3, 4), make_arch(levels));
  Mapping mapping(problem);
  set_loops(problem, mapping, "m0", {{"M", 2}, {"N", 3}, {"K", 4}});
  const RandomCase deep{problem, mapping};
  const Evaluator evaluator = make_evaluator(problem);
  const Restrictions free = restrict(problem, {});
  check_best(deep, evaluator, free, BestOrders(deep, evaluator, free));
}

}  // namespace
}  // namespace tilewright::testing
