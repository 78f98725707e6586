// Makes a typical call a given number of times and nothing else, so that instruction
// counts of two runs can be compared: tools/count_instructions.sh.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>

#include "cases.h"
#include "mappers/genetic/genetic.h"
#include "mappers/optimal/optimal.h"
#include "mappers/quickflow/quickflow.h"
#include "mappers/sampling/sampling.h"
#include "tilewright/certificate.h"
#include "tilewright/mapspace.h"

namespace {

using namespace tilewright;

// A call, given how often it was made before.
using Call = std::function<void(std::size_t)>;

template <typename T>
T must(Checked<T> parsed) {
  if (!parsed.ok()) throw std::runtime_error(to_string(parsed.problems.front()));
  return std::move(*parsed.value);
}

struct Compiled {
  Compiled(const char* arch, const char* workload)
      : problem(must(
            Problem::create(must(io::load_workload(workload)), must(io::load_architecture(arch))))),
        evaluator(must(Evaluator::compile(problem))),
        restrictions(must(Restrictions::create(problem))) {
    restrictions.exclude_misfits(problem);
  }

  Problem problem;
  Evaluator evaluator;
  Restrictions restrictions;
};

constexpr const char* kConv = "conv2d: in_channels=64 out_channels=64 p=56 q=56 r=3 s=3 batch=1";
constexpr const char* kSmallConv =
    "conv2d: in_channels=16 out_channels=32 p=14 q=14 r=3 s=3 batch=1";

// The mappers, with one thread each.
Mapping search(const Compiled& layer) {
  return search_locally({layer.evaluator, SpaceKind::Perfect, layer.restrictions}, {}).best.value();
}

Mapping prove(const Compiled& layer) {
  return find_optimum({layer.evaluator, SpaceKind::Perfect, layer.restrictions}, {}).best.value();
}

// --- the calls ----------------------------------------------------------------

Call score(const char* case_name) {
  for (const bench::CaseSpec& spec : bench::case_specs()) {
    if (std::strcmp(spec.name, case_name) != 0) continue;
    return [prepared = bench::make_case(spec)](std::size_t i) {
      prepared.evaluator.score(prepared.mappings[i % prepared.mappings.size()]);
    };
  }
  throw std::logic_error(case_name);
}

Call draw(SpaceKind kind) {
  const Compiled layer("ruby_eyeriss_14x12", kConv);
  const MapSpace space = must<MapSpace>(MapSpace::create(layer.problem, kind, layer.restrictions));
  return [sampler = std::make_shared<Sampler>(space), rng = Rng(1)](std::size_t) mutable {
    sampler->draw(rng);
  };
}

// 256 mappings, with the best of those before them to beat.
Call search_at_random() {
  struct Search {
    explicit Search(const Compiled& layer)
        : space(must<MapSpace>(
              MapSpace::create(layer.problem, SpaceKind::Perfect, layer.restrictions))),
          explorer(random_strategy(space, 1)->explorer()),
          scorer(layer.evaluator) {}
    MapSpace space;
    std::unique_ptr<Explorer> explorer;
    Scorer scorer;
    std::optional<Score> best;
  };
  return [search = std::make_shared<Search>(Compiled("eyeriss", kConv))](std::size_t i) {
    Recorder recorder(search->scorer, Objective::Edp, search->best);
    search->explorer->explore(i, 256, recorder);
    search->best = recorder.best();
  };
}

// Ten generations of a hundred after the first.
Call search_by_breeding(bool broods) {
  return [broods, layer = Compiled("eyeriss", kConv)](std::size_t i) {
    GeneticSettings settings;
    settings.generations = 10;
    if (broods) settings.brood = GeneticSettings::Brood::Factors;
    settings.seed = i;
    search_genetically({layer.evaluator, SpaceKind::Perfect, layer.restrictions}, {}, settings);
  };
}

Call check_certificate() {
  const Compiled layer("eyeriss", kSmallConv);
  certificate::Proven proven = certificate::prove(
      {layer.problem, SpaceKind::Perfect, {}, Objective::Edp, prove(layer), std::nullopt, 1});
  return [certificate = std::move(proven.certificate.value())](std::size_t) {
    if (!certificate::check(certificate).problems.empty()) throw std::logic_error("not verified");
  };
}

struct CallSpec {
  const char* name;
  int few, many;  // how often it is made, to be compared
  Call (*prepare)();
};

// Scores: a multiple of the mappings of a case. Draws: a sampler remembers what it has
// worked out, so the first ones take longer.
const CallSpec kCalls[] = {
    {"score_conv_perfect", 256, 1024, [] { return score("conv7_eyeriss_perfect"); }},
    {"score_conv_imperfect", 256, 1024, [] { return score("conv7_eyeriss_imperfect"); }},
    {"score_gemm_perfect", 256, 1024, [] { return score("gemm_goma_perfect"); }},
    {"draw_perfect", 1000, 3000, [] { return draw(SpaceKind::Perfect); }},
    {"draw_ruby_s", 1000, 3000, [] { return draw(SpaceKind::RubyS); }},
    {"random_256", 100, 300, search_at_random},
    {"genetic_10_generations", 2, 6, [] { return search_by_breeding(false); }},
    {"broods_10_generations", 2, 6, [] { return search_by_breeding(true); }},
    {"quickflow_conv", 1, 2,
     []() -> Call {
       return [layer = Compiled("eyeriss", kSmallConv)](std::size_t) { search(layer); };
     }},
    {"prove_conv", 1, 2,
     []() -> Call {
       return [layer = Compiled("eyeriss", kSmallConv)](std::size_t) { prove(layer); };
     }},
    {"check_conv", 1, 2, check_certificate},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
    for (const CallSpec& spec : kCalls) std::printf("%s %d %d\n", spec.name, spec.few, spec.many);
    return 0;
  }
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s --list | CALL TIMES\n", argv[0]);
    return 2;
  }
  for (const CallSpec& spec : kCalls) {
    if (std::strcmp(spec.name, argv[1]) != 0) continue;
    const Call call = spec.prepare();
    const std::size_t times = std::strtoul(argv[2], nullptr, 10);
    for (std::size_t i = 0; i < times; ++i) call(i);
    return 0;
  }
  std::fprintf(stderr, "no call %s\n", argv[1]);
  return 2;
}
