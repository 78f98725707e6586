// Bounds of designs, held against what designs take when every layer is mapped.
#include "study/design_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "study/design_cost.h"
#include "support/slow_build.h"
#include "tilewright/io.h"

namespace tilewright::study {
namespace {

constexpr const char* kRegisters =
    "architecture: registers\n"
    "levels:\n"
    "  - {memory: DRAM, capacity: unlimited, read: 64 pJ, write: 50 pJ, bandwidth: 2 words/cycle}\n"
    "  - {memory: Buffer, capacity: 40 words, read: 2 pJ, write: 3 pJ}\n"
    "  - {fanout: Array, y: 2, x: 4, word_energy: 0.1 pJ}\n"
    "  - {memory: Registers, capacity: 3 words, read: 0.5 pJ, write: 0.7 pJ, dims: []}\n"
    "  - {compute: MAC, energy: 0.2 pJ}\n"
    "flexibility: {shape: any}\n";
constexpr const char* kBare =
    "architecture: bare\n"
    "levels:\n"
    "  - {memory: DRAM, capacity: unlimited, read: 10 pJ, write: 30 pJ, bandwidth: 1 words/cycle}\n"
    "  - {memory: Buffer, capacity: 40 words, read: 2 pJ}\n"
    "  - {fanout: Array, y: 3, x: 3}\n"
    "  - {compute: MAC, energy: 0.2 pJ}\n"
    "flexibility: {shape: any}\n";

Workload random_layer(Rng& rng, const std::string& name) {
  const auto upto = [&](std::uint64_t most) {
    return 1 + static_cast<std::int64_t>(rng.below(most));
  };
  switch (rng.below(3)) {
    case 0:
      return make_gemm(name, upto(7), upto(6), upto(6));
    case 1: {
      const std::int64_t channels = upto(6);
      return make_conv2d(name, {.in_channels = channels,
                                .out_channels = channels,
                                .p = upto(6),
                                .q = upto(4),
                                .r = upto(3),
                                .groups = channels});
    }
    default:
      return make_conv2d(name, {.in_channels = upto(4),
                                .out_channels = upto(6),
                                .p = upto(6),
                                .q = upto(3),
                                .r = upto(3),
                                .s = upto(2),
                                .stride_h = upto(2)});
  }
}

// A network on an architecture, and a random design of it with parts that it is in.
class RandomDesign {
 public:
  RandomDesign(const char* arch, Objective objective, std::uint64_t seed)
      : rng_(seed), arch_(*io::read_architecture(arch, "arch").value), options_(usual_study()) {
    options_.map.objective = objective;
    for (const char* name : {"a", "b"}) {
      network_.layers.push_back({name, random_layer(rng_, name), 1, {}, {}});
    }
    space_.emplace(network_, arch_);
    for (const Layer& layer : network_.layers) {
      floors_.push_back(*LayerFloor::create(layer.workload, arch_, options_.map));
    }
    bounds_.emplace(network_, arch_, *space_, floors_, objective);
  }

  DesignBounds& bounds() { return *bounds_; }

  // Goes into parts at random until a single design is left; all of the way, from the outside in.
  // Shorter if a part has no tile that fits.
  std::vector<DesignPart> parts() {
    std::vector<DesignPart> path;
    DesignPart part = bounds_->all_of(static_cast<int>(rng_.below(space_->pairs().size())));
    while (bounds_->tighten(part)) {
      path.push_back(part);
      std::vector<std::vector<DesignPart>> ways = {bounds_->by_shapes(part),
                                                   bounds_->by_orders(part)};
      for (const ConvDim loop : kAllConvDims) ways.push_back(bounds_->halves(part, loop));
      std::erase_if(ways, [](const auto& way) { return way.empty(); });
      if (ways.empty()) break;
      const auto& way = ways[rng_.below(ways.size())];
      part = way[rng_.below(way.size())];
    }
    return path;
  }

  double value_of_design(const DesignPart& part) {
    const Comparison mapped =
        compare({{"", bounds_->design_of(part)}}, {network_}, arch_, options_);
    const Trial& trial = mapped.trials.front().front();
    return trial.complete() ? value_of(options_.map.objective, trial.total) : INFINITY;
  }

