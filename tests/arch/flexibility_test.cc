#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tilewright/arch.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::int64_t kPes = 1024;

constexpr ConvOrder kOrder = kAllConvDims;
constexpr ConvOrder kOther = {ConvDim::Y, ConvDim::X, ConvDim::K,
                              ConvDim::C, ConvDim::R, ConvDim::S};

// The accelerator of the study's Table 2.
Flexibility fixed() {
  Flexibility flexibility;
  flexibility.tile = {TileFreedom::Kind::Fixed, {64, 16, 3, 3, 3, 3}, {}};
  flexibility.orders = {kOrder};
  flexibility.pairs = {{ConvDim::C, ConvDim::K}};
  flexibility.shape = {ShapeFreedom::Kind::Fixed, {16, 64}};
  return flexibility;
}

Flexibility hard(std::int64_t weight, std::int64_t input, std::int64_t output, std::int64_t whole) {
  Flexibility flexibility = fixed();
  flexibility.tile = {};
  flexibility.tile.kind = TileFreedom::Kind::Hard;
  flexibility.tile.shares = {{{weight, whole}, {input, whole}, {output, whole}}};
  return flexibility;
}

Flexibility shaped(ShapeFreedom::Kind kind, std::int64_t rows, std::int64_t columns) {
  Flexibility flexibility = fixed();
  flexibility.shape = {kind, {rows, columns}};
  return flexibility;
}

std::vector<ConvOrder> all_orders() {
  std::vector<ConvOrder> orders = {kAllConvDims};
  ConvOrder order = kAllConvDims;
  while (std::next_permutation(order.begin(), order.end())) orders.push_back(order);
  return orders;
}

// --- degrees -----------------------------------------------------------------------

TEST(Degrees, OfTiles) {
  const auto degree = [](const Flexibility& f) { return degree_of(f, TopsAxis::Tile, kPes); };
  EXPECT_EQ(degree(fixed()), Degree::Inflexible);
  EXPECT_EQ(degree(hard(1, 1, 1, 3)), Degree::Partial);
  EXPECT_EQ(degree(Flexibility{}), Degree::Full);
}

TEST(Degrees, OfOrders) {
  Flexibility flexibility = fixed();
  const auto degree = [&] { return degree_of(flexibility, TopsAxis::Order, kPes); };
  EXPECT_EQ(degree(), Degree::Inflexible);
  flexibility.orders.push_back(kOther);
  EXPECT_EQ(degree(), Degree::Partial);
  flexibility.orders = all_orders();
  EXPECT_EQ(std::ssize(flexibility.orders), kAllOrders);
  EXPECT_EQ(degree(), Degree::Full);
  flexibility.orders.pop_back();
  EXPECT_EQ(degree(), Degree::Partial);
  flexibility.orders.clear();
  EXPECT_EQ(degree(), Degree::Full);
}

TEST(Degrees, OfPairs) {
  Flexibility flexibility = fixed();
  const auto degree = [&] { return degree_of(flexibility, TopsAxis::Parallel, kPes); };
  EXPECT_EQ(degree(), Degree::Inflexible);
  flexibility.pairs = all_pairs();
  EXPECT_EQ(std::ssize(flexibility.pairs), kAllPairs);
  EXPECT_EQ(degree(), Degree::Full);
  flexibility.pairs.pop_back();
  EXPECT_EQ(degree(), Degree::Partial);
}

TEST(Degrees, OfShapes) {
  using Kind = ShapeFreedom::Kind;
  const auto degree = [](const Flexibility& f, std::int64_t pes) {
    return degree_of(f, TopsAxis::Shape, pes);
  };
  EXPECT_EQ(degree(fixed(), kPes), Degree::Inflexible);
  EXPECT_EQ(degree(shaped(Kind::Bands, 16, 16), kPes), Degree::Partial);
  EXPECT_EQ(degree(shaped(Kind::Blocks, 4, 4), kPes), Degree::Partial);
  EXPECT_EQ(degree(shaped(Kind::Any, 1, 1), kPes), Degree::Full);
  EXPECT_EQ(degree(shaped(Kind::Blocks, 1, 1), kPes), Degree::Full) << "blocks of one PE";
  EXPECT_EQ(degree(shaped(Kind::Blocks, 4, 4), 31), Degree::Inflexible) << "a single block";
}

TEST(Classes, HaveABitForEveryAxis) {
  EXPECT_EQ(class_of(fixed(), kPes), "InFlex-0000");
  EXPECT_EQ(class_of(hard(1, 1, 1, 3), kPes), "PartFlex-1000");
  Flexibility flexibility = fixed();
  flexibility.orders.push_back(kOther);
  EXPECT_EQ(class_of(flexibility, kPes), "PartFlex-0100");
  flexibility = fixed();
  flexibility.pairs.clear();
  EXPECT_EQ(class_of(flexibility, kPes), "FullFlex-0010");
  flexibility.shape = {ShapeFreedom::Kind::Bands, {16, 16}};
  EXPECT_EQ(class_of(flexibility, kPes), "PartFlex-0011");
  flexibility = {};
  flexibility.shape = {ShapeFreedom::Kind::Any, {1, 1}};
  EXPECT_EQ(class_of(flexibility, kPes), "FullFlex-1111");
}

