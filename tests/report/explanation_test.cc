#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "report/example.h"
#include "report/table.h"

namespace tilewright::report {
namespace {

using report::testing::example;
using report::testing::Example;
using report::testing::memory_at;
using report::testing::systolic_example;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Explanation, NamesTheMultipliersWhenTheyLimit) {
  const Example e = example();
  EXPECT_THAT(explanation_text(e.result()),
              AllOf(HasSubstr("cycles, set by the multipliers\n"), Not(HasSubstr("waiting"))));
}

TEST(Explanation, SaysWhatASystolicArrayTakes) {
  EXPECT_THAT(explanation_text(systolic_example().result()),
              HasSubstr("  The multipliers work for 63 cycles. I stands still and changes 3 times: "
                        "15 cycles in which the array fills and drains and 9 cycles in which it "
                        "is loaded.\n"));
  EXPECT_THAT(explanation_text(systolic_example(false).result()),
              HasSubstr("changes 3 times: 15 cycles in which the array fills and drains.\n"));
}

TEST(Explanation, NamesTheReadPortThatLimits) {
  const Example e =
      example([](Architecture& arch) { memory_at(arch, 0).read_bandwidth = Rational{1, 2}; });
  ASSERT_EQ(e.evaluation.bottleneck.port, Bottleneck::Port::Read);
  EXPECT_THAT(explanation_text(e.result()),
              AllOf(HasSubstr("set by DRAM's read bandwidth (0.5 words/cycle)\n"),
                    HasSubstr("Without stalls it would take " +
                              grouped(e.evaluation.compute_cycles) + " cycles"),
                    HasSubstr("Next busiest: the multipliers, ")));
}

TEST(Explanation, NamesTheWritePortThatLimits) {
  const Example e =
      example([](Architecture& arch) { memory_at(arch, 1).write_bandwidth = Rational{1, 3}; });
  ASSERT_EQ(e.evaluation.bottleneck.port, Bottleneck::Port::Write);
  EXPECT_THAT(explanation_text(e.result()),
              HasSubstr("set by Buffer's write bandwidth (0.3333 words/cycle)\n"));
}

TEST(Explanation, NamesTheSharedPortThatLimits) {
  const Example e =
      example([](Architecture& arch) { memory_at(arch, 1).shared_bandwidth = Rational{1, 1}; });
  ASSERT_EQ(e.evaluation.bottleneck.port, Bottleneck::Port::Shared);
  EXPECT_THAT(explanation_text(e.result()), HasSubstr("set by Buffer's bandwidth (1 words/cycle)"));
}

TEST(Explanation, NamesTheNextBusiestPort) {
  const Example e =
      example([](Architecture& arch) { memory_at(arch, 0).read_bandwidth = Rational{16, 1}; });
  const double busy = static_cast<double>(e.evaluation.memories[0].read_cycles.value()) /
                      static_cast<double>(e.evaluation.score.cycles);
  EXPECT_THAT(explanation_text(e.result()),
              HasSubstr("Next busiest: DRAM's read port, " + percent(busy) + " of the time.\n"));
}

TEST(Explanation, TellsIdleInstancesAndShortPasses) {
  const Example e = example();
  EXPECT_THAT(explanation_text(e.result()),
              AllOf(HasSubstr("Fan-outs that are not filled: 2 of 3 on Array.y.\n"),
                    HasSubstr("Last passes that are shorter: M at Buffer runs 4 instead of 17.\n"),
                    HasSubstr("Utilisation is " + percent(e.evaluation.utilisation) + ".\n")));
}

TEST(Explanation, NamesTheLargestExpensesFirst) {
  const Example e = example();
  const std::string text = explanation_text(e.result());
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "Energy: " + energy(e.evaluation.score.energy_pj));
  double previous = 100;
  double sum = 0;
  while (std::getline(lines, line) && !line.empty()) {
    const double share_of_it = std::atof(line.c_str());
    sum += share_of_it;
    if (line.ends_with("everything else")) continue;
    EXPECT_LE(share_of_it, previous) << text;
    previous = share_of_it;
  }
  EXPECT_NEAR(sum, 100, 1);
}

TEST(Explanation, SaysHowOftenElementsMove) {
  const Example e = example();
  // W has 126 elements; each is read from DRAM once.
  EXPECT_THAT(explanation_text(e.result()),
              HasSubstr("reading W from DRAM (126 words, 1 for each of its 126 elements)\n"));
}

TEST(Explanation, SaysSoWhenNothingCostsEnergy) {
  const Example e = example([](Architecture& arch) {
    for (const std::size_t level : {0U, 1U}) {
      Memory& memory = memory_at(arch, level);
      memory.read_pj = memory.write_pj = memory.update_pj = memory.leakage_pj_per_cycle = 0;
    }
    std::get<Fanout>(arch.levels[2]).word_pj = 0;
    std::get<Compute>(arch.levels[3]).mac_pj = 0;
  });
  EXPECT_THAT(explanation_text(e.result()),
              AllOf(HasSubstr("Energy: none"), Not(HasSubstr("nan"))));
}

}  // namespace
}  // namespace tilewright::report
