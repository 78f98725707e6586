// The best fixed design, against all designs gone through one by one.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "support/slow_build.h"
#include "tilewright/io.h"
#include "tilewright/study.h"

namespace tilewright {
namespace {

struct Tiny {
  const char* name;
  const char* arch;
  std::vector<Workload> layers;
  const char* freedom;
  std::int64_t words;   // of the buffer
  std::int64_t stride;  // the largest
};

constexpr const char* kPlain =
    "architecture: tiny\n"
    "levels:\n"
    "  - {memory: DRAM, capacity: unlimited, read: 64 pJ, bandwidth: 2 words/cycle}\n"
    "  - {memory: Buffer, capacity: 24 words, read: 2 pJ, write: 3 pJ}\n"
    "  - {fanout: Array, y: 2, x: 2}\n"
    "  - {memory: Registers, capacity: 3 words, read: 0.5 pJ, dims: []}\n"
    "  - {compute: MAC, energy: 0.2 pJ}\n";
constexpr const char* kBroad =
    "architecture: broad\n"
    "levels:\n"
    "  - {memory: DRAM, capacity: unlimited, read: 10 pJ, write: 30 pJ}\n"
    "  - {memory: Buffer, capacity: 16 words, read: 2 pJ, leakage: 0.3 pJ/cycle}\n"
    "  - {fanout: Array, y: 1, x: 4, word_energy: 0.4 pJ}\n"
    "  - {compute: MAC, energy: 0.2 pJ}\n";
// Each PE steps through tiles of its own.
constexpr const char* kLocal =
    "architecture: local\n"
    "levels:\n"
    "  - {memory: DRAM, capacity: unlimited, read: 64 pJ, bandwidth: 2 words/cycle}\n"
    "  - {memory: Buffer, capacity: 18 words, read: 2 pJ, bandwidth: 3 words/cycle}\n"
    "  - {fanout: Array, y: 2, x: 2}\n"
    "  - {memory: Local, capacity: 7 words, read: 0.5 pJ}\n"
    "  - {compute: MAC, energy: 0.2 pJ}\n";
constexpr const char* kThree =
    "architecture: three\n"
    "levels:\n"
    "  - {memory: DRAM, capacity: unlimited, read: 64 pJ, bandwidth: 1 words/cycle}\n"
    "  - {memory: Middle, capacity: 60 words, read: 6 pJ}\n"
    "  - {memory: Buffer, capacity: 18 words, read: 2 pJ}\n"
    "  - {fanout: Array, y: 2, x: 2}\n"
    "  - {compute: MAC, energy: 0.2 pJ}\n";

bool is_strided(const Workload& workload) {
  for (const Tensor& tensor : workload.tensors) {
    for (const Rank& rank : tensor.ranks) {
      for (const Term& term : rank) {
        if (term.coefficient > 1) return true;
      }
    }
  }
  return false;
}

// Those whose bounds are in closed form.
std::vector<Tiny> plain_cases() {
  return {
      {"convolutions",
       kPlain,
       {make_conv2d("a", {.in_channels = 3, .out_channels = 4, .p = 3, .r = 2}),
        make_conv2d("b", {.in_channels = 2, .out_channels = 3, .p = 2})},
       "O={KCYXRS,YXCKRS},P={CK,YR}",
       24,
       1},
      {"products",
       kBroad,
       {make_gemm("a", 4, 2, 3), make_gemm("b", 2, 4, 2)},
       "O={KCYXRS,YCKXRS},P={CK,KC}",
       16,
       1},
      {"depthwise",
       kPlain,
       {make_conv2d("a", {.in_channels = 4, .out_channels = 4, .p = 3, .groups = 4}),
        make_conv2d("b", {.in_channels = 3, .out_channels = 2, .p = 2, .r = 2, .stride_h = 2})},
       "O={KCYXRS,YCKXRS},P={CK,KY}",
       24,
       2},
  };
}

// Those with bounds of mappings, of single layers, or one tile after the other.
std::vector<Tiny> other_cases() {
  return {
      {"tiles_of_pes",
       kLocal,
       {make_gemm("a", 3, 2, 2), make_gemm("b", 2, 3, 2)},
       "O={KCYXRS,YCKXRS},P={CK,YK}",
       18,
       1},
      {"batch",
       kPlain,
       {make_conv2d("a", {.batch = 2, .in_channels = 2, .out_channels = 3, .p = 2, .r = 2}),
        make_conv2d("b", {.in_channels = 4, .out_channels = 4, .p = 2, .groups = 2})},
       "O={KCYXRS,YXCKRS},P={CK,YR}",
       24,
       1},
      {"three_memories",
       kThree,
       {make_gemm("a", 3, 2, 2), make_gemm("b", 2, 2, 2)},
       "O={KCYXRS,YCKXRS},P={CK,YK}",
       18,
       1},
  };
}

std::vector<Tiny> tiny_cases() {
  std::vector<Tiny> cases = plain_cases();
  append(cases, other_cases());
  return cases;
}

// Layers, and what there is to choose from, by chance.
Tiny random_case(std::uint64_t seed) {
  Rng rng(seed);
  const auto upto = [&](std::uint64_t most) {
    return 1 + static_cast<std::int64_t>(rng.below(most));
  };
  const bool plain = rng.below(2) == 0;
  Tiny tiny{"random", plain ? kPlain : kBroad, {}, "", plain ? 24 : 16, 1};
  const std::int64_t channels = upto(4);
  tiny.layers.push_back(make_gemm("a", upto(4), upto(3), upto(3)));
  if (rng.below(2) == 0) {
    tiny.layers.push_back(make_conv2d("b", {.in_channels = upto(3),
                                            .out_channels = upto(4),
                                            .p = upto(3),
                                            .r = upto(2),
                                            .stride_h = upto(2)}));
    if (is_strided(tiny.layers.back())) tiny.stride = 2;
  } else {
    tiny.layers.push_back(make_conv2d("b", {.in_channels = channels,
                                            .out_channels = channels,
                                            .p = upto(3),
                                            .r = upto(2),
                                            .groups = channels}));
  }
  constexpr std::array kFreedoms = {"O={KCYXRS,YRCKXS},P={CK,YK}", "O={CKYXRS,RYKCXS},P={KR,CY}",
                                    "O={YKCXRS,CYXRSK,KRCYXS},P={YC}"};
  tiny.freedom = kFreedoms[rng.below(kFreedoms.size())];
  return tiny;
}

Architecture arch_of(const Tiny& tiny) {
  const auto arch =
      io::read_architecture(std::string(tiny.arch) + "flexibility: {shape: any}\n", "arch");
  EXPECT_TRUE(arch.ok()) << to_string(arch.problems.front());
  Architecture result = arch.value.value_or(Architecture{});
  const auto freedom = io::read_flexibility_line(tiny.freedom, "line", result);
  EXPECT_TRUE(freedom.ok()) << to_string(freedom.problems.front());
  result.flexibility = freedom.value;
  return result;
}

Network network_of(const Tiny& tiny) {
  Network network;
  network.name = tiny.name;
  std::int64_t count = 1;
  for (const Workload& workload : tiny.layers) {
    network.layers.push_back({workload.name, workload, count++, {}, {}});
  }
  return network;
}

// Whether the buffer holds a tile as it is built in: docs/flexibility.md, "design".
bool is_built(const ConvSizes& t, std::int64_t words, std::int64_t stride) {
  const auto [k, c, y, x, r, s] = t;
  const std::int64_t input = c * ((y - 1) * stride + r) * ((x - 1) * stride + s);
  const std::int64_t dense = k * c * r * s + input + k * y * x;
  const std::int64_t depthwise = c * r * s + input + c * y * x;
  return dense <= words && depthwise <= words;
}

ConvSizes largest_sizes(const Network& network) {
  ConvSizes sizes{1, 1, 1, 1, 1, 1};
  for (const Layer& layer : network.layers) {
    const ConvView view = *ConvView::create(layer.workload).value;
    for (const ConvDim loop : kAllConvDims) {
      sizes[index_of(loop)] = std::max(sizes[index_of(loop)], view.size(loop));
    }
  }
  return sizes;
}

// The least value of any design, all layers mapped on each.
class AllDesigns {
 public:
  AllDesigns(const Tiny& tiny, Objective objective)
      : tiny_(tiny), network_(network_of(tiny)), arch_(arch_of(tiny)) {
    options_ = usual_study().map;
    options_.objective = objective;
  }

