#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/random_flexibility.h"
#include "support/slow_build.h"
#include "tilewright/io.h"

namespace tilewright::io {
namespace {

using ::testing::ElementsAre;
using ::tilewright::testing::affordable;
using ::tilewright::testing::random_flexibility;
using ::tilewright::testing::TestRng;

constexpr const char* kLevels = R"(architecture: a
levels:
  - {memory: DRAM, capacity: unlimited}
  - {memory: Buffer, capacity: 100000 words}
  - {fanout: Array, x: 64, y: 16}
  - {fanout: Wire, x: 1}
  - compute: MAC
)";

Architecture arch_with(const std::string& block) {
  const auto arch = read_architecture(kLevels + block, "a.yaml");
  for (const Diagnostic& problem : arch.problems) ADD_FAILURE() << to_string(problem);
  return arch.value.value_or(Architecture{});
}

Flexibility block(const std::string& text) {
  return arch_with("flexibility:\n" + text).flexibility.value_or(Flexibility{});
}

Flexibility line(const std::string& text, const Architecture& arch) {
  const auto flexibility = read_flexibility_line(text, "--flex", arch);
  for (const Diagnostic& problem : flexibility.problems) ADD_FAILURE() << to_string(problem);
  return flexibility.value.value_or(Flexibility{});
}
Flexibility line(const std::string& text) { return line(text, arch_with("")); }

// --- what texts mean ------------------------------------------------------------------

constexpr const char* kEverything = R"(  buffer: DRAM
  array: Array
  tile: fixed(S3,K64,C16,Y3,X3,R1)
  order: [KCYXRS, YXKCRS]
  parallel: [CK, YX]
  shape: blocks(4x2)
)";

TEST(FlexibilityText, OfABlockSaysAllAxes) {
  const Flexibility read = block(kEverything);
  EXPECT_EQ(read.buffer, "DRAM");
  EXPECT_EQ(read.array, "Array");
  EXPECT_EQ(read.tile.kind, TileFreedom::Kind::Fixed);
  EXPECT_EQ(read.tile.fixed, (ConvSizes{64, 16, 3, 3, 1, 3}));
  EXPECT_EQ(to_string(read.orders.at(1)), "YXKCRS");
  EXPECT_THAT(read.pairs,
              ElementsAre(ConvPair{ConvDim::C, ConvDim::K}, ConvPair{ConvDim::Y, ConvDim::X}));
  EXPECT_EQ(read.shape, (ShapeFreedom{ShapeFreedom::Kind::Blocks, {4, 2}}));
}

TEST(FlexibilityText, OfALineSaysTheSame) {
  const Flexibility expected = block(
      "  tile: fixed(K64,C16,Y3,X3,R1,S3)\n  order: [KCYXRS, YXKCRS]\n  parallel: [CK, YX]\n"
      "  shape: blocks(4x2)\n");
  EXPECT_EQ(line("T=fixed(K64,C16,Y3,X3,R1,S3),O={KCYXRS,YXKCRS},P={CK,YX},S=blocks(4x2)"),
            expected);
  EXPECT_EQ(line(" S = blocks(4x2) , parallel={ CK , YX }, order={KCYXRS, YXKCRS}, "
                 "tile = fixed(S3, K64, C16, Y3, X3, R1)"),
            expected);
}

TEST(FlexibilityText, WithoutAWordIsFreeButForTheShape) {
  Flexibility expected;
  expected.shape.unit = {16, 64};
  EXPECT_EQ(block("  tile: soft\n"), expected);
  EXPECT_EQ(line("O=all"), expected);
  EXPECT_EQ(line("T=soft,O=all,P=all,S=16x64"), expected);
  EXPECT_FALSE(arch_with("").flexibility.has_value());
}

