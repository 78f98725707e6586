// Evaluations per second on one core.

#include <benchmark/benchmark.h>

#include "cases.h"

namespace {

using namespace tilewright;

void score_only(benchmark::State& state, const bench::CaseSpec& spec) {
  const bench::EvaluationCase cases = bench::make_case(spec);
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(cases.evaluator.score(cases.mappings[i]));
    i = i + 1 == cases.mappings.size() ? 0 : i + 1;
  }
  state.SetItemsProcessed(state.iterations());
}

void full_breakdown(benchmark::State& state, const bench::CaseSpec& spec) {
  const bench::EvaluationCase cases = bench::make_case(spec);
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(cases.evaluator.evaluate(cases.mappings[i]));
    i = i + 1 == cases.mappings.size() ? 0 : i + 1;
  }
  state.SetItemsProcessed(state.iterations());
}

const bool kRegistered = [] {
  for (const bench::CaseSpec& spec : bench::case_specs()) {
    benchmark::RegisterBenchmark((std::string("score/") + spec.name).c_str(), score_only, spec);
  }
  benchmark::RegisterBenchmark("full/conv7_eyeriss_perfect", full_breakdown,
                               bench::case_specs().front());
  return true;
}();

}  // namespace