  double least() {
    const Flexibility freedom = *arch_.flexibility;
    for (const ConvPair& pair : freedom.pairs) {
      for (const ArrayShape& shape : shapes_of(freedom.shape, parts_of(arch_, freedom)->pes)) {
        for (const ConvOrder& order : freedom.orders) {
          Flexibility design = freedom;
          design.pairs = {pair};
          design.shape = {ShapeFreedom::Kind::Fixed, shape};
          design.orders = {order};
          design.tile.kind = TileFreedom::Kind::Fixed;
          try_tiles(design, 0);
        }
      }
    }
    return least_;
  }

 private:
  void try_tiles(Flexibility& design, std::size_t loop) {
    if (loop == kConvDims) {
      if (is_built(design.tile.fixed, tiny_.words, tiny_.stride)) try_design(design);
      return;
    }
    for (std::int64_t extent = 1; extent <= sizes_[loop]; ++extent) {
      design.tile.fixed[loop] = extent;
      try_tiles(design, loop + 1);
    }
  }

  void try_design(const Flexibility& design) {
    arch_.flexibility = design;
    Score total;
    for (const Layer& layer : network_.layers) {
      const MapOutcome outcome = map_workload(layer.workload, arch_, options_);
      if (!outcome.found()) return;
      total.add(outcome.search.score, layer.count);
    }
    least_ = std::min(least_, value_of(options_.objective, total));
  }

