#include "report/speed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/example.h"

namespace tilewright::report {
namespace {

using testing::Example;
using testing::example;
using ::testing::HasSubstr;
using ::testing::Not;

Example clocked() {
  return example([](Architecture& arch) {
    arch.clock_hz = 200'000'000;
    testing::memory_at(arch, 0).shared_bandwidth = Rational{1, 2};
  });
}

TEST(Speed, IsUnknownWithoutAClock) {
  const Example plain = example();
  EXPECT_FALSE(speed_of(plain.result()));
  EXPECT_EQ(speed_lines(plain.result()), "");
  EXPECT_THAT(evaluation_json(plain.result()), Not(HasSubstr("\"speed\"")));
}

TEST(Speed, FollowsFromCyclesAndEnergy) {
  const Example at_200_mhz = clocked();
  const Score& score = at_200_mhz.evaluation.score;
  const Speed speed = speed_of(at_200_mhz.result()).value();
  EXPECT_DOUBLE_EQ(speed.seconds, static_cast<double>(score.cycles) / 2e8);
  EXPECT_DOUBLE_EQ(speed.watts, score.energy_pj * 1e-12 / speed.seconds);
  EXPECT_DOUBLE_EQ(speed.useful_tops, 2 * 21 * 4 * 6 / speed.seconds / 1e12);
  EXPECT_DOUBLE_EQ(speed.peak_tops, 2 * 12 * 2e8 / 1e12);
  EXPECT_DOUBLE_EQ(speed.useful_tops / speed.peak_tops, at_200_mhz.evaluation.utilisation);
  EXPECT_DOUBLE_EQ(speed.tops_per_watt, speed.useful_tops / speed.watts);
  EXPECT_DOUBLE_EQ(speed.joule_seconds, score.edp() * 1e-12 / 2e8);
}

TEST(Speed, OfPaddedWorkCountsWhatIsUseful) {
  const Example at_200_mhz = clocked();
  Result padded = at_200_mhz.result();
  padded.useful_macs = 252;  // half of them
  EXPECT_DOUBLE_EQ(2 * speed_of(padded)->useful_tops, speed_of(at_200_mhz.result())->useful_tops);
}

TEST(Speed, HasARoofForEveryMemory) {
  const Example at_200_mhz = clocked();
  const Result result = at_200_mhz.result();
  const Speed speed = *speed_of(result);
  const std::vector<MemoryRoof> roofs = roofs_of(result, speed);
  ASSERT_EQ(roofs.size(), 2U);
  const MemoryReport& dram = result.evaluation.memories[0];
  double bytes = 0;
  for (const Holding& held : dram.tensors) {
    bytes += static_cast<double>(held.total.reads + held.total.fills + held.total.updates);
  }
  EXPECT_DOUBLE_EQ(roofs[0].bytes, bytes);  // elements of 8 bits
  EXPECT_DOUBLE_EQ(*roofs[0].operations_per_byte, 2 * 504 / bytes);
  // DRAM is the bottleneck, so that its roof is what is reached.
  EXPECT_EQ(result.evaluation.bottleneck.level, dram.level);
  EXPECT_DOUBLE_EQ(*roofs[0].tops, speed.useful_tops);
  EXPECT_FALSE(roofs[1].tops);  // no limit
}

TEST(Speed, IsPrintedWithTheTotalsAndInJson) {
  const Example at_200_mhz = clocked();
  const std::string text = evaluation_text(at_200_mhz.result());
  EXPECT_THAT(text, HasSubstr(" at 200 MHz\n"));
  EXPECT_THAT(text, HasSubstr("  power  "));
  EXPECT_THAT(text, HasSubstr(" useful, 4.8 GOPS at peak\n"));
  EXPECT_THAT(text, HasSubstr("operations per byte of DRAM"));
  EXPECT_THAT(text, HasSubstr("DRAM's roof is the lowest\n"));
  const auto json = nlohmann::json::parse(evaluation_json(at_200_mhz.result()));
  EXPECT_EQ(json["speed"]["clock_hz"], 200'000'000);
  EXPECT_EQ(json["roofline"]["roof"], "DRAM");
  EXPECT_EQ(json["roofline"]["memories"].size(), 2U);
}

TEST(Speed, TextsTakeTheUnitThatFits) {
  EXPECT_EQ(seconds_text(0.0209), "20.9 ms");
  EXPECT_EQ(watts_text(0.278), "278 mW");
  EXPECT_EQ(tops_text(92), "92 TOPS");
  EXPECT_EQ(clock_text(700'000'000), "700 MHz");
}

}  // namespace
}  // namespace tilewright::report
