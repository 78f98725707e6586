#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tilewright/io.h"
#include "tilewright/model.h"

namespace tilewright::io {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Problem uneven_problem(const std::string& more = "") {
  const Checked<Architecture> arch = read_architecture(R"(
architecture: small
levels:
  - {memory: DRAM, capacity: unlimited, read: 64 pJ}
  - {memory: Buffer, capacity: 100 words, free: [output], read: 2 pJ, leakage: 1 pJ/cycle, area: 5 um2}
  - {fanout: array, x: 4}
  - {memory: Register, capacity: 12 words, read: 1 pJ}
  - compute: MAC
)" + more,
                                                       "small");
  return *Problem::create(make_gemm("g", 8, 6, 10), arch.value.value()).value;
}

std::string complaint(const std::string& text, const std::string& more = "") {
  const Checked<PaddedMapping> read = read_padded_mapping(text, "m.yaml", uneven_problem(more));
  std::string all;
  for (const Diagnostic& problem : read.problems) all += to_string(problem) + "\n";
  return all;
}

constexpr const char* kUneven = R"(levels:
  DRAM: [K 5]
  Buffer(W): [M 2]
  Buffer( I,O ): [N 6, K 2]
  array: {x: [M 4]}
)";

TEST(ReadUnevenMapping, TakesMemoriesApart) {
  const Checked<PaddedMapping> read = read_padded_mapping(kUneven, "m.yaml", uneven_problem());
  ASSERT_TRUE(read.ok()) << complaint(kUneven);
  const Problem& problem = read.value->problem;
  ASSERT_EQ(problem.memory_count(), 4);
  EXPECT_TRUE(has_points(problem));
  EXPECT_EQ(problem.memory(MemoryId{1}).name, "Buffer(W)");
  EXPECT_EQ(problem.memory(MemoryId{2}).name, "Buffer(I, O)");
  EXPECT_EQ(problem.memory(MemoryId{2}).point_of, "Buffer");
  EXPECT_EQ(read.value->mapping.bound(problem.use(MemoryId{1}).slot, DimId{0}), 2);
  EXPECT_EQ(read.value->mapping.bound(problem.use(MemoryId{2}).slot, DimId{1}), 6);
  EXPECT_EQ(total_area_um2(problem.arch()), total_area_um2(uneven_problem().arch()));
  const Evaluation evaluation = Evaluator::compile(problem).value->evaluate(read.value->mapping);
  EXPECT_GT(evaluation.memories[1].leakage_pj, 0);
  EXPECT_EQ(evaluation.memories[2].leakage_pj, 0);
}

TEST(ReadUnevenMapping, ComesBackAsWritten) {
  const Checked<PaddedMapping> read = read_padded_mapping(kUneven, "m.yaml", uneven_problem());
  ASSERT_TRUE(read.ok());
  const std::string text = write_mapping(read.value->problem, read.value->mapping);
  const Checked<PaddedMapping> again = read_padded_mapping(text, "again", uneven_problem());
  ASSERT_TRUE(again.ok()) << text;
  EXPECT_EQ(again.value->mapping, read.value->mapping) << text;
  EXPECT_EQ(again.value->problem.arch(), read.value->problem.arch());
  // Where the points are levels already, their names are names of levels.
  const Checked<Mapping> there = read_mapping(text, "there", read.value->problem);
  ASSERT_TRUE(there.ok());
  EXPECT_EQ(*there.value, read.value->mapping);
}

TEST(ReadUnevenMapping, KeepsPointsWithoutLoops) {
  const std::string text = "levels: {DRAM: [M 8, N 6, K 10], \"Buffer(W)\": [], \"Buffer(I)\": []}";
  const Checked<PaddedMapping> read = read_padded_mapping(text, "m.yaml", uneven_problem());
  ASSERT_TRUE(read.ok()) << complaint(text);
  const std::string written = write_mapping(read.value->problem, read.value->mapping);
  const Checked<PaddedMapping> again = read_padded_mapping(written, "again", uneven_problem());
  ASSERT_TRUE(again.ok()) << written;
  EXPECT_EQ(again.value->problem.memory_count(), 4) << written;
}

TEST(ReadUnevenMapping, SaysWhatIsWrongAndWhere) {
  EXPECT_THAT(
      complaint("levels:\n  Buffer(W): []\n  Buffer(W, I): []\n"),
      HasSubstr("m.yaml:3:3: Buffer has one of these tensors at another storage point, too"));
  EXPECT_THAT(complaint("levels:\n  Buffer(W): []\n  Buffer: []\n"),
              HasSubstr("m.yaml:2:3: Buffer stands here as a whole, too"));
  EXPECT_THAT(complaint("levels:\n  Buffer(X): []\n"),
              HasSubstr("m.yaml:2:3: the workload has no tensor \"X\""));
  EXPECT_THAT(complaint("levels:\n  Buffer(): []\n"),
              HasSubstr("m.yaml:2:3: a storage point of Buffer has no tensor"));
  EXPECT_THAT(complaint("levels:\n  Buffer(W): []\n"),
              HasSubstr("no storage point of Buffer has I, which it always keeps"));
  EXPECT_THAT(complaint("levels:\n  Buffet(W): []\n"),
              HasSubstr("m.yaml:2:3: the architecture has no level \"Buffet(W)\""));
  EXPECT_THAT(
      complaint("levels:\n  DRAM(W): [M 8]\n  DRAM(I, O): [N 6, K 10]\n"),
      HasSubstr("DRAM is the outermost memory that keeps I, so I must be at its first point"));
}

TEST(ReadUnevenMapping, RefusesPointsThatBreakRulesOnTensors) {
  EXPECT_THAT(complaint(kUneven, "constraints:\n  - {level: Buffer, bypass: [W]}\n"),
              AllOf(HasSubstr("the storage points of Buffer break the constraint"),
                    HasSubstr("m.yaml:2:3")));
  EXPECT_EQ(complaint(kUneven, "constraints:\n  - {level: Buffer, keep: [W, O]}\n"), "");
  EXPECT_EQ(complaint(kUneven, "constraints:\n  - {level: Buffer, dims: [M, N, K]}\n"), "");
}

TEST(ReadUnevenMapping, IsRefusedWhereMappingsAreEven) {
  const Checked<Mapping> read = read_mapping(kUneven, "m.yaml", uneven_problem());
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(to_string(read.problems.front()), HasSubstr("the mapping is uneven"));
}

TEST(StoragePointsOfAMemory, FitTogetherOrNotAtAll) {
  // Tiles: W 8 x 2 x 1 at its point, I 6 x 2 and O 4 x 6 at theirs.
  const Checked<PaddedMapping> read = read_padded_mapping(kUneven, "m.yaml", uneven_problem());
  ASSERT_TRUE(read.ok());
  for (const std::int64_t capacity : {52, 51}) {
    Architecture arch = read.value->problem.arch();
    for (Level& level : arch.levels) {
      auto* memory = std::get_if<Memory>(&level);
      if (memory != nullptr && memory->point_of == "Buffer") {
        memory->capacity = {Capacity::Unit::Words, capacity};
      }
    }
    const auto evaluator = Evaluator::compile(read.value->problem.workload(), arch);
    const Score score = evaluator.value->score(read.value->mapping);
    EXPECT_EQ(score.verdict.fits(), capacity == 52);
    if (capacity == 52) continue;
    EXPECT_EQ(score.verdict.needed, 52);
    EXPECT_THAT(to_string(score.verdict, evaluator.value->problem()),
                HasSubstr("Buffer: the tiles need 52 words, 1 word more than the 51 words"));
  }
}

}  // namespace
}  // namespace tilewright::io
