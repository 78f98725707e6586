// Flexion as "A Formalism of DNN Accelerator Flexibility" prints it: figures 7,
// 9 and 11, and the counts of section 6.4.
#include <gtest/gtest.h>

#include "flexibility/setup.h"
#include "support/checkout.h"

namespace tilewright {
namespace {

using testing::flexible_arch;
using testing::flexion;

constexpr const char* kThreeOrders = "O={YXKCRS,CYXKRS,KCRSYX}";

// The six sizes as the paper has them; depthwise where K is 1.
Workload layer(std::int64_t k, std::int64_t c, std::int64_t yx, std::int64_t rs) {
  Conv2d conv;
  conv.in_channels = c;
  conv.out_channels = k == 1 ? c : k;
  conv.groups = k == 1 ? c : 1;
  conv.p = conv.q = yx;
  conv.r = conv.s = rs;
  return make_conv2d("layer", conv);
}

// Layers of MnasNet by their number in the paper.
Workload layer15() { return layer(40, 72, 28, 1); }
Workload layer16() { return layer(120, 40, 28, 1); }
Workload layer21() { return layer(40, 120, 28, 1); }
Workload layer25() { return layer(480, 80, 14, 1); }
Workload layer29() { return layer(1, 480, 14, 5); }

Network mnasnet() {
  return io::load_network(checkout_folder() + "/references/gamma_mnasnet.csv").value.value();
}

TEST(PublishedFlexion, OrdersOfTheHardware) {
  EXPECT_DOUBLE_EQ(flexion(layer16(), flexible_arch("O=YXKCRS"), TopsAxis::Order).hardware(),
                   1.0 / 720);
  EXPECT_DOUBLE_EQ(flexion(layer16(), flexible_arch(kThreeOrders), TopsAxis::Order).hardware(),
                   3.0 / 720);
  EXPECT_DOUBLE_EQ(flexion(layer16(), flexible_arch("O=all"), TopsAxis::Order).hardware(), 1);
}

TEST(PublishedFlexion, OrdersOfLayers) {
  const auto share = [](const Workload& workload, const std::string& line) {
    return flexion(workload, flexible_arch(line), TopsAxis::Order).workload();
  };
  for (const Workload& workload : {layer16(), layer21()}) {
    EXPECT_DOUBLE_EQ(share(workload, "O=YXKCRS"), 1.0 / 24);
    EXPECT_DOUBLE_EQ(share(workload, kThreeOrders), 3.0 / 24);
    EXPECT_DOUBLE_EQ(share(workload, "O=all"), 1);
  }
  EXPECT_DOUBLE_EQ(share(layer29(), "O=YXKCRS"), 1.0 / 120);
  EXPECT_DOUBLE_EQ(share(layer29(), kThreeOrders), 3.0 / 120);
  EXPECT_DOUBLE_EQ(share(layer29(), "O=all"), 1);
}

TEST(PublishedFlexion, PairsOfTheHardware) {
  const auto share = [](const std::string& line) {
    return flexion(layer16(), flexible_arch(line), TopsAxis::Parallel);
  };
  EXPECT_EQ(share("P=CK").of_class, 30U);
  EXPECT_DOUBLE_EQ(share("P=CK").hardware(), 1.0 / 30);
  EXPECT_DOUBLE_EQ(share("P={CK,YX}").hardware(), 2.0 / 30);
  EXPECT_DOUBLE_EQ(share("P=all").hardware(), 1);
  EXPECT_DOUBLE_EQ(share("P={CK,YX}").workload(), 2.0 / 12);
}

TEST(PublishedFlexion, ShapesOfTheHardware) {
  const auto share = [](const std::string& line) {
    return flexion(layer15(), flexible_arch(line), TopsAxis::Shape).hardware();
  };
  EXPECT_DOUBLE_EQ(share("S=32x32"), 1.0 / 1024);
  EXPECT_DOUBLE_EQ(share("S=blocks(16x16)"), 4.0 / 1024);
  EXPECT_DOUBLE_EQ(share("S=bands(16)"), 4.0 / 1024);
  EXPECT_DOUBLE_EQ(share("S=blocks(4x4)"), 64.0 / 1024);
  EXPECT_DOUBLE_EQ(share("S=any"), 1);
}

// Fixed, 16x16 blocks, 4x4 blocks, any.
std::vector<double> shapes(const Workload& workload) {
  std::vector<double> shares;
  for (const char* shape : {"32x32", "blocks(16x16)", "blocks(4x4)", "any"}) {
    const Architecture arch = flexible_arch(std::string("P=CK,S=") + shape);
    shares.push_back(flexion(workload, arch, TopsAxis::Shape).workload());
  }
  return shares;
}

TEST(PublishedFlexion, ShapesOfLayers) {
  EXPECT_EQ(shapes(layer15()), (std::vector<double>{1.0 / 72, 4.0 / 72, 18.0 / 72, 1}));
  EXPECT_EQ(shapes(layer16()), (std::vector<double>{1.0 / 40, 3.0 / 40, 10.0 / 40, 1}));
  EXPECT_EQ(shapes(layer25()), (std::vector<double>{1.0 / 80, 4.0 / 80, 20.0 / 80, 1}));
}

TEST(PublishedFlexion, ThirdsOfTheBufferHoldTwoNinthsOfTheFootprints) {
  const AxisFlexion tiles =
      flexion(layer16(), flexible_arch("T=hard(1/3:1/3:1/3)"), TopsAxis::Tile);
  EXPECT_EQ(tiles.of_class.to_string(), "178951727820800");  // binomial(102400, 3)
  EXPECT_EQ(tiles.supported.to_string(), "39767050630637");  // 34133^3
  EXPECT_NEAR(tiles.hardware(), 2.0 / 9, 1e-5);
}

TEST(PublishedFlexion, OneTileOfManyIsBuiltIn) {
  const AxisFlexion tiles =
      flexion(layer16(), flexible_arch("T=fixed(K64,C16,Y3,X3,R3,S3)"), TopsAxis::Tile);
  EXPECT_EQ(tiles.supported, 1U);
  EXPECT_EQ(tiles.both.count, 1U);
  EXPECT_EQ(tiles.of_workload, 120U * 40 * 28 * 28);
}

// Layer 16 has no window: kc + cyx + kyx words, as counted apart from this code.
TEST(PublishedFlexion, TilesOfLayer16) {
  const AxisFlexion soft = flexion(layer16(), flexible_arch("T=soft"), TopsAxis::Tile);
  const AxisFlexion hard = flexion(layer16(), flexible_arch("T=hard(1/3:1/3:1/3)"), TopsAxis::Tile);
  EXPECT_NEAR(soft.workload(), 0.999, 0.0005);
  EXPECT_NEAR(hard.workload(), 0.906, 0.0005);
  EXPECT_EQ(hard.class_both.count, soft.both.count);
  EXPECT_FALSE(soft.both.estimated || hard.both.estimated);
}

TEST(PublishedFlexion, MeanShapesOfMnasnet) {
  const auto mean = [network = mnasnet()](const std::string& shape) {
    return flexion_of(network, flexible_arch("P=CK,S=" + shape, 10)).value.value().mean[3];
  };
  ASSERT_EQ(layer_count(mnasnet()), 52);
  EXPECT_NEAR(mean("32x32").workload, 0.0180, 0.00005);
  EXPECT_NEAR(mean("blocks(16x16)").workload, 0.0395, 0.00005);
  EXPECT_NEAR(mean("blocks(4x4)").workload, 0.1966, 0.00005);
  EXPECT_NEAR(mean("any").workload, 0.9829, 0.00005);
  EXPECT_DOUBLE_EQ(mean("blocks(4x4)").hardware, 64.0 / 1024);
  EXPECT_DOUBLE_EQ(mean("any").of_class, 1024);
}

// With the reading of flexion.h; figure 10 is not legible enough to decide.
TEST(PublishedFlexion, MeanPairsOfMnasnet) {
  const auto result = flexion_of(mnasnet(), flexible_arch("P=CK", 10));
  EXPECT_NEAR(result.value->mean[2].workload, 0.0715, 0.00005);
}

}  // namespace
}  // namespace tilewright
