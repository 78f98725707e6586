#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tilewright/io.h"

namespace tilewright::io {
namespace {

using ::testing::ElementsAre;

constexpr DimId kM{0}, kN{1}, kK{2};
constexpr int kDram = 0, kBuffer = 1, kArrayY = 2, kArrayX = 3, kRegister = 4;

Problem small_problem() {
  const Checked<Architecture> arch = read_architecture(R"(
architecture: small
levels:
  - {memory: DRAM, capacity: unlimited}
  - {memory: Buffer, capacity: 1 KiB, free: [output, weight]}
  - {fanout: array, x: 14, y: 12}
  - {memory: Register, capacity: 1 KiB, bypass: [input]}
  - compute: MAC
)",
                                                       "small");
  return *Problem::create(make_gemm("g", 8, 6, 65), arch.value.value()).value;
}

Mapping read(const std::string& text) {
  const Checked<Mapping> parsed = read_mapping(text, "m.yaml", small_problem());
  for (const Diagnostic& problem : parsed.problems) ADD_FAILURE() << to_string(problem);
  return parsed.value.value_or(Mapping(small_problem()));
}

std::vector<int> order(const Mapping& mapping, int memory) {
  const std::uint8_t* first = mapping.order(MemoryId{memory});
  return {first, first + mapping.dim_count()};
}

TEST(ReadMapping, PutsBoundsIntoTheirSlots) {
  const Mapping mapping = read(R"(
mapping: best
levels:
  DRAM: [K 17, M 2]
  Buffer: {loops: [N 3]}
  array: {x: [K 4 last 1, N 2], y: [M 4]}
)");
  EXPECT_EQ(mapping.bound(kDram, kK), 17);
  EXPECT_EQ(mapping.bound(kDram, kM), 2);
  EXPECT_EQ(mapping.bound(kBuffer, kN), 3);
  EXPECT_EQ(mapping.bound(kArrayX, kK), 4);
  EXPECT_EQ(mapping.bound(kArrayX, kN), 2);
  EXPECT_EQ(mapping.bound(kArrayY, kM), 4);
  EXPECT_EQ(mapping.bound(kRegister, kM), 1);
}

TEST(ReadMapping, OrdersLoopsAsWrittenAndOthersBehindThem) {
  const Mapping mapping = read("levels: {DRAM: [K 65, M 8], Buffer: [N 6], Register: [K 1]}");
  EXPECT_THAT(order(mapping, 0), ElementsAre(2, 0, 1));
  EXPECT_THAT(order(mapping, 1), ElementsAre(1, 0, 2));
  EXPECT_THAT(order(mapping, 2), ElementsAre(2, 0, 1));
}

TEST(ReadMapping, FindsTheLastPassWhereverItIsWritten) {
  const std::string rest = "], Register: [M 8, N 6]}";
  const Mapping separate = read("levels: {DRAM: [K 17], Buffer: [K 4, last 1" + rest);
  EXPECT_EQ(read("levels: {DRAM: [K 17], Buffer: [K 4 last 1" + rest), separate);
  EXPECT_EQ(read("levels: {DRAM: [K 17 last 17], Buffer: ['K 4, last 1'" + rest), separate);
}

TEST(ReadMapping, KeepsFreeTensorsUnlessTheyAreBypassed) {
  const std::string loops = "DRAM: [K 65, M 8, N 6]";
  EXPECT_EQ(read("levels: {" + loops + "}").kept(MemoryId{1}), 0b111U);
  EXPECT_EQ(read("levels: {" + loops + ", Buffer: {bypass: [output]}}").kept(MemoryId{1}), 0b011U);
  EXPECT_EQ(read("levels: {" + loops + ", Buffer: {keep: [O, I], bypass: [W]}}").kept(MemoryId{1}),
            0b110U);
}

TEST(ReadMapping, TakesADimensionThatIsCalledLast) {
  const Workload workload =
      read_workload_line("O[last] += A[last,k]; last=5 k=3", "line").value.value();
  const Problem problem = *Problem::create(workload, small_problem().arch()).value;
  Mapping mapping(problem);
  mapping.set_bound(kDram, DimId{0}, 3);
  mapping.set_bound(kBuffer, DimId{0}, 2);
  mapping.set_bound(kBuffer, DimId{1}, 3);
  const Checked<Mapping> again = read_mapping(write_mapping(problem, mapping), "m", problem);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*again.value, mapping);
}

// The sizes that the file pads to are those of the problem that it gives.
TEST(ReadMapping, PadsDimensions) {
  const Problem problem = small_problem();  // M=8 N=6 K=65
  const std::string text = "padded: {K: 66}\nlevels: {DRAM: [K 66, M 8, N 6]}";
  const Checked<PaddedMapping> padded = read_padded_mapping(text, "m.yaml", problem);
  ASSERT_TRUE(padded.ok());
  EXPECT_EQ(padded.value->problem.workload().dim(kK).size, 66);
  EXPECT_EQ(padded.value->problem.workload().dim(kM).size, 8);
  EXPECT_EQ(padded.value->mapping.bound(kDram, kK), 66);
  const std::string written =
      write_padded_mapping(padded.value->problem, padded.value->mapping, problem.workload());
  EXPECT_THAT(written, ::testing::StartsWith("padded: {K: 66}\nlevels:\n"));
  const Checked<PaddedMapping> again = read_padded_mapping(written, "m.yaml", problem);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again.value->mapping, padded.value->mapping);
  // A problem that has these sizes already is not padded again.
  const Checked<Mapping> plain = read_mapping(written, "m.yaml", padded.value->problem);
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(*plain.value, padded.value->mapping);
  const Checked<Mapping> refused = read_mapping(written, "m.yaml", problem);
  ASSERT_EQ(refused.problems.size(), 1U);
  EXPECT_EQ(to_string(refused.problems[0]),
            "m.yaml: the mapping pads dimensions: K = 66 in place of 65; here the sizes are fixed");
}

TEST(WriteMapping, WritesOneLinePerLevelThatHasLoops) {
  const Problem problem = small_problem();
  Mapping mapping(problem);
  mapping.set_bound(kDram, kK, 17);
  mapping.set_bound(kDram, kM, 8);
  mapping.set_bound(kArrayX, kK, 4);
  mapping.set_bound(kArrayX, kN, 6);
  mapping.set_order(MemoryId{0}, {kK, kM});
  mapping.set_kept(MemoryId{1}, 0b110U);
  EXPECT_EQ(write_mapping(problem, mapping),
            "levels:\n"
            "  DRAM: {loops: [K 17, M 8]}\n"
            "  Buffer: {keep: [O], bypass: [W]}\n"
            "  array: {x: [N 6, K 4 last 1]}\n");
}

TEST(WriteMapping, WritesLoopsOfBoundOneOnlyForTheOrder) {
  const Problem problem = small_problem();
  Mapping mapping(problem);
  mapping.set_bound(kDram, kN, 6);
  EXPECT_THAT(write_mapping(problem, mapping), ::testing::HasSubstr("DRAM: {loops: [M 1, N 6]}"));
  EXPECT_THAT(write_mapping(problem, canonical(problem, mapping)),
              ::testing::HasSubstr("DRAM: {loops: [N 6]}"));
}

}  // namespace
}  // namespace tilewright::io
