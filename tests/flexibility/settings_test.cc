// Which settings are left of all there are.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/flexible_case.h"
#include "support/problems.h"
#include "tilewright/flexibility.h"
#include "tilewright/io.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// 4 x 4 PEs.
Architecture arch_with(const std::string& flexibility) {
  return testing::with_flexibility(
      "architecture: small\n"
      "levels:\n"
      "  - {memory: DRAM, capacity: unlimited}\n"
      "  - {memory: Buffer, capacity: 90 words}\n"
      "  - {fanout: Array, y: 4, x: 4}\n"
      "  - {compute: MAC}\n",
      flexibility);
}

std::vector<std::string> settings(const Workload& workload, const std::string& flexibility) {
  std::vector<std::string> texts;
  const auto found = settings_of(workload, arch_with(flexibility));
  for (const Setting& setting : *found.value) {
    texts.push_back(fmt::format("{}, {}", to_string(setting), setting.least_cycles));
  }
  return texts;
}

TEST(Settings, OfAFixedArrayIsOne) {
  EXPECT_THAT(settings(make_gemm("gemm", 8, 8, 8), "O=KCYXRS,P=CK,S=2x8"),
              ElementsAre("2x8 array, rows C, columns K, order KCYXRS, 32"));
}

TEST(Settings, LeaveOutPairsThatUnrollTheSame) {
  // X, R and S of a matrix product are 1, so that only one of three pairs counts.
  EXPECT_THAT(settings(make_gemm("gemm", 8, 8, 8), "P={KX,KR,KS},S=4x4"),
              ElementsAre("4x4 array, rows K, columns X, order any, 128"));
}

TEST(Settings, LeaveOutPairsThatAreTurnedRoundWithAnyShape) {
  const Workload gemm = make_gemm("gemm", 16, 1, 16);
  EXPECT_THAT(settings(gemm, "P={CK,KC},S=2x8").size(), 2U);
  const auto free = settings(gemm, "P={CK,KC},S=any");
  for (const std::string& setting : free) {
    EXPECT_THAT(setting, ::testing::HasSubstr("rows C, columns K"));
  }
  EXPECT_THAT(free.size(), 7U) << "1x16, 2x8, 3x5, 4x4, 5x3, 8x2, 16x1";
}

TEST(Settings, LeaveOutShapesThatNothingFills) {
  // Three channels fill 3x5 as they fill 4x4.
  EXPECT_THAT(settings(make_gemm("gemm", 3, 1, 3), "P=CK,S=any"),
              ElementsAre("3x5 array, rows C, columns K, order any, 1"));
  EXPECT_THAT(settings(make_gemm("gemm", 16, 1, 1), "P=CK,S=bands(2)"),
              ElementsAre("2x8 array, rows C, columns K, order any, 2"));
}

TEST(Settings, LeaveOutOrdersThatDifferInLoopsOfOne) {
  const std::string orders = "O={KCYXRS,CKYXRS,KCYXSR},P=CK,S=4x4";
  EXPECT_THAT(settings(make_gemm("gemm", 2, 2, 2), orders),
              ElementsAre("4x4 array, rows C, columns K, order KCYXRS, 2",
                          "4x4 array, rows C, columns K, order CKYXRS, 2"));
  EXPECT_THAT(settings(make_gemm("gemm", 2, 2, 1), orders),
              ElementsAre("4x4 array, rows C, columns K, order KCYXRS, 2"));
}

TEST(Settings, PutTheFastestFirst) {
  EXPECT_THAT(settings(make_gemm("gemm", 3, 5, 16), "P={KY,CK},S=4x4"),
              ElementsAre("4x4 array, rows C, columns K, order any, 20",
                          "4x4 array, rows K, columns Y, order any, 32"));
}

