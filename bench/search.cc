// Random search: mappings drawn, checked and scored per second on one core.

#include <benchmark/benchmark.h>

#include <stdexcept>

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

void search_at_random(benchmark::State& state, const SearchCase& spec) {
  const Prepared prepared = prepare(spec);
  const std::unique_ptr<Strategy> strategy = random_strategy(prepared.space, 1);
  const std::unique_ptr<Explorer> explorer = strategy->explorer();
  Scorer scorer(prepared.evaluator);
  std::uint64_t unit = 0;
  std::uint64_t valid = 0;
  for (auto _ : state) {
    Recorder recorder(scorer, Objective::Edp, {});
    explorer->explore(unit++, strategy->unit_size(), recorder);
    valid += recorder.valid();
  }
  const auto seen = static_cast<double>(unit * strategy->unit_size());
  state.SetItemsProcessed(static_cast<std::int64_t>(seen));
  state.counters["valid"] = static_cast<double>(valid) / seen;
}

const bool kRegistered = [] {
  for (const SearchCase& spec : kCases) {
    benchmark::RegisterBenchmark((std::string("draw/") + spec.name).c_str(), draw, spec);
    benchmark::RegisterBenchmark((std::string("random_search/") + spec.name).c_str(),
                                 search_at_random, spec);
  }
  return true;
}();

}  // namespace
