#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tilewright/arch.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Memory memory(const std::string& name) {
  Memory result;
  result.name = name;
  return result;
}

Architecture with(std::vector<Level> levels) {
  Architecture arch;
  arch.name = "a";
  arch.levels = std::move(levels);
  return arch;
}

Compute mac() { return {.name = "MAC"}; }

Fanout fanout(const std::string& name, std::int64_t size) {
  Fanout result;
  result.name = name;
  result.x.size = size;
  return result;
}

TEST(ArchitectureProblems, NoneInAMemoryAndMultipliers) {
  EXPECT_THAT(problems_of(with({memory("DRAM"), mac()})), IsEmpty());
}

TEST(ArchitectureProblems, SeeLevelsInTheWrongOrder) {
  EXPECT_THAT(problems_of(with({})), ElementsAre("the architecture has no levels"));
  EXPECT_THAT(problems_of(with({fanout("array", 2), memory("DRAM"), mac()})),
              ElementsAre("array: the first (outermost) level must be a memory"));
  EXPECT_THAT(problems_of(with({memory("DRAM"), mac(), memory("buffer")})),
              ElementsAre("MAC: the compute level must be the last one"));
  EXPECT_THAT(problems_of(with({memory("DRAM")})),
              ElementsAre("no compute level; the last level must be one"));
}

TEST(ArchitectureProblems, SeeTwoComputeLevels) {
  Compute second = mac();
  second.name = "ALU";
  EXPECT_THAT(problems_of(with({memory("DRAM"), second, mac()})),
              ElementsAre("ALU: the compute level must be the last one",
                          "MAC: a second compute level; there must be one"));
}

TEST(ArchitectureProblems, SeeNamesTwiceOrMissing) {
  EXPECT_THAT(problems_of(with({memory("L"), memory("L"), mac()})),
              ElementsAre("L: two levels have this name"));
  EXPECT_THAT(problems_of(with({memory(""), mac()})), ElementsAre("a level has no name"));
}

TEST(ArchitectureProblems, SeeNumbersOutOfRange) {
  Memory dram = memory("DRAM");
  dram.capacity = {Capacity::Unit::Bits, 0};
  dram.partitions["weight"] = {Capacity::Unit::Words, -1};
  dram.block_words = 0;
  dram.read_pj = -1;
  dram.write_pj = std::numeric_limits<double>::quiet_NaN();
  dram.read_bandwidth = Rational{0, 1};
  EXPECT_THAT(problems_of(with({dram, mac()})),
              ElementsAre(HasSubstr("capacity is 0"), HasSubstr("partition for weight is -1"),
                          HasSubstr("block is 0"), HasSubstr("read energy is -1"),
                          HasSubstr("write energy is nan"),
                          HasSubstr("read_bandwidth is 0/1 words per cycle")));
  Compute slow = mac();
  slow.cycles = 0;
  EXPECT_THAT(problems_of(with({memory("DRAM"), fanout("array", 0), slow})),
              ElementsAre("array: x is 0; it must be at least 1",
                          "MAC: cycles is 0; it must be at least 1"));
}

TEST(ArchitectureProblems, SeeATensorInTwoLists) {
  Memory dram = memory("DRAM");
  dram.keep = {"input", "weight"};
  dram.bypass = {"weight", "weight"};
  EXPECT_THAT(problems_of(with({dram, mac()})),
              ElementsAre("DRAM: bypass names weight, which keep names too",
                          "DRAM: bypass names weight, which keep names too"));
  dram.keep = {"weight", "weight"};
  dram.bypass = {};
  EXPECT_THAT(problems_of(with({dram, mac()})), ElementsAre("DRAM: keep lists weight twice"));
}

TEST(ArchitectureProblems, SeeRolesMisspeltButAcceptNamesOfTensors) {
  Memory dram = memory("DRAM");
  dram.keep = {"weights", "A", "query", "input2"};
  dram.free = {"Output"};
  EXPECT_THAT(problems_of(with({dram, mac()})),
              ElementsAre("DRAM: keep has an unknown tensor role 'weights'; did you mean weight?",
                          "DRAM: free has an unknown tensor role 'Output'; did you mean output?"));
  // Tensors of a workload may be called so.
  EXPECT_THAT(problems_of(with({dram, mac()}), TensorNames{"weights", "X"}),
              ElementsAre("DRAM: free has an unknown tensor role 'Output'; did you mean output?"));
}

TEST(ArchitectureProblems, SeeDimensionsListedTwice) {
  Memory dram = memory("DRAM");
  dram.dims = std::vector<std::string>{"M", "M"};
  EXPECT_THAT(problems_of(with({dram, mac()})), ElementsAre("DRAM: dims lists dimension M twice"));
}

TEST(ArchitectureProblems, SeeMoreLevelsThanTheModelHolds) {
  std::vector<Level> levels;
  for (int i = 0; i <= kMaxMemories; ++i) levels.emplace_back(memory("m" + std::to_string(i)));
  for (int i = 0; i <= kMaxFanouts; ++i) {
    levels.emplace_back(fanout("f" + std::to_string(i), 1));
  }
  levels.emplace_back(mac());
  EXPECT_THAT(problems_of(with(levels)),
              ElementsAre("the architecture has 13 memories; at most 12 are possible",
                          "the architecture has 11 fan-outs; at most 10 are possible"));
}

TEST(ArchitectureProblems, SeeMoreInstancesThanCanBeCounted) {
  const std::int64_t large = std::int64_t{1} << 40;
  EXPECT_THAT(problems_of(with({memory("DRAM"), fanout("a", large), fanout("b", large), mac()})),
              ElementsAre("the fan-outs multiply to more than 2^60"));
}

}  // namespace
}  // namespace tilewright
