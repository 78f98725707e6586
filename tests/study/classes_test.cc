#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tilewright/study.h"

namespace tilewright {
namespace {

using ::testing::ElementsAre;

Flexibility fixed() {
  Flexibility flexibility;
  flexibility.tile = {TileFreedom::Kind::Fixed, {64, 16, 3, 3, 3, 3}, {}};
  flexibility.orders = {kAllConvDims};
  flexibility.pairs = {{ConvDim::C, ConvDim::K}};
  flexibility.shape = {ShapeFreedom::Kind::Fixed, {16, 64}};
  return flexibility;
}

TEST(ClassVariants, AreTheClassesOfTheStudyWithRisingFreedom) {
  std::vector<std::string> names;
  for (const Variant& variant : class_variants(fixed(), 1024)) names.push_back(variant.name);
  EXPECT_THAT(names, ElementsAre("InFlex-0000", "FullFlex-1000", "FullFlex-0100", "FullFlex-0010",
                                 "FullFlex-0001", "FullFlex-1100", "FullFlex-1010", "FullFlex-1001",
                                 "FullFlex-0110", "FullFlex-0101", "FullFlex-0011", "FullFlex-1110",
                                 "FullFlex-1101", "FullFlex-1011", "FullFlex-0111", "FullFlex-1111",
                                 "PartFlex-1111"));
}

TEST(ClassVariants, AreOfTheClassThatTheirNameSays) {
  for (const std::int64_t pes : {1024, 64, 16}) {
    Flexibility flexibility = fixed();
    flexibility.shape.unit = {4, pes / 4};
    for (const Variant& variant : class_variants(flexibility, pes)) {
      EXPECT_EQ(class_of(variant.flexibility, pes), variant.name) << pes;
    }
  }
}

TEST(WithFreedom, LeavesOtherAxesAsTheyWere) {
  const Flexibility free = with_freedom(fixed(), axes_of(TopsAxis::Order));
  EXPECT_EQ(to_string(free), "T=fixed(K64,C16,Y3,X3,R3,S3),O=all,P=CK,S=16x64");
  EXPECT_EQ(with_freedom(fixed(), 0), fixed());
  EXPECT_EQ(to_string(with_freedom(fixed(), kEveryAxis)), "T=soft,O=all,P=all,S=any");
}

TEST(WithSomeFreedom, IsThatOfTheStudy) {
  EXPECT_EQ(to_string(with_some_freedom(fixed(), kEveryAxis, 1024)),
            "T=hard(1/3:1/3:1/3),O={YXKCRS,KCRSYX,CYXRSK},P={CK,YX},S=bands(16)");
  EXPECT_EQ(to_string(with_some_freedom(fixed(), axes_of(TopsAxis::Tile), 1024)),
            "T=hard(1/3:1/3:1/3),O=KCYXRS,P=CK,S=16x64");
}

// Two bands at least, as long as there are two PEs.
TEST(WithSomeFreedom, HasLowerBandsOnSmallArrays) {
  const auto height = [](std::int64_t pes) {
    return with_some_freedom(fixed(), axes_of(TopsAxis::Shape), pes).shape.unit.rows;
  };
  EXPECT_EQ(height(512), 16);
  EXPECT_EQ(height(511), 8);
  EXPECT_EQ(height(128), 8);
  EXPECT_EQ(height(8), 2);
  EXPECT_EQ(height(7), 1);
  EXPECT_EQ(height(1), 1);
}

TEST(Axes, AreBitsFromTileToShape) {
  EXPECT_EQ(bits_text(0), "0000");
  EXPECT_EQ(bits_text(axes_of(TopsAxis::Tile)), "1000");
  EXPECT_EQ(bits_text(axes_of(TopsAxis::Tile) | axes_of(TopsAxis::Parallel)), "1010");
  EXPECT_EQ(bits_text(axes_of(TopsAxis::Shape)), "0001");
  EXPECT_EQ(bits_text(kEveryAxis), "1111");
}

}  // namespace
}  // namespace tilewright
