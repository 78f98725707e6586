#include "reproduce/silicon_figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "reproduce/common.h"
#include "reproduce/figure_cells.h"
#include "tilewright/io.h"

namespace tilewright::reproduce {
namespace {

TEST(SiliconEyeriss, TheColumnsOfThePaperAddUpToItsTotals) {
  double milliseconds = 0, buffer = 0, dram = 0;
  for (const ChipLayer& layer : eyeriss_layers()) {
    milliseconds += layer.milliseconds;
    buffer += layer.buffer_mb;
    dram += layer.dram_mb;
  }
  EXPECT_NEAR(milliseconds, 103.5, 0.051);
  EXPECT_NEAR(buffer, 208.5, 0.11);  // of rounded summands
  EXPECT_NEAR(dram, 15.4, 0.051);
}

TEST(SiliconEyeriss, ThePapersMappingsFitTheChipAndKeepToItsConstraints) {
  const Architecture chip = shipped_architecture("eyeriss_chip");
  for (const ChipLayer& layer : eyeriss_layers()) {
    const Problem problem = Problem::create(eyeriss_workload(layer), chip).value.value();
    const auto mapping = io::read_mapping(eyeriss_mapping(layer), layer.name, problem);
    EXPECT_TRUE(mapping.problems.empty()) << layer.name;  // constraints are checked, too
    EXPECT_TRUE(eyeriss_evaluation(layer).score.verdict.fits()) << layer.name;
  }
}

TEST(SiliconEyeriss, RoomInTheBufferIsWhatThePaperPrints) {
  // Its Table III: KiB of inputs and of sums.
  const std::vector<std::pair<double, double>> printed = {
      {15.5, 72.2}, {3.8, 91.1}, {7.0, 84.5}, {10.5, 84.5}, {10.5, 84.5}};
  const auto layers = eyeriss_layers();
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Evaluation ours = eyeriss_evaluation(layers[i]);
    const auto& tensors = ours.memories[1].tensors;
    EXPECT_NEAR(static_cast<double>(tensors[0].tile_words) / 512, printed[i].first, 0.051);
    EXPECT_NEAR(static_cast<double>(tensors[2].tile_words) / 512, printed[i].second, 0.051);
  }
}

TEST(SiliconEyeriss, AsManyPesAsTheChipAndNearItsTimeAndTraffic) {
  const Figure figure = silicon_eyeriss({});
  expect_rectangular(figure);
  ASSERT_EQ(figure.rows.size(), 6U);
  for (std::size_t row = 0; row < figure.rows.size(); ++row) {
    EXPECT_EQ(cell(figure, row, "PEs"), cell(figure, row, "chip PEs"));
    EXPECT_LE(std::abs(number(figure, row, "off % with sums")), 10);
    if (row == 2) continue;  // see below
    EXPECT_LE(std::abs(number(figure, row, "buffer off %")), 20);
  }
  // Printed parameters that cannot be those that were measured.
  EXPECT_GT(number(figure, 2, "buffer off %"), 40);
}

TEST(SiliconEyeriss, PrintsTheseValues) {
  const Figure figure = silicon_eyeriss({});
  EXPECT_THAT(figure.rows[0],
              ::testing::ElementsAre("conv1", "96 1 7 16 1 1 2", "154", "154", "13.94", "-15.5",
                                     "15.21", "-7.8", "16.5", "17.63", "-4.7", "18.5"));
  EXPECT_THAT(figure.rows[1],
              ::testing::ElementsAre("conv2", "64 1 27 16 2 1 1", "135", "135", "33.18", "-15.4",
                                     "36.50", "-6.9", "39.2", "77.55", "-0.1", "77.6"));
  EXPECT_THAT(figure.rows[4],
              ::testing::ElementsAre("conv4", "64 4 13 16 3 2 2", "156", "156", "14.38", "-10.1",
                                     "15.97", "-0.2", "16.0", "38.93", "+4.1", "37.4"));
}

TEST(SiliconEyeriss, OnlyCompressedWordsToDramAreMoreThanTheChips) {
  const Figure figure = silicon_dram({});
  expect_rectangular(figure);
  for (std::size_t row = 0; row < figure.rows.size(); ++row) {
    EXPECT_LT(number(figure, row, "weights"), number(figure, row, "chip DRAM MB"));
    EXPECT_GT(number(figure, row, "sum"), number(figure, row, "chip DRAM MB"));
  }
}

TEST(SiliconEyeriss, NoMappingOfTheChipIsBetterThanTheProvenOne) {
  const Figure mapped = silicon_mapped({});
  const Figure chip = silicon_eyeriss({});
  ASSERT_EQ(mapped.rows.size(), 5U);
  for (std::size_t row = 0; row < mapped.rows.size(); ++row) {
    EXPECT_EQ(cell(mapped, row, "proven"), "yes");
    EXPECT_LE(number(mapped, row, "ms"), number(mapped, row, "chip ms"));
  }
  EXPECT_LT(number(mapped, 1, "buffer MB"), number(chip, 1, "buffer MB") * 0.6);
}

TEST(SiliconTpu, IsAtTheRoofWhereTheChipIsNear) {
  const Figure figure = silicon_tpu({});
  expect_rectangular(figure);
  ASSERT_EQ(figure.rows.size(), 6U);
  EXPECT_THAT(figure.rows[0],
              ::testing::ElementsAre("MLP0", "20", "200", "200", "2000 x 2000, 5 times", "13.60",
                                     "13.60", "+10.6", "13.60", "12.3"));
  for (std::size_t row = 0; row < 5; ++row) {
    EXPECT_LE(number(figure, row, "model"), number(figure, row, "roof") * 1.001);
    EXPECT_GT(number(figure, row, "model"), number(figure, row, "chip"));
    EXPECT_LE(number(figure, row, "model with fill"), number(figure, row, "model"));
  }
  EXPECT_EQ(cell(figure, 4, "model with fill"), "67.80");
  EXPECT_LT(number(figure, 4, "model with fill"), number(figure, 4, "chip"));
  EXPECT_EQ(cell(figure, 5, "model"), "");
}

}  // namespace
}  // namespace tilewright::reproduce