  Tiny tiny_;
  Network network_;
  Architecture arch_;
  MapOptions options_;
  ConvSizes sizes_ = largest_sizes(network_);
  double least_ = INFINITY;
};

class BestDesign : public ::testing::TestWithParam<std::tuple<Tiny, Objective>> {};

TEST_P(BestDesign, IsTheBestOfAllDesignsAndSaysSo) {
  const auto& [tiny, objective] = GetParam();
  if (testing::slow_build()) {  // all designs are tried where that is fast
    if (objective != Objective::Edp) GTEST_SKIP() << "the same ways for EDP";
    StudyOptions slow = usual_study();
    slow.map.objective = objective;
    EXPECT_TRUE(design_fixed(network_of(tiny), arch_of(tiny), slow, {std::nullopt, 120U, 0}).found);
    return;
  }
  const double truth = AllDesigns(tiny, objective).least();
  ASSERT_TRUE(std::isfinite(truth));
  const Network network = network_of(tiny);
  const Architecture arch = arch_of(tiny);
  StudyOptions options = usual_study();
  options.map.objective = objective;
  const Design best = design_fixed(network, arch, options, {std::nullopt, std::nullopt, 0});
  ASSERT_TRUE(best.found) << best.problem;
  EXPECT_TRUE(best.proven);
  EXPECT_EQ(best.stop, Design::Stop::Complete);
  EXPECT_NEAR(best.value, truth, truth * 1e-11) << to_string(best.flexibility);
  EXPECT_EQ(best.gap, 0);
  EXPECT_TRUE(is_built(best.flexibility.tile.fixed, tiny.words, tiny.stride));
  EXPECT_EQ(best.trial.layers.size(), network.layers.size());
  for (const std::uint64_t nodes : {1U, 30U, 120U}) {
    const Design some = design_fixed(network, arch, options, {std::nullopt, nodes, 0});
    ASSERT_TRUE(some.found);
    EXPECT_LE(some.bound, truth * (1 + 1e-11)) << nodes;
    EXPECT_GE(some.value, truth * (1 - 1e-11)) << nodes;
    EXPECT_EQ(some.proven, some.gap == 0) << nodes;
  }
  const Design close = design_fixed(network, arch, options, {std::nullopt, std::nullopt, 0.2});
  EXPECT_LE(close.value, truth * 1.2 * (1 + 1e-11));
  EXPECT_LE(close.bound, truth * (1 + 1e-11));
  EXPECT_GE(close.bound * 1.2 * (1 + 1e-11), close.value);
}

INSTANTIATE_TEST_SUITE_P(Tiny, BestDesign,
                         ::testing::Combine(::testing::ValuesIn(tiny_cases()),
                                            ::testing::Values(Objective::Latency, Objective::Energy,
                                                              Objective::Edp)),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).name) + "_" +
                                  to_string(std::get<1>(info.param));
                         });

