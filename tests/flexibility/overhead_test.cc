// What freedom costs, against Table 3 of "A Formalism of DNN Accelerator
// Flexibility" (Kao et al., SIGMETRICS 2022).
#include <gtest/gtest.h>

#include "tilewright/io.h"
#include "tilewright/study.h"

namespace tilewright {
namespace {

Architecture table3() { return *io::load_architecture("flex_1024").value; }

double of(const Overhead& overhead, TopsAxis axis) {
  return overhead.um2[static_cast<std::size_t>(axis)];
}

TEST(FlexOverhead, IsThatOfTable3) {
  const Overhead overhead = overhead_of(table3());
  EXPECT_NEAR(of(overhead, TopsAxis::Tile), 31, 1e-6);
  EXPECT_NEAR(of(overhead, TopsAxis::Order), 1615, 1e-6);
  EXPECT_NEAR(of(overhead, TopsAxis::Parallel), 877, 1e-6);
  EXPECT_NEAR(of(overhead, TopsAxis::Shape), 212, 1e-6);
  EXPECT_NEAR(overhead.sum(), 2735, 1e-6);
  EXPECT_NEAR(overhead.sum(), 739'576 - 736'843, 3) << "FullFlex as printed";
  EXPECT_EQ(base_area_um2(table3()), 736'843);
}

TEST(FlexOverhead, IsHalfWhereAnAxisIsFreeInPart) {
  Architecture arch = table3();
  arch.flexibility = with_some_freedom(*arch.flexibility, kEveryAxis, 1024);
  EXPECT_NEAR(overhead_of(arch).sum(), 2735.0 / 2, 1e-6);
  EXPECT_NEAR(overhead_of(arch).sum(), 738'209 - 736'843, 2) << "PartFlex as printed";
}

TEST(FlexOverhead, IsNothingWhereNothingIsFree) {
  Architecture arch = table3();
  const auto fixed =
      io::read_flexibility_line("T=fixed(K64,C16,Y3,X3,R3,S3),O=KCYXRS,P=CK,S=16x64", "line", arch);
  arch.flexibility = *fixed.value;
  EXPECT_EQ(overhead_of(arch).sum(), 0);
  arch.flexibility = with_freedom(*fixed.value, axes_of(TopsAxis::Shape));
  EXPECT_NEAR(overhead_of(arch).sum(), 212, 1e-6);
}

TEST(FlexOverhead, GrowsWithThePes) {
  Architecture arch = table3();
  std::get<Fanout>(arch.levels[2]).y.size *= 2;
  const Overhead overhead = overhead_of(arch);
  EXPECT_NEAR(of(overhead, TopsAxis::Tile), 31, 1e-6);
  EXPECT_NEAR(of(overhead, TopsAxis::Shape), 2 * 212, 1e-6);
  // A multiplexer or a counter in each PE; the address generators stay.
  EXPECT_NEAR(of(overhead, TopsAxis::Parallel), 877 + 212, 1e-6);
  EXPECT_NEAR(of(overhead, TopsAxis::Order), 2 * 1615 - (877 - 212), 1e-6);
  // Half of the area is the buffer's, which stays.
  EXPECT_NEAR(base_area_um2(arch), 1.5 * kTable3BaseUm2, 1);
}

TEST(FlexOverhead, GrowsWithTheAddressesOfTheBuffer) {
  const auto tile_area = [](const Capacity& capacity) {
    Architecture arch = table3();
    std::get<Memory>(arch.levels[1]).capacity = capacity;
    return of(overhead_of(arch), TopsAxis::Tile);
  };
  using Unit = Capacity::Unit;
  EXPECT_NEAR(tile_area({Unit::Words, 131'072}), 31, 1e-6) << "17 bits";
  EXPECT_NEAR(tile_area({Unit::Words, 131'073}), 31 * 18.0 / 17, 1e-6);
  EXPECT_NEAR(tile_area({Unit::Bits, 8 * 65'536}), 31 * 16.0 / 17, 1e-6);
  EXPECT_NEAR(tile_area({}), 31, 1e-6) << "as in Table 3 where there is no limit";
}

TEST(FlexOverhead, IsAddedToTheAreaOfTheLevels) {
  Architecture arch = table3();
  std::get<Memory>(arch.levels[1]).area_um2 = 5;
  EXPECT_EQ(base_area_um2(arch), 5);
}

}  // namespace
}  // namespace tilewright
