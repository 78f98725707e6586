// The tables hold the figures of the evaluation, each in its column.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <sstream>

#include "report/example.h"
#include "report/names.h"
#include "report/table.h"
#include "support/random_problem.h"

namespace tilewright::report {
namespace {

using report::testing::example;
using report::testing::Example;
using report::testing::make_example;
using report::testing::memory_at;
using report::testing::systolic_example;
using ::testing::HasSubstr;
using ::testing::Not;

using Row = std::map<std::string, std::string>;  // by heading

std::vector<std::string> cells_of(const std::string& line) {
  static const std::regex gap("  +");
  const std::string trimmed = line.substr(line.find_first_not_of(' '));
  return {std::sregex_token_iterator(trimmed.begin(), trimmed.end(), gap, -1), {}};
}

// The rows of the table under a heading. Works where no cell is empty.
std::vector<Row> table_under(const std::string& text, const std::string& heading) {
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line) && !line.starts_with(heading)) {
  }
  std::getline(lines, line);
  const std::vector<std::string> columns = cells_of(line);
  std::getline(lines, line);  // dashes
  std::vector<Row> rows;
  while (std::getline(lines, line) && !line.empty()) {
    const std::vector<std::string> cells = cells_of(line);
    EXPECT_EQ(cells.size(), columns.size()) << line;
    Row row;
    for (std::size_t i = 0; i < std::min(cells.size(), columns.size()); ++i) {
      row[columns[i]] = cells[i];
    }
    rows.push_back(row);
  }
  return rows;
}

TEST(EvaluationText, TrafficTableHoldsEveryTensorInEveryMemory) {
  const Example e = example();
  const std::vector<Row> rows = table_under(evaluation_text(e.result()), "Traffic");
  ASSERT_EQ(rows.size(), 6U);
  for (std::size_t m = 0; m < 2; ++m) {
    for (std::size_t t = 0; t < 3; ++t) {
      const MemoryReport& memory = e.evaluation.memories[m];
      const Holding& held = memory.tensors[t];
      const Row expected = {{"level", level_name(e.problem, memory.level)},
                            {"tensor", tensor_name(e.problem, t)},
                            {"instances", grouped(memory.instances)},
                            {"tile", grouped(held.tile_words)},
                            {"fills", grouped(held.total.fills)},
                            {"reads", grouped(held.total.reads)},
                            {"updates", grouped(held.total.updates)},
                            {"reductions", grouped(held.reductions)},
                            {"sharing", plain(held.sharing)},
                            {"energy", energy(held.energy_pj())},
                            {"share", share(held.energy_pj(), e.evaluation.score.energy_pj)}};
      EXPECT_EQ(rows[3 * m + t], expected);
    }
  }
}

TEST(EvaluationText, TrafficTableLeavesOutWhatIsBypassed) {
  const Example e = example([](Architecture& arch) { memory_at(arch, 1).bypass = {"weight"}; });
  const std::vector<Row> rows = table_under(evaluation_text(e.result()), "Traffic");
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[3].at("tensor"), "I");
}

TEST(EvaluationText, FanoutTableHoldsUseAndWords) {
  const Example e = example();
  const std::vector<Row> rows = table_under(evaluation_text(e.result()), "Fan-outs");
  ASSERT_EQ(rows.size(), 1U);
  const std::vector<Int128>& words = e.evaluation.fanouts[0].words;
  EXPECT_EQ(rows[0], (Row{{"fan-out", "Array"},
                          {"x used", "4 of 4"},
                          {"y used", "2 of 3"},
                          {"W", grouped(words[0])},
                          {"I", grouped(words[1])},
                          {"O", grouped(words[2])}}));
}

TEST(EvaluationText, HasNoFanoutTableWithoutFanouts) {
  using namespace tilewright::testing;
  const Problem problem = make_problem(make_gemm("g", 2, 1, 1), make_arch({make_memory("m")}));
  Mapping mapping(problem);
  set_loops(problem, mapping, "m", {{"M", 2}});
  const Example e = make_example(problem, mapping);
  EXPECT_THAT(evaluation_text(e.result()), Not(HasSubstr("Fan-out")));
}

TEST(EvaluationText, EnergyTableHoldsTheCostsOfEveryLevelAndTheirSum) {
  const Example e = example();
  const std::vector<Row> rows = table_under(evaluation_text(e.result()), "Energy");
  ASSERT_EQ(rows.size(), 5U);  // two memories, the array, the MACs and the sum
  for (std::size_t m = 0; m < 2; ++m) {
    const MemoryReport& memory = e.evaluation.memories[m];
    EXPECT_EQ(rows[m].at("level"), level_name(e.problem, memory.level));
    double sum = memory.leakage_pj;
    for (std::size_t t = 0; t < 3; ++t) {
      EXPECT_EQ(rows[m].at(tensor_name(e.problem, t)), energy(memory.tensors[t].energy_pj()));
      sum += memory.tensors[t].energy_pj();
    }
    EXPECT_EQ(rows[m].at("sum"), energy(sum));
  }
  EXPECT_EQ(rows[0].at("leakage"), "-");
  EXPECT_EQ(rows[1].at("leakage"), energy(e.evaluation.memories[1].leakage_pj));
  EXPECT_EQ(rows[2].at("network"), energy(e.evaluation.fanouts[0].network_pj));
  EXPECT_EQ(rows[3].at("MACs"), energy(e.evaluation.compute_pj));
  EXPECT_EQ(rows[4].at("level"), "sum");
  EXPECT_EQ(rows[4].at("sum"), energy(e.evaluation.score.energy_pj));
}