 private:
  Rng rng_;
  Architecture arch_;
  StudyOptions options_;
  Network network_;
  std::optional<DesignSpace> space_;
  std::vector<LayerFloor> floors_;
  std::optional<DesignBounds> bounds_;
};

bool meets_in_window(const ConvPair& pair) {
  const LoopSet loops = loop_bit(pair.rows) | loop_bit(pair.columns);
  return loops == (loop_bit(ConvDim::Y) | loop_bit(ConvDim::R)) ||
         loops == (loop_bit(ConvDim::X) | loop_bit(ConvDim::S));
}

using Case = std::tuple<const char*, Objective>;
class BoundsOfDesigns : public ::testing::TestWithParam<Case> {};

TEST_P(BoundsOfDesigns, HoldForDesignsOfEveryPartAndMeetSingleOnes) {
  const auto& [arch, objective] = GetParam();
  const auto cases = static_cast<std::uint64_t>(testing::affordable(150));
  std::size_t single = 0;
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    RandomDesign random(arch, objective, seed);
    ASSERT_FALSE(random.bounds().maps_layers());
    const std::vector<DesignPart> path = random.parts();
    if (path.empty() || !random.bounds().is_single(path.back())) continue;
    const double value = random.value_of_design(path.back());
    double outer = 0;
    for (const DesignPart& part : path) {
      const double bound = random.bounds().of(part, INFINITY);
      EXPECT_LE(bound, value * (1 + 1e-12)) << seed;
      outer = bound;
    }
    // Layers are mapped one by one, so of products of totals only a bound is known; and so it is of
    // words that PEs share because of windows.
    const Flexibility design = random.bounds().design_of(path.back());
    if (objective != Objective::Edp && !meets_in_window(design.pairs.front())) {
      EXPECT_NEAR(outer, value, 1e-9 * value) << seed << " " << to_string(design);
    }
    ++single;
  }
  EXPECT_GE(single, cases / 3);
}

INSTANTIATE_TEST_SUITE_P(Small, BoundsOfDesigns,
                         ::testing::Combine(::testing::Values(kRegisters, kBare),
                                            ::testing::Values(Objective::Latency, Objective::Energy,
                                                              Objective::Edp)),
                         [](const auto& info) {
                           const std::string arch = std::get<0>(info.param);
                           return (arch == kRegisters ? "Registers_" : "Bare_") +
                                  to_string(std::get<1>(info.param));
                         });

Flexibility random_design(Rng& rng, const Architecture& arch) {
  const auto any_of = [&](const auto& all) { return all[rng.below(all.size())]; };
  ConvSizes tile{};
  for (std::int64_t& extent : tile) extent = 1 + static_cast<std::int64_t>(rng.below(6));
  const ArrayShape shape = any_of(shapes_of(arch.flexibility->shape, 8));
  return fixed_design(arch, any_of(all_pairs()), shape, kAllConvDims, tile);
}

TEST(DesignCost, OfADesignIsTheSameWhateverWasAskedBefore) {
  const Architecture arch = *io::read_architecture(kRegisters, "arch").value;
  Rng rng(1);
  for (int layer = 0; layer < 10; ++layer) {
    const Workload workload = random_layer(rng, "layer");
    auto cost = DesignCost::create(workload, arch);
    ASSERT_TRUE(cost.has_value());
    for (int i = 0; i < (testing::slow_build() ? 50 : 500); ++i) {
      const Flexibility design = random_design(rng, arch);
      EXPECT_EQ(cost->of(design), DesignCost::create(workload, arch)->of(design))
          << to_string(design);
    }
  }
}

TEST(OrderSets, PartByTheInnermostLoopThatDiffers) {
  const auto order = [](const std::string& letters) {
    ConvOrder loops{};
    std::transform(letters.begin(), letters.end(), loops.begin(),
                   [](char letter) { return *conv_dim_of(letter); });
    return loops;
  };
  OrderSets sets({order("KCYXRS"), order("YXCKRS"), order("KCYXSR"), order("CKYXRS")},
                 loop_bit(ConvDim::S));
  EXPECT_EQ(sets.decided(OrderSets::all()), InnerLoops{ConvDim::R});
  const auto parts = sets.parts(OrderSets::all(), 0);  // X or K inside of R
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(sets.first(parts[0]), order("YXCKRS"));
  EXPECT_TRUE(sets.parts(parts[0], 0).empty());
  EXPECT_EQ(sets.decided(parts[1]), (InnerLoops{ConvDim::R, ConvDim::X, ConvDim::Y}));
  // Without K and C the two orders that differ in these alone are alike.
  EXPECT_TRUE(sets.parts(parts[1], loop_bit(ConvDim::K) | loop_bit(ConvDim::C)).empty());
  EXPECT_EQ(sets.parts(parts[1], 0).size(), 2U);
  EXPECT_EQ(sets.different(OrderSets::all(), loop_bit(ConvDim::K) | loop_bit(ConvDim::C)).size(),
            2U);
}

}  // namespace
}  // namespace tilewright::study