TEST(FlexibilityText, OfALineChangesWhatTheArchitectureHas) {
  const Architecture arch = arch_with("flexibility:\n" + std::string(kEverything));
  Flexibility expected = *arch.flexibility;
  expected.pairs.clear();
  EXPECT_EQ(line("P=all", arch), expected);
  expected.shape = {ShapeFreedom::Kind::Bands, {16, 16}};
  EXPECT_EQ(line("P=all,S=bands(16)", arch), expected);
}

TEST(FlexibilityText, OfSingleValuesNeedsNoList) {
  const Flexibility read = block("  order: YXKCRS\n  parallel: YX\n  shape: any\n");
  ASSERT_EQ(read.orders.size(), 1U);
  ASSERT_EQ(read.pairs.size(), 1U);
  EXPECT_EQ(read, line("O=YXKCRS,P=YX,S=any"));
  EXPECT_EQ(read, line("O={YXKCRS},P={YX},S=any"));
}

std::array<Rational, 3> shares(const std::string& text) { return line("T=" + text).tile.shares; }

TEST(FlexibilityText, OfSharesIsARatioOrParts) {
  EXPECT_THAT(shares("hard(1:1:1)"), ElementsAre(Rational{1, 3}, Rational{1, 3}, Rational{1, 3}));
  EXPECT_THAT(shares("hard(2:1:1)"), ElementsAre(Rational{1, 2}, Rational{1, 4}, Rational{1, 4}));
  EXPECT_THAT(shares("hard(40%:30%:20%)"),
              ElementsAre(Rational{2, 5}, Rational{3, 10}, Rational{1, 5}));
  EXPECT_THAT(shares("hard( 0.4 : 3/10 : 12.5% )"),
              ElementsAre(Rational{2, 5}, Rational{3, 10}, Rational{1, 8}));
}

TEST(SettleShape, TakesThatOfTheArrayUnlessThereIsOne) {
  const Architecture arch = arch_with("");
  Flexibility flexibility;
  settle_shape(arch, flexibility);
  EXPECT_EQ(flexibility.shape, (ShapeFreedom{ShapeFreedom::Kind::Fixed, {16, 64}}));
  flexibility.shape.unit = {2, 3};
  settle_shape(arch, flexibility);
  EXPECT_EQ(flexibility.shape.unit, (ArrayShape{2, 3}));
  flexibility.shape = {};
  flexibility.array = "Buffer";
  settle_shape(arch, flexibility);
  EXPECT_EQ(flexibility.shape, ShapeFreedom{}) << "without an array it stays unknown";
}

// --- round trips ----------------------------------------------------------------------

Flexibility drawn(TestRng& rng) {
  const std::int64_t largest = rng.chance(50) ? 10 : kCountLimit;
  Flexibility flexibility =
      random_flexibility(rng, {.pes = 1024, .largest_tile = largest, .shares = true});
  if (rng.chance(30)) flexibility.array = "Array";
  if (rng.chance(30)) flexibility.buffer = "Buffer";
  return flexibility;
}

TEST(FlexibilityText, OfAFileIsReadAsItWasWritten) {
  TestRng rng(61);
  for (int i = 0; i < affordable(300); ++i) {
    Architecture arch = arch_with("");
    arch.flexibility = drawn(rng);
    const std::string text = write_architecture(arch);
    const auto again = read_architecture(text, "again.yaml");
    ASSERT_TRUE(again.ok()) << to_string(again.problems.front()) << "\n" << text;
    EXPECT_EQ(*again.value, arch) << text;
  }
}

TEST(FlexibilityText, OfALineIsReadAsItWasWritten) {
  TestRng rng(62);
  for (int i = 0; i < affordable(300); ++i) {
    Architecture arch = arch_with("");
    const Flexibility flexibility = drawn(rng);
    // A line does not name levels.
    arch.flexibility = drawn(rng);
    arch.flexibility->buffer = flexibility.buffer;
    arch.flexibility->array = flexibility.array;
    EXPECT_EQ(line(to_string(flexibility), arch), flexibility) << to_string(flexibility);
  }
}

}  // namespace
}  // namespace tilewright::io
