#include <gtest/gtest.h>

#include "reproduce/ruby_setup.h"
#include "tilewright/io.h"

namespace tilewright::reproduce {
namespace {

TEST(EyerissArray, IsTheBuiltInAtFourteenByTwelve) {
  EXPECT_EQ(eyeriss_array({14, 12}), io::load_architecture("ruby_eyeriss_14x12").value);
}

TEST(EyerissArray, HasAsManyElementsAndAsMuchAreaAsAsked) {
  const Architecture small = eyeriss_array({2, 7});
  EXPECT_EQ(small.name, "ruby_eyeriss_2x7");
  EXPECT_TRUE(problems_of(small).empty());
  EXPECT_EQ(physical_instances(small, LevelId{small.level_count() - 1}), 14);
  const double element = 379.68 + 3634.68 + 414.68 + 1239.5;
  EXPECT_NEAR(total_area_um2(eyeriss_array({3, 7})) - total_area_um2(small), 7 * element, 1e-6);
}

TEST(SimbaArray, HasVectorsOfTheWidthAsked) {
  const Architecture arch = simba_array(9, 3);
  EXPECT_TRUE(problems_of(arch).empty());
  EXPECT_EQ(physical_instances(arch, *arch.find_level("PEInputBuffer")), 9);
  EXPECT_EQ(physical_instances(arch, *arch.find_level("PEWeightBuffer")), 27);
  EXPECT_EQ(physical_instances(arch, LevelId{arch.level_count() - 1}), 81);
}

TEST(DeepBenchSelection, FitsOnTheRowsOfEveryArray) {
  const Network selection = deepbench_selection();
  bool product = false;
  for (const Layer& layer : selection.layers) {
    const auto columns = layer.workload.find_dim("S");
    product = product || !columns;
    if (columns) {
      EXPECT_LE(layer.workload.dim(*columns).size, 7) << layer.name;
    }
  }
  EXPECT_TRUE(product);
  EXPECT_EQ(selection.layers.size(), 35U);
}

TEST(NetworkOfWidth, SetsTheWidthOfEveryTensor) {
  const Network network = network_of_width("resnet50", 16);
  ASSERT_FALSE(network.layers.empty());
  for (const Layer& layer : network.layers) {
    for (const Tensor& tensor : layer.workload.tensors) EXPECT_EQ(tensor.bits, 16);
  }
}

}  // namespace
}  // namespace tilewright::reproduce