TEST(EvaluationText, TimeTableHoldsWhatHasALimit) {
  const Example e = example([](Architecture& arch) {
    memory_at(arch, 0).read_bandwidth = Rational{1, 2};
    memory_at(arch, 0).write_bandwidth = Rational{3, 1};
    memory_at(arch, 1).shared_bandwidth = Rational{8, 1};
  });
  const Evaluation& v = e.evaluation;
  const auto row = [&](const std::string& resource, Int128 cycles) {
    return Row{{"resource", resource},
               {"cycles", grouped(cycles)},
               {"busy", share(static_cast<double>(cycles), static_cast<double>(v.score.cycles))}};
  };
  EXPECT_THAT(
      table_under(evaluation_text(e.result()), "Time"),
      ::testing::ElementsAre(row("mac (compute)", v.compute_cycles),
                             row("DRAM reads", v.memories[0].read_cycles.value()),
                             row("DRAM writes", v.memories[0].write_cycles.value()),
                             row("Buffer reads and writes", v.memories[1].shared_cycles.value())));
}

TEST(EvaluationText, TimeTableSaysWhatASystolicArrayTakes) {
  const Example e = systolic_example();
  EXPECT_EQ(e.evaluation.score.cycles, 63 + 3 * (4 + 3 - 2) + 3 * 3);
  EXPECT_EQ(e.evaluation.bottleneck.port, Bottleneck::Port::Compute);
  const auto row = [&](const std::string& resource, std::int64_t cycles) {
    return Row{
        {"resource", resource}, {"cycles", grouped(cycles)}, {"busy", share(cycles / 87.0, 1)}};
  };
  EXPECT_THAT(
      table_under(evaluation_text(e.result()), "Time"),
      ::testing::ElementsAre(row("mac (compute)", 63), row("fill and drain, 3 changes of I", 15),
                             row("preload, 3 changes of I", 9)));
}

TEST(EvaluationText, TotalsHoldTheScore) {
  const Example e = example();
  const Evaluation& v = e.evaluation;
  const std::string text = evaluation_text(e.result());
  EXPECT_THAT(text, HasSubstr("  energy       " + energy(v.score.energy_pj) + " ("));
  EXPECT_THAT(text, HasSubstr("  cycles       " + grouped(v.score.cycles) +
                              ", limited by the multipliers\n"));
  EXPECT_THAT(text, HasSubstr("  EDP          " + edp(v.score.edp()) + "\n"));
  EXPECT_THAT(text, HasSubstr("  utilisation  " + percent(v.utilisation) +
                              " of all multipliers' cycles; 8 of 12 compute instances in use\n"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("useful work")));
  const Result padded{e.problem, e.mapping, e.evaluation, 441};
  EXPECT_THAT(evaluation_text(padded),
              HasSubstr("  useful work  87.5 % of the MACs (441 of 504), utilisation " +
                        percent(v.utilisation * 441 / 504) + "; the others are padding\n"));
  EXPECT_THAT(text, HasSubstr("  area         " + area(v.area_um2) + "\n"));
}

TEST(EvaluationText, BeginsWithWhatWasEvaluated) {
  const Example e = example();
  EXPECT_TRUE(evaluation_text(e.result())
                  .starts_with("layer on test\n"
                               "  O[M,N] += W[M,K]*I[K,N]\n"
                               "  W weight, I input, O output\n"
                               "  M=21 N=4 K=6 (504 MACs), exact accounting\n"));
}

TEST(EvaluationText, HasNoSharesWhereNothingCostsEnergy) {
  const Example e = example([](Architecture& arch) {
    for (const std::size_t level : {0U, 1U}) {
      Memory& memory = memory_at(arch, level);
      memory.read_pj = memory.write_pj = memory.update_pj = memory.leakage_pj_per_cycle = 0;
    }
    std::get<Fanout>(arch.levels[2]).word_pj = 0;
    std::get<Compute>(arch.levels[3]).mac_pj = 0;
  });
  const std::string text = evaluation_text(e.result());
  EXPECT_THAT(text, Not(HasSubstr("nan")));
  EXPECT_EQ(table_under(text, "Traffic").at(0).at("share"), "-");
}

TEST(LevelCosts, AddUpToTheEnergy) {
  tilewright::testing::TestRng rng(11);
  for (int i = 0; i < 300; ++i) {
    tilewright::testing::RandomCase random = tilewright::testing::random_case(rng, {});
    const Example e = make_example(std::move(random.problem), std::move(random.mapping));
    const double total = e.evaluation.score.energy_pj;
    double sum = 0;
    for (const LevelCost& cost : level_costs(e.result())) sum += cost.sum();
    EXPECT_NEAR(sum, total, 1e-12 * total);
    EXPECT_NEAR(total_cost(e.result()).sum(), total, 1e-12 * total);
  }
}

TEST(LevelCosts, AddUpWithLeakageAndNetwork) {
  const Example e = example();
  const double total = e.evaluation.score.energy_pj;
  const LevelCost cost = total_cost(e.result());
  EXPECT_GT(cost.leakage_pj, 0);
  EXPECT_GT(cost.network_pj, 0);
  EXPECT_GT(cost.mac_pj, 0);
  EXPECT_NEAR(cost.sum(), total, 1e-12 * total);
}

TEST(LevelCosts, ComeInTheOrderOfTheLevels) {
  const Example e = example();
  const std::vector<LevelCost> costs = level_costs(e.result());
  ASSERT_EQ(costs.size(), 4U);
  for (int l = 0; l < 4; ++l) EXPECT_EQ(costs[static_cast<std::size_t>(l)].level, LevelId{l});
}

}  // namespace
}  // namespace tilewright::report