// Rows and columns divide the part of the tile that cuts the dimension.
TEST(Settings, UnrollAFixedTileEvenly) {
  const auto found = settings_of(make_gemm("gemm", 12, 1, 7),
                                 arch_with("T=fixed(K6,C9,Y1,X1,R1,S1),O=KCYXRS,P=CK,S=4x4"));
  std::vector<std::int64_t> columns;
  for (const Setting& setting : *found.value) {
    ASSERT_EQ(setting.unrolled.size(), 1U) << "the tile holds all of C";
    EXPECT_EQ(setting.unrolled.front().rows, 1);
    columns.push_back(setting.unrolled.front().columns);
  }
  EXPECT_THAT(columns, UnorderedElementsAre(1, 2, 3));
}

TEST(Settings, OfOtherWorkloadsAreRefused) {
  const auto chain =
      io::read_workload_line("O[m,n] += A[m,k]*B[k,l]*C[l,n]; m=2 n=2 k=2 l=2", "line");
  EXPECT_FALSE(settings_of(*chain.value, arch_with("S=any")).ok());
}

// --- setting up ---------------------------------------------------------------------

TEST(SettingUp, LeavesNoFreedomInTheArchitecture) {
  const Workload gemm = make_gemm("gemm", 8, 8, 8);
  const Architecture arch = arch_with("T=hard(1:1:1),O=YCKXRS,P=CK,S=bands(2)");
  const Setting setting = settings_of(gemm, arch).value->front();
  const auto set = set_up(gemm, arch, setting);
  EXPECT_FALSE(set.arch.flexibility.has_value());
  const auto& array = std::get<Fanout>(set.arch.levels[2]);
  EXPECT_EQ((ArrayShape{array.y.size, array.x.size}), setting.shape);
  const auto& buffer = std::get<Memory>(set.arch.levels[1]);
  ASSERT_EQ(buffer.partitions.size(), 3U);
  for (const auto& [role, part] : buffer.partitions) EXPECT_EQ(part.amount, 30) << role;
  std::vector<std::string> rules;
  for (const Constraint& constraint : set.constraints) rules.push_back(to_string(constraint));
  EXPECT_THAT(rules, UnorderedElementsAre("Array.y: dims K", "Array.x: dims M",
                                          "DRAM: order N K M ...", "Buffer: order N K M ..."));
}

// --- outside the array ----------------------------------------------------------------

std::vector<std::string> names_outside(const Architecture& arch) {
  const auto outside = outside_of_array(make_gemm("gemm", 4, 4, 4), arch, std::nullopt);
  std::vector<std::string> names;
  if (!outside) return names;
  for (const Level& level : outside->arch.levels) names.push_back(name_of(level));
  return names;
}

TEST(OutsideOfArray, AreTheMemoriesAroundOneMultiplier) {
  Architecture arch = arch_with("S=any");
  EXPECT_THAT(names_outside(arch), ElementsAre("DRAM", "Buffer", "MAC"));
  arch.levels.insert(arch.levels.begin() + 1, testing::make_memory("L2"));
  EXPECT_THAT(names_outside(arch), ElementsAre("DRAM", "L2", "Buffer", "MAC"));
}

TEST(OutsideOfArray, AreNotThereWhereTheArrayDecidesWhatTheyMove) {
  const Architecture arch = arch_with("S=any");
  Architecture other = arch;
  std::get<Memory>(other.levels[1]).bypass = {"weight"};
  EXPECT_THAT(names_outside(other), ElementsAre()) << "weights go to the array past the buffer";
  other = arch;
  std::get<Memory>(other.levels[1]).free = {"weight"};
  EXPECT_THAT(names_outside(other), ElementsAre());
  other = arch;
  other.flexibility->array = "Array";
  other.levels.insert(other.levels.begin() + 1, testing::make_fanout("Clusters", 2));
  EXPECT_THAT(names_outside(other), ElementsAre()) << "several buffers";
  other = arch;
  other.flexibility->buffer = "DRAM";
  EXPECT_THAT(names_outside(other), ElementsAre()) << "not the next to the array";
  other = arch;
  other.levels.erase(other.levels.begin() + 1);
  EXPECT_THAT(names_outside(other), ElementsAre()) << "nothing passes into the outermost memory";
}

}  // namespace
}  // namespace tilewright
