// Mappings to evaluate: drawn at random, all of them fitting the hardware, so
// that no evaluation ends early.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/random_problem.h"
#include "tilewright/io.h"
#include "tilewright/model.h"

namespace tilewright::bench {

struct EvaluationCase {
  Evaluator evaluator;
  std::vector<Mapping> mappings;
};

struct CaseSpec {
  const char* name;
  const char* arch;
  const char* workload;
  bool imperfect;
};

inline const std::vector<CaseSpec>& case_specs() {
  constexpr const char* kConv = "conv2d: in_channels=64 out_channels=64 p=56 q=56 r=3 s=3 batch=4";
  constexpr const char* kStrided =
      "conv2d: in_channels=128 out_channels=256 p=28 q=28 r=3 s=3 stride=2 batch=1";
  static const std::vector<CaseSpec> specs = {
      {"conv7_eyeriss_perfect", "eyeriss", kConv, false},
      {"conv7_eyeriss_imperfect", "eyeriss", kConv, true},
      {"strided_eyeriss_perfect", "eyeriss", kStrided, false},
      {"conv7_simba_perfect", "simba", kConv, false},
      {"conv7_simba_imperfect", "simba", kConv, true},
      {"gemm_goma_perfect", "goma_eyeriss_like", "gemm: m=2048 n=1024 k=1024", false},
  };
  return specs;
}

// A bound that divides what is left (or any, if remainders are wanted), mostly 1.
inline std::int64_t draw_bound(testing::TestRng& rng, std::int64_t left, std::int64_t room,
                               bool imperfect) {
  const std::int64_t most = left < room ? left : room;
  if (most < 2 || rng.chance(60)) return 1;
  const std::int64_t wish = rng.between(2, most < 16 ? most : 16);
  if (imperfect) return wish;
  for (std::int64_t b = wish; b > 1; --b) {
    if (left % b == 0) return b;
  }
  return 1;
}

inline Mapping draw_mapping(testing::TestRng& rng, const Problem& problem, bool imperfect) {
  Mapping mapping(problem);
  std::vector<std::int64_t> left;
  for (const Dimension& dim : problem.workload().dims) left.push_back(dim.size);
  for (int s = problem.slot_count(); s-- > 0;) {
    const Slot& slot = problem.slots()[static_cast<std::size_t>(s)];
    std::int64_t room = testing::room_of(problem, s);
    for (int d = 0; d < problem.dim_count(); ++d) {
      std::int64_t& rest = left[static_cast<std::size_t>(d)];
      const bool allowed = ((slot.allowed_dims >> d) & 1U) != 0;
      const std::int64_t bound =
          s == 0 ? rest : (allowed ? draw_bound(rng, rest, room, imperfect) : 1);
      mapping.set_bound(s, DimId{d}, bound);
      rest = ceil_div(rest, bound);
      if (!slot.is_temporal()) room /= bound;
    }
  }
  for (int m = 0; m < problem.memory_count(); ++m) {
    mapping.set_order(MemoryId{m}, testing::random_order(rng, problem.dim_count()));
  }
  return mapping;
}

inline EvaluationCase make_case(const CaseSpec& spec, std::size_t count = 256) {
  auto arch = io::load_architecture(spec.arch);
  auto workload = io::load_workload(spec.workload);
  if (!arch.ok() || !workload.ok()) {
    std::fprintf(stderr, "%s: cannot load the case\n", spec.name);
    std::exit(1);
  }
  const auto problem = Problem::create(std::move(*workload.value), std::move(*arch.value));
  EvaluationCase made{std::move(*Evaluator::compile(*problem.value).value), {}};
  testing::TestRng rng(7);
  while (made.mappings.size() < count) {
    Mapping mapping = draw_mapping(rng, *problem.value, spec.imperfect);
    const bool wanted = !spec.imperfect || !is_perfect(*problem.value, mapping);
    if (wanted && made.evaluator.score(mapping).verdict.fits()) {
      made.mappings.push_back(std::move(mapping));
    }
  }
  return made;
}

}  // namespace tilewright::bench