TEST(DesignFixed, IsTheBestOfAllDesignsOfRandomNetworks) {
  const auto cases = static_cast<std::uint64_t>(testing::affordable(24));
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    const Tiny tiny = random_case(seed);
    const std::array objectives = {Objective::Energy, Objective::Edp, Objective::Latency};
    const Objective objective = objectives[seed % objectives.size()];
    const double truth = AllDesigns(tiny, objective).least();
    StudyOptions options = usual_study();
    options.map.objective = objective;
    const Design best =
        design_fixed(network_of(tiny), arch_of(tiny), options, {std::nullopt, std::nullopt, 0});
    ASSERT_EQ(best.found, std::isfinite(truth)) << seed << " " << best.problem;
    if (!best.found) continue;
    EXPECT_TRUE(best.proven) << seed;
    EXPECT_NEAR(best.value, truth, truth * 1e-11) << seed << " " << to_string(best.flexibility);
  }
}

TEST(DesignFixed, IsTheSameForEveryNumberOfThreads) {
  std::vector<Tiny> cases = tiny_cases();
  if (testing::slow_build()) cases.erase(cases.begin() + 2, cases.end());
  for (const Tiny& tiny : cases) {
    StudyOptions options = usual_study();
    options.map.objective = Objective::Edp;
    const Design one = design_fixed(network_of(tiny), arch_of(tiny), options);
    options.threads = 3;
    const Design three = design_fixed(network_of(tiny), arch_of(tiny), options);
    EXPECT_EQ(one.flexibility, three.flexibility) << tiny.name;
    EXPECT_EQ(one.value, three.value) << tiny.name;
    EXPECT_EQ(one.nodes, three.nodes) << tiny.name;
  }
}

TEST(DesignFixed, KeepsToATileThatIsGiven) {
  Tiny tiny = tiny_cases().front();
  tiny.freedom = "T=fixed(K2,C2,Y2,X1,R1,S1)";
  const Design best = design_fixed(network_of(tiny), arch_of(tiny), usual_study());
  ASSERT_TRUE(best.found);
  EXPECT_TRUE(best.proven);
  EXPECT_EQ(best.flexibility.tile.fixed, (ConvSizes{2, 2, 2, 1, 1, 1}));
}

TEST(DesignFixed, RefusesABufferInHardParts) {
  Tiny tiny = tiny_cases().front();
  tiny.freedom = "T=hard(1:1:1)";
  const Design none = design_fixed(network_of(tiny), arch_of(tiny), usual_study());
  EXPECT_FALSE(none.found);
  EXPECT_NE(none.problem.find("hard parts"), std::string::npos);
}

TEST(DesignFixed, SaysWhenTheBufferIsTooSmallForAnyTile) {
  Tiny tiny = tiny_cases().front();
  Architecture arch = arch_of(tiny);
  std::get<Memory>(arch.levels[1]).capacity.amount = 2;
  const Design none = design_fixed(network_of(tiny), arch, usual_study());
  EXPECT_FALSE(none.found);
  EXPECT_FALSE(none.problem.empty());
}

TEST(DesignFixed, HasNothingProvenWhenCancelled) {
  const Tiny tiny = tiny_cases().front();
  const std::atomic<bool> cancelled{true};
  StudyOptions options = usual_study();
  options.cancelled = &cancelled;
  const Design some = design_fixed(network_of(tiny), arch_of(tiny), options);
  EXPECT_FALSE(some.proven);
  EXPECT_EQ(some.stop, Design::Stop::Cancelled);
}

}  // namespace
}  // namespace tilewright
