// The checker's own counter against the fast model, on layers of real size.
#include <gtest/gtest.h>

#include "certificate/count.h"
#include "support/slow_build.h"
#include "tilewright/io.h"
#include "tilewright/mapspace.h"
#include "tilewright/model.h"

namespace tilewright::certificate {
namespace {

double picojoules(const Energies& energies, Int128 units) {
  double value = static_cast<double>(units);
  for (int i = 0; i < energies.decimals; ++i) value /= 10;
  return value;
}

void compare(const Problem& problem, SpaceKind kind, std::uint64_t seed) {
  const Checked<Restrictions> rules = Restrictions::create(problem);
  const MadeSpace space = MapSpace::create(problem, kind, *rules.value);
  ASSERT_TRUE(space.ok());
  const Checked<Evaluator> evaluator = Evaluator::compile(problem);
  const Terms terms(problem);
  Sampler sampler(*space.value);
  Rng rng(seed);
  for (int i = 0; i < testing::affordable(10); ++i) {
    const Mapping mapping = sampler.draw(rng);
    const Counter counter(terms, mapping);
    const Evaluation expected = evaluator.value->evaluate(mapping);
    ASSERT_EQ(counter.overflows().empty(), expected.score.verdict.fits());
    ASSERT_EQ(counter.cost().cycles, expected.score.cycles);
    const double energy = picojoules(terms.energies, counter.cost().energy);
    ASSERT_NEAR(energy / expected.score.energy_pj, 1, 1e-12);
  }
}

class CounterOnLayers : public ::testing::TestWithParam<const char*> {};

TEST_P(CounterOnLayers, CostsWhatTheModelSays) {
  const Checked<Architecture> arch = io::load_architecture(GetParam());
  const Checked<Network> network = io::load_network("quickflow");
  ASSERT_TRUE(arch.ok() && network.ok());
  const std::vector<Layer>& layers = network.value->layers;
  for (std::size_t i = 0; i < layers.size(); i += testing::slow_build() ? 24 : 4) {
    const Layer& layer = layers[i];
    const Checked<Problem> problem = Problem::create(layer.workload, *arch.value);
    for (const SpaceKind kind : {SpaceKind::Perfect, SpaceKind::RubyS}) {
      SCOPED_TRACE(layer.name + " " + to_string(kind));
      compare(*problem.value, kind, 7);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Architectures, CounterOnLayers,
                         ::testing::Values("eyeriss", "simba", "tpu_v1", "gemmini",
                                           "ruby_eyeriss_14x12"),
                         [](const auto& one) { return std::string(one.param); });

}  // namespace
}  // namespace tilewright::certificate
