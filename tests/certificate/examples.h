// Small certificates to look at and to tamper with.
#pragma once

#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/problems.h"
#include "tilewright/certificate.h"
#include "tilewright/io.h"
#include "tilewright/mapspace.h"

namespace tilewright::testing {

struct Example {
  Problem problem;
  SpaceKind kind = SpaceKind::Perfect;
  std::vector<Constraint> constraints;
  Objective objective = Objective::Edp;
  bool uneven = false;
  bool marked = false;  // uneven at the memories that the architecture calls so
};

// Proves one mapping after the other until none is better.
inline certificate::Certificate certify(const Example& example, int worse_by = 0) {
  const Checked<Restrictions> rules = Restrictions::create(example.problem, example.constraints);
  const MadeSpace space = MapSpace::create(example.problem, example.kind, *rules.value);
  const Evaluator evaluator = make_evaluator(example.problem);
  Walk walk(*space.value, BigUint(0), space.value->size());
  const Mapping* mapping = walk.next();
  while (!evaluator.score(*mapping).verdict.fits()) mapping = walk.next();
  certificate::Claim claim{example.problem,   example.kind, example.constraints,
                           example.objective, *mapping,     {}};
  if (example.uneven) claim.among = certificate::Among::All;
  if (example.marked) claim.among = certificate::Among::Marked;
  std::vector<std::pair<Mapping, std::optional<Problem>>> seen = {{*mapping, {}}};
  while (true) {
    certificate::Proven proven = certificate::prove(claim);
    if (!proven.problems.empty()) throw std::logic_error(to_string(proven.problems.front()));
    if (proven.better) {
      seen.emplace_back(*proven.better, proven.apart);
      std::tie(claim.mapping, claim.apart) = seen.back();
      continue;
    }
    if (worse_by == 0) return *proven.certificate;
    // The bound stays with a mapping that is not the best.
    claim.bound = proven.certificate->value;
    std::tie(claim.mapping, claim.apart) =
        seen[seen.size() - 1 - static_cast<std::size_t>(worse_by)];
    worse_by = 0;
  }
}

inline Architecture example_arch() {
  Memory outer = make_memory("Outer");
  outer.read_pj = outer.write_pj = outer.update_pj = 64.5;
  outer.read_bandwidth = Rational{2, 1};
  Memory inner = make_memory("Inner", 24);
  inner.read_pj = inner.write_pj = inner.update_pj = 1.25;
  inner.free = {"weight", "input"};
  return make_arch({outer, make_fanout("Array", 3, 2), inner});
}

inline Example gemm_example(SpaceKind kind, Objective objective) {
  return {make_problem(make_gemm("gemm", 12, 10, 8), example_arch()), kind, {}, objective};
}

// A systolic array that holds weights still.
inline Example systolic_example(SpaceKind kind, Objective objective) {
  Architecture arch = example_arch();
  auto& array = std::get<Fanout>(arch.levels[1]);
  array.stationary = "weight";
  array.fills_diagonally = true;
  array.preload = Axis::X;
  std::get<Memory>(arch.levels[2]).free = {"input"};
  return {make_problem(make_gemm("gemm", 12, 10, 8), arch), kind, {}, objective};
}

// A product in so little room that an uneven mapping is the best one; with remainders, on an array
// that does not divide its sizes.
inline Example uneven_example(Objective objective, SpaceKind kind = SpaceKind::Perfect) {
  Memory outer = make_memory("Outer"), inner = make_memory("Inner", 7);
  outer.read_pj = outer.write_pj = outer.update_pj = 64.5;
  outer.read_bandwidth = Rational{2, 1};
  inner.read_pj = inner.write_pj = inner.update_pj = 1.25;
  const Architecture arch =
      make_arch({outer, make_fanout("Array", kind == SpaceKind::Perfect ? 2 : 3, 1), inner});
  const Problem problem = make_problem(make_gemm("gemm", 12, 10, 8), arch);
  return {problem, kind, {}, objective, true};
}

// The same at a memory whose loops are limited and ordered at each of its points.
inline Example restricted_example(Objective objective) {
  Example example = uneven_example(objective);
  example.constraints.push_back({"Inner", {}, FactorRule{"M", FactorRule::Relation::Equal, 2}, {}});
  example.constraints.push_back({"Inner", {}, OrderRule{{"K"}, {}}, {}});
  return example;
}

// The same in an array that holds weights still.
inline Example uneven_systolic_example(SpaceKind kind) {
  Example example = uneven_example(Objective::Edp, kind);
  Architecture arch = example.problem.arch();
  auto& array = std::get<Fanout>(arch.levels[1]);
  array.stationary = "weight";
  array.fills_diagonally = true;
  array.preload = Axis::X;
  example.problem = make_problem(example.problem.workload(), arch);
  return example;
}

// A memory that may have several storage points inside one that may not.
inline Example marked_example() {
  Memory outer = make_memory("Outer"), middle = make_memory("Middle", 30),
         inner = make_memory("Inner", 7);
  outer.read_pj = outer.write_pj = outer.update_pj = 64.5;
  middle.read_pj = middle.write_pj = middle.update_pj = 6;
  inner.read_pj = inner.write_pj = inner.update_pj = 1.25;
  inner.uneven = true;
  const Problem problem =
      make_problem(make_gemm("gemm", 12, 10, 8), make_arch({outer, middle, inner}));
  return {problem, SpaceKind::Perfect, {}, Objective::Energy, false, true};
}

inline Example conv_example() {
  Conv2d conv;
  conv.in_channels = 2;
  conv.out_channels = 3;
  conv.p = 4;
  conv.r = 3;
  Example example{make_problem(make_conv2d("conv", conv), example_arch()),
                  SpaceKind::Perfect,
                  {},
                  Objective::Energy};
  example.constraints.push_back({"Inner", {}, OrderRule{{"C"}, {}}, {}});
  return example;
}

}  // namespace tilewright::testing
