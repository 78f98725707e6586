#include <gtest/gtest.h>

#include "tilewright/arch.h"

namespace tilewright {
namespace {

Architecture three_levels() {
  Memory dram;
  dram.name = "DRAM";
  dram.area_um2 = 100;
  Fanout array;
  array.name = "array";
  array.x.size = 3;
  array.y.size = 4;
  Memory buffer;
  buffer.name = "buffer";
  buffer.area_um2 = 2;
  Compute mac;
  mac.name = "MAC";
  mac.area_um2 = 0.5;
  Architecture arch;
  arch.name = "a";
  arch.levels = {dram, array, buffer, mac};
  return arch;
}

TEST(Architecture, FindsLevelsByName) {
  const Architecture arch = three_levels();
  EXPECT_EQ(arch.find_level("buffer"), LevelId{2});
  EXPECT_EQ(arch.find_level("Buffer"), std::nullopt);
  EXPECT_EQ(name_of(arch.level(LevelId{1})), "array");
  EXPECT_EQ(arch.compute().name, "MAC");
}

TEST(Architecture, MultipliesFanoutsIntoInstances) {
  const Architecture arch = three_levels();
  EXPECT_EQ(physical_instances(arch, LevelId{0}), 1);
  EXPECT_EQ(physical_instances(arch, LevelId{1}), 1);
  EXPECT_EQ(physical_instances(arch, LevelId{2}), 12);
  EXPECT_EQ(physical_instances(arch, LevelId{3}), 12);
}

TEST(Architecture, AddsTheAreaOfAllInstances) {
  EXPECT_EQ(total_area_um2(three_levels()), 100 + 12 * 2 + 12 * 0.5);
}

TEST(CapacityText, ChoosesTheLargestUnitThatIsExact) {
  using Unit = Capacity::Unit;
  EXPECT_EQ(to_string(Capacity{}), "unlimited");
  EXPECT_EQ(to_string(Capacity{Unit::Words, 24}), "24 words");
  EXPECT_EQ(to_string(Capacity{Unit::Bits, 4097}), "4097 bits");
  EXPECT_EQ(to_string(Capacity{Unit::Bits, 8 * 1000}), "1000 B");
  EXPECT_EQ(to_string(Capacity{Unit::Bits, 8 * 1024 * 128}), "128 KiB");
  EXPECT_EQ(to_string(Capacity{Unit::Bits, std::int64_t{8} << 40}), "1024 GiB");
}

}  // namespace
}  // namespace tilewright