// --- texts -------------------------------------------------------------------------

TEST(FlexibilityTexts, AreAsTheyAreWritten) {
  Flexibility flexibility = fixed();
  EXPECT_EQ(to_string(flexibility), "T=fixed(K64,C16,Y3,X3,R3,S3),O=KCYXRS,P=CK,S=16x64");
  flexibility = hard(1, 2, 2, 5);
  flexibility.orders.push_back(kOther);
  flexibility.pairs.push_back({ConvDim::Y, ConvDim::X});
  flexibility.shape = {ShapeFreedom::Kind::Blocks, {4, 2}};
  EXPECT_EQ(to_string(flexibility),
            "T=hard(0.2:0.4:0.4),O={KCYXRS,YXKCRS},P={CK,YX},S=blocks(4x2)");
  flexibility = {};
  flexibility.shape = {ShapeFreedom::Kind::Bands, {16, 16}};
  EXPECT_EQ(to_string(flexibility), "T=soft,O=all,P=all,S=bands(16)");
  flexibility.shape = {ShapeFreedom::Kind::Any, {1, 1}};
  EXPECT_EQ(axis_text(flexibility, TopsAxis::Shape), "any");
}

TEST(FlexibilityTexts, NameDimensionsAxesAndDegrees) {
  std::string letters;
  for (const ConvDim dim : kAllConvDims) {
    letters += letter_of(dim);
    EXPECT_EQ(conv_dim_of(letter_of(dim)), dim);
  }
  EXPECT_EQ(letters, "KCYXRS");
  EXPECT_EQ(conv_dim_of('k'), std::nullopt);
  EXPECT_EQ(conv_dim_of('N'), std::nullopt);
  std::vector<std::string> axes;
  for (const TopsAxis axis : kTopsAxes) axes.push_back(to_string(axis));
  EXPECT_THAT(axes, ElementsAre("tile", "order", "parallel", "shape"));
  EXPECT_EQ(to_string(Degree::Inflexible), "inflexible");
  EXPECT_EQ(to_string(Degree::Partial), "partly flexible");
  EXPECT_EQ(to_string(Degree::Full), "fully flexible");
}

// --- problems ----------------------------------------------------------------------

TEST(FlexibilityProblems, AreNoneOfWhatIsSound) {
  EXPECT_THAT(problems_of(fixed(), kPes), IsEmpty());
  EXPECT_THAT(problems_of(hard(1, 1, 1, 3), kPes), IsEmpty())
      << "three thirds are no more than one";
  EXPECT_THAT(problems_of(Flexibility{}), IsEmpty()) << "the shape may be unknown yet";
}

void expect_problem(const Flexibility& flexibility, const std::string& key,
                    const std::string& part) {
  const std::vector<std::string> problems = problems_of(flexibility, kPes);
  ASSERT_EQ(problems.size(), 1U) << to_string(flexibility);
  EXPECT_THAT(problems.front(), StartsWith(key + " "));
  EXPECT_THAT(problems.front(), HasSubstr(part));
}

TEST(FlexibilityProblems, StartWithTheirKey) {
  Flexibility flexibility = fixed();
  flexibility.tile.fixed[index_of(ConvDim::Y)] = 0;
  expect_problem(flexibility, "tile", "is 0 in Y");
  expect_problem(hard(1, 1, 2, 3), "tile", "133.3 %");
  expect_problem(hard(0, 1, 1, 3), "tile", "not above 0");
  flexibility = fixed();
  flexibility.orders.push_back(kOrder);
  expect_problem(flexibility, "order", "KCYXRS twice");
  flexibility.orders.back().back() = ConvDim::K;
  expect_problem(flexibility, "order", "KCYXRK does not name each");
  flexibility = fixed();
  flexibility.pairs.push_back(flexibility.pairs.front());
  expect_problem(flexibility, "parallel", "CK twice");
  flexibility.pairs.back() = {ConvDim::C, ConvDim::C};
  expect_problem(flexibility, "parallel", "CC unrolls the same dimension");
}

TEST(FlexibilityProblems, OfShapesDependOnThePes) {
  using Kind = ShapeFreedom::Kind;
  expect_problem(shaped(Kind::Fixed, 33, 32), "shape", "33x32 takes 1056 PEs; the array has 1024");
  expect_problem(shaped(Kind::Bands, 33, 33), "shape", "bands(33) takes 1089 PEs");
  expect_problem(shaped(Kind::Blocks, 0, 4), "shape", "from 1 to 2^60");
  expect_problem(shaped(Kind::Blocks, kCountLimit, 2), "shape", "from 1 to 2^60");
  EXPECT_THAT(problems_of(shaped(Kind::Fixed, 33, 32)), IsEmpty());
  Flexibility unsettled = fixed();
  unsettled.shape = {};
  expect_problem(unsettled, "shape", "from 1 to 2^60");
}

}  // namespace
}  // namespace tilewright
