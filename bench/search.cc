// Random and genetic search: mappings per second on one core. Those of a random search are drawn,
// and scored or screened out, since they do not fit or cannot beat the best so far; those of a
// genetic one are bred and scored, or scored as neighbours of one that was bred.

#include <benchmark/benchmark.h>

#include <stdexcept>

#include "mappers/genetic/genetic.h"
#include "mappers/sampling/sampling.h"
#include "tilewright/io.h"
#include "tilewright/mapspace.h"

namespace {

using namespace tilewright;

struct SearchCase {
  const char* name;
  const char* arch;
  const char* layer;  // of resnet50
  SpaceKind kind;
};

constexpr SearchCase kCases[] = {
    {"eyeriss_like_3x3_pfm", "ruby_eyeriss_14x12", "conv2_1b", SpaceKind::Perfect},
    {"eyeriss_like_3x3_ruby_s", "ruby_eyeriss_14x12", "conv2_1b", SpaceKind::RubyS},
    {"eyeriss_like_1x1_pfm", "ruby_eyeriss_14x12", "conv2_1c", SpaceKind::Perfect},
    {"eyeriss_like_1x1_ruby_s", "ruby_eyeriss_14x12", "conv2_1c", SpaceKind::RubyS},
    {"eyeriss_3x3_pfm", "eyeriss", "conv2_1b", SpaceKind::Perfect},
    {"eyeriss_3x3_ruby_s", "eyeriss", "conv2_1b", SpaceKind::RubyS},
    {"simba_3x3_pfm", "simba", "conv2_1b", SpaceKind::Perfect},
};

struct Prepared {
  Evaluator evaluator;
  MapSpace space;
};

Prepared prepare(const SearchCase& spec) {
  const auto arch = io::load_architecture(spec.arch);
  const auto layer = io::pick_layer(*io::load_network("resnet50").value, spec.layer);
  const auto problem = Problem::create(layer.value->workload, *arch.value);
  if (!problem.ok()) throw std::logic_error(to_string(problem.problems.front()));
  auto restrictions = Restrictions::create(*problem.value);
  restrictions.value->exclude_misfits(*problem.value);
  return {*Evaluator::compile(*problem.value).value,
          *MapSpace::create(*problem.value, spec.kind, *restrictions.value).value};
}

void draw(benchmark::State& state, const SearchCase& spec) {
  const Prepared prepared = prepare(spec);
  Sampler sampler(prepared.space);
  Rng rng(1);
  for (auto _ : state) benchmark::DoNotOptimize(sampler.draw(rng));
  state.SetItemsProcessed(state.iterations());
}

// Unit by unit, each with the best of those before it to beat.
void search_at_random(benchmark::State& state, const SearchCase& spec, Objective objective) {
  const Prepared prepared = prepare(spec);
  const std::unique_ptr<Strategy> strategy = random_strategy(prepared.space, 1);
  const std::unique_ptr<Explorer> explorer = strategy->explorer();
  Scorer scorer(prepared.evaluator);
  std::optional<Score> best;
  std::uint64_t unit = 0;
  std::uint64_t valid = 0;
  for (auto _ : state) {
    Recorder recorder(scorer, objective, best);
    explorer->explore(unit++, strategy->unit_size(), recorder);
    valid += recorder.valid();
    best = recorder.best();
  }
  const auto seen = static_cast<double>(unit * strategy->unit_size());
  state.SetItemsProcessed(static_cast<std::int64_t>(seen));
  state.counters["valid"] = static_cast<double>(valid) / seen;
}

void search_by_breeding(benchmark::State& state, const SearchCase& spec, bool broods) {
  const Prepared prepared = prepare(spec);
  GeneticSettings settings;
  if (broods) settings.brood = GeneticSettings::Brood::Factors;
  std::uint64_t seen = 0;
  for (auto _ : state) {
    seen += search_genetically(
                {prepared.evaluator, spec.kind, prepared.space.restrictions(), Objective::Edp}, {},
                settings)
                .seen;
    ++settings.seed;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(seen));
}

const bool kRegistered = [] {
  for (const SearchCase& spec : kCases) {
    benchmark::RegisterBenchmark((std::string("draw/") + spec.name).c_str(), draw, spec);
    benchmark::RegisterBenchmark((std::string("random_search/") + spec.name).c_str(),
                                 search_at_random, spec, Objective::Edp);
    benchmark::RegisterBenchmark((std::string("random_search/energy/") + spec.name).c_str(),
                                 search_at_random, spec, Objective::Energy);
    benchmark::RegisterBenchmark((std::string("genetic_search/") + spec.name).c_str(),
                                 search_by_breeding, spec, false);
    benchmark::RegisterBenchmark((std::string("genetic_search/broods/") + spec.name).c_str(),
                                 search_by_breeding, spec, true);
  }
  return true;
}();

}  // namespace
