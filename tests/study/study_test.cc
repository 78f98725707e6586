// Accelerators on whole networks.
#include "tilewright/study.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "support/flexible_case.h"
#include "support/slow_build.h"
#include "tilewright/io.h"

namespace tilewright {
namespace {

Architecture small_arch() {
  const auto arch = io::read_architecture(
      "architecture: small\n"
      "levels:\n"
      "  - {memory: DRAM, capacity: unlimited, read: 64 pJ, bandwidth: 2 words/cycle}\n"
      "  - {memory: Buffer, capacity: 60 words, read: 2 pJ}\n"
      "  - {fanout: Array, y: 2, x: 4}\n"
      "  - {memory: Registers, capacity: 3 words, read: 0.5 pJ, dims: []}\n"
      "  - {compute: MAC, energy: 0.2 pJ}\n"
      "flexibility: {shape: any}\n",
      "arch");
  EXPECT_TRUE(arch.ok()) << to_string(arch.problems.front());
  return arch.value.value_or(Architecture{});
}

// Where designs start, without the search that follows.
const DesignLimits kClimbing{std::nullopt, 0, 0};

Layer layer_of(const Workload& workload, std::int64_t count) {
  return {workload.name, workload, count, {}, {}};
}

// The third layer is the first once more, under another name.
Network small_network() {
  Network network;
  network.name = "small";
  const Conv2d conv{.in_channels = 4, .out_channels = 6, .p = 4, .q = 3, .r = 2};
  const Conv2d depthwise{
      .in_channels = 5, .out_channels = 5, .p = 4, .q = 4, .r = 2, .s = 2, .groups = 5};
  network.layers = {layer_of(make_conv2d("conv", conv), 2), layer_of(make_gemm("gemm", 7, 2, 6), 3),
                    layer_of(make_conv2d("again", conv), 1),
                    layer_of(make_conv2d("depthwise", depthwise), 1)};
  return network;
}

Network other_network() {
  Network network;
  network.name = "other";
  network.layers = {layer_of(make_gemm("one", 9, 1, 5), 1), layer_of(make_gemm("two", 3, 8, 4), 4)};
  return network;
}

std::vector<Variant> some_variants() {
  const Architecture arch = small_arch();
  const auto fixed =
      io::read_flexibility_line("T=fixed(K2,C4,Y2,X1,R1,S1),O=KCYXRS,P=CK,S=2x4", "line", arch);
  const std::vector<Variant> all = class_variants(*fixed.value, 8);
  return {all[0], all[1], all[4], all[15], all[16]};
}

MapOutcome map_layer(const Flexibility& flexibility, const Workload& workload,
                     const MapOptions& options) {
  Architecture arch = small_arch();
  arch.flexibility = flexibility;
  return map_workload(workload, arch, options);
}

// --- comparisons --------------------------------------------------------------------

void expect_as_mapped_alone(const Trial& trial, const Network& network,
                            const Flexibility& flexibility, const MapOptions& options) {
  ASSERT_EQ(trial.layers.size(), network.layers.size());
  Score total;
  for (std::size_t i = 0; i < network.layers.size(); ++i) {
    const Layer& layer = network.layers[i];
    const MapOutcome alone = map_layer(flexibility, layer.workload, options);
    ASSERT_EQ(trial.layers[i].found, alone.found()) << layer.name;
    EXPECT_EQ(trial.layers[i].score, alone.search.score) << layer.name;
    EXPECT_EQ(trial.layers[i].setting, alone.setting) << layer.name;
    total.cycles += layer.count * alone.search.score.cycles;
    total.energy_pj += static_cast<double>(layer.count) * alone.search.score.energy_pj;
  }
  EXPECT_EQ(trial.total.cycles, total.cycles);
  EXPECT_DOUBLE_EQ(trial.total.energy_pj, total.energy_pj);
  EXPECT_TRUE(trial.complete());
}

TEST(Compare, MapsEveryLayerAsIfItWereAlone) {
  const std::vector<Variant> variants = some_variants();
  const std::vector<Network> networks = {small_network(), other_network()};
  const StudyOptions options = usual_study();
  EXPECT_EQ(options.map.space, SpaceKind::Ruby);
  EXPECT_EQ(options.map.objective, Objective::Latency);
  const Comparison comparison = compare(variants, networks, small_arch(), options);
  EXPECT_FALSE(comparison.cancelled);
  ASSERT_EQ(comparison.trials.size(), variants.size());
  for (std::size_t v = 0; v < variants.size(); ++v) {
    SCOPED_TRACE(variants[v].name);
    ASSERT_EQ(comparison.trials[v].size(), networks.size());
    for (std::size_t n = 0; n < networks.size(); ++n) {
      expect_as_mapped_alone(comparison.trials[v][n], networks[n], variants[v].flexibility,
                             options.map);
    }
  }
}

TEST(Compare, DoesNotDependOnTheThreads) {
  StudyOptions options = usual_study();
  const std::vector<Network> networks = {small_network(), other_network()};
  const Comparison alone = compare(some_variants(), networks, small_arch(), options);
  for (const int threads : {2, 3}) {
    options.threads = threads;
    const Comparison together = compare(some_variants(), networks, small_arch(), options);
    for (std::size_t v = 0; v < alone.trials.size(); ++v) {
      for (std::size_t n = 0; n < networks.size(); ++n) {
        const Trial& a = alone.trials[v][n];
        const Trial& b = together.trials[v][n];
        EXPECT_EQ(a.total, b.total);
        for (std::size_t i = 0; i < a.layers.size(); ++i) {
          EXPECT_EQ(a.layers[i].score, b.layers[i].score);
          EXPECT_EQ(a.layers[i].setting, b.layers[i].setting);
        }
      }
    }
  }
}

TEST(Compare, TellsOfEveryDistinctLayer) {
  StudyOptions options = usual_study();
  std::vector<double> fractions;
  std::set<std::string> texts;
  options.on_progress = [&](const std::string& what, double fraction) {
    texts.insert(what);
    fractions.push_back(fraction);
  };
  options.threads = 2;
  compare(some_variants(), {small_network()}, small_arch(), options);
  EXPECT_EQ(fractions.size(), 5U * 3U) << "variants and distinct layers";
  EXPECT_TRUE(std::is_sorted(fractions.begin(), fractions.end()));
  EXPECT_EQ(fractions.back(), 1);
  EXPECT_TRUE(texts.contains("small on InFlex-0000"));
}

TEST(Compare, EndsWhenCancelled) {
  StudyOptions options = usual_study();
  const std::atomic<bool> cancelled = true;
  options.cancelled = &cancelled;
  const Comparison comparison = compare(some_variants(), {small_network()}, small_arch(), options);
  EXPECT_TRUE(comparison.cancelled);
  EXPECT_FALSE(comparison.trials.at(0).at(0).complete());
}

TEST(Compare, SaysWhyALayerHasNoMapping) {
  std::vector<Variant> variants = {some_variants().front()};
  variants.front().flexibility.tile.fixed.fill(100);  // more than the buffer holds
  const Comparison comparison = compare(variants, {small_network()}, small_arch(), usual_study());
  const Trial& trial = comparison.trials.at(0).at(0);
  EXPECT_FALSE(trial.complete());
  EXPECT_FALSE(trial.layers.at(0).found);
  EXPECT_FALSE(trial.layers.at(0).problems.empty());
}

// --- designs ------------------------------------------------------------------------

// What a network takes on a design; nothing if a layer has no mapping.
std::optional<double> value_on(const Flexibility& design, const Network& network,
                               const StudyOptions& options) {
  const Comparison comparison = compare({{"design", design}}, {network}, small_arch(), options);
  const Trial& trial = comparison.trials.at(0).at(0);
  if (!trial.complete()) return std::nullopt;
  return value_of(options.map.objective, trial.total);
}

class FixedDesign : public ::testing::TestWithParam<Objective> {};

TEST_P(FixedDesign, RunsEveryLayerAndIsNotBetterThanFreedom) {
  StudyOptions options = usual_study();
  options.map.objective = GetParam();
  for (const Network& network : {small_network(), other_network()}) {
    const Design design = design_fixed(network, small_arch(), options, kClimbing);
    ASSERT_TRUE(design.found);
    EXPECT_GT(design.tried, 0U);
    EXPECT_EQ(class_of(design.flexibility, 8), "InFlex-0000");
    Architecture arch = small_arch();
    arch.flexibility = design.flexibility;
    EXPECT_TRUE(problems_of(arch).empty());
    const auto fixed = value_on(design.flexibility, network, options);
    ASSERT_TRUE(fixed.has_value()) << to_string(design.flexibility);
    const auto free = value_on(*small_arch().flexibility, network, options);
    EXPECT_GE(*fixed, *free * (1 - 1e-12));
  }
}

// What one layer would like best: how it is set up, and its tile in the buffer.
Flexibility wish_of(const Workload& workload, const StudyOptions& options) {
  const MapOutcome outcome = map_layer(*small_arch().flexibility, workload, options.map);
  const Problem& problem = *outcome.problem;
  const ConvView view = *ConvView::create(workload).value;
  Flexibility wish;
  wish.pairs = {outcome.setting->pair};
  wish.orders = {kAllConvDims};
  wish.shape.unit = outcome.setting->shape;
  wish.tile.kind = TileFreedom::Kind::Fixed;
  for (const ConvDim loop : kAllConvDims) {
    for (const DimId dim : view.dims(loop)) {
      const std::int64_t outside = outcome.search.best->bound(0, dim);
      wish.tile.fixed[index_of(loop)] *= ceil_div(problem.workload().dim(dim).size, outside);
    }
  }
  return wish;
}

TEST_P(FixedDesign, SuitsANetworkNoWorseThanWhatSuitsOneLayer) {
  StudyOptions options = usual_study();
  options.map.objective = GetParam();
  int fitting = 0;
  for (const Network& network : {small_network(), other_network()}) {
    const Design design = design_fixed(network, small_arch(), options, kClimbing);
    const auto whole = value_on(design.flexibility, network, options);
    ASSERT_TRUE(whole.has_value());
    for (const Layer& layer : network.layers) {
      const Flexibility wish = wish_of(layer.workload, options);
      const auto with_wish = value_on(wish, network, options);
      if (!with_wish) continue;
      ++fitting;
      EXPECT_LE(*whole, *with_wish * (1 + 1e-12))
          << layer.name << ": " << to_string(wish) << " against " << to_string(design.flexibility);
    }
    if (testing::slow_build()) break;
  }
  EXPECT_GT(fitting, 0);
}

// Whether a loop stands for several dimensions: groups of several channels.
bool has_compound_loop(const Network& network) {
  return std::any_of(network.layers.begin(), network.layers.end(), [](const Layer& layer) {
    const ConvView view = *ConvView::create(layer.workload).value;
    const auto& dims = view.dims(ConvDim::C);
    return std::count_if(dims.begin(), dims.end(),
                         [&](DimId dim) { return layer.workload.dim(dim).size > 1; }) > 1;
  });
}

// Costs of designs leave out the array: by them alone, some of these networks got
// a design that is worse than the one for a single layer. The first designs are the best near by
// and no more, so a little of the search goes with them. Layers without closed forms are begun in
// another way than layers with them, so networks of both may do worse than one of their layers.
TEST_P(FixedDesign, SuitsRandomNetworksNoWorseThanTheDesignOfOneLayer) {
  StudyOptions options = usual_study();
  options.map.objective = GetParam();
  int compared = 0;
  for (int i = 0; i < testing::affordable(40); ++i) {
    Network network;
    const auto seed = static_cast<std::uint64_t>(2 * i);
    for (const std::uint64_t layer : {seed, seed + 1}) {
      network.layers.push_back(layer_of(testing::random_flexible_case(layer, {}).workload, 1));
    }
    if (has_compound_loop(network)) continue;
    const Design design = design_fixed(network, small_arch(), options, {std::nullopt, 2'000, 0});
    ASSERT_TRUE(design.found);
    const auto whole = value_on(design.flexibility, network, options);
    ASSERT_TRUE(whole.has_value());
    for (const Layer& layer : network.layers) {
      const Design single = design_fixed({{}, {}, {}, {layer}}, small_arch(), options, kClimbing);
      const auto with_single = value_on(single.flexibility, network, options);
      if (!with_single) continue;
      EXPECT_LE(*whole, *with_single * (1 + 1e-12)) << i << ": " << to_string(single.flexibility)
                                                    << " against " << to_string(design.flexibility);
      ++compared;
    }
  }
  EXPECT_GT(compared, 0);
}

INSTANTIATE_TEST_SUITE_P(Objectives, FixedDesign,
                         ::testing::Values(Objective::Latency, Objective::Energy, Objective::Edp),
                         [](const auto& objective) { return to_string(objective.param); });

// Shapes that no layer would like best may suit all of them together.
TEST(DesignFixed, NoOtherArrayIsFasterWithItsTile) {
  Architecture arch = small_arch();
  std::get<Memory>(arch.levels.front()).shared_bandwidth.reset();  // costs are exact then
  std::get<Memory>(arch.levels.front()).read_bandwidth.reset();
  std::get<Memory>(arch.levels.front()).write_bandwidth.reset();
  const StudyOptions options = usual_study();
  const auto cycles_on = [&](const Flexibility& design, const Network& network) {
    const Comparison comparison = compare({{"design", design}}, {network}, arch, options);
    return comparison.trials.at(0).at(0).total.cycles;
  };
  int tried = 0;
  for (const Network& network : {small_network(), other_network()}) {
    const Design design = design_fixed(network, arch, options);
    ASSERT_TRUE(design.found);
    const Int128 least = cycles_on(design.flexibility, network);
    for (const ConvPair& pair : all_pairs()) {
      for (const ArrayShape& shape : shapes_of(arch.flexibility->shape, 8)) {
        if (testing::slow_build() && ++tried % 10 != 0) continue;
        Flexibility other = design.flexibility;
        other.pairs = {pair};
        other.shape.unit = shape;
        EXPECT_GE(cycles_on(other, network), least) << to_string(other);
      }
    }
  }
}

TEST(DesignFixed, IsTheSameWithAnyNumberOfThreads) {
  StudyOptions options = usual_study();
  const DesignLimits limits{std::nullopt, 300, 0};
  const Design alone = design_fixed(small_network(), small_arch(), options, limits);
  options.threads = 3;
  const Design together = design_fixed(small_network(), small_arch(), options, limits);
  EXPECT_EQ(alone.bound, together.bound);
  EXPECT_EQ(alone.nodes, together.nodes);
  EXPECT_EQ(alone.flexibility, together.flexibility);
  EXPECT_EQ(alone.tried, together.tried);
}

TEST(DesignFixed, FindsNothingWhereALayerIsNone) {
  Network network = small_network();
  network.layers.push_back(layer_of(
      *io::read_workload_line("O[m,n] += A[m,k]*B[k,l]*C[l,n]; m=2 n=2 k=2 l=2", "line").value, 1));
  EXPECT_FALSE(design_fixed(network, small_arch(), usual_study()).found);
}

}  // namespace
}  // namespace tilewright
