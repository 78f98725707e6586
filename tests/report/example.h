// A small evaluation in which every table has something to show.
#pragma once

#include <functional>
#include <utility>

#include "support/problems.h"
#include "tilewright/report.h"

namespace tilewright::report::testing {

// What a Result refers to.
struct Example {
  Problem problem;
  Mapping mapping;
  Evaluation evaluation;

  Result result() const { return {problem, mapping, evaluation}; }
};

inline Example make_example(Problem problem, Mapping mapping) {
  Evaluation evaluation = tilewright::testing::make_evaluator(problem).evaluate(mapping);
  return {std::move(problem), std::move(mapping), std::move(evaluation)};
}

// GEMM of 21 x 4 x 6. M does not divide: 17 rows and then 4. N and K lie on a
// 4 x 3 array of which a row is idle. Energies are no round numbers in binary.
inline Architecture example_arch() {
  using namespace tilewright::testing;
  Memory dram = make_memory("DRAM");
  dram.read_pj = dram.write_pj = dram.update_pj = 64.1;
  Memory buffer = make_memory("Buffer", 4096);
  buffer.read_pj = 0.1;
  buffer.write_pj = 0.2;
  buffer.update_pj = 0.7;
  buffer.leakage_pj_per_cycle = 0.03;
  buffer.area_um2 = 1500;
  Fanout array = make_fanout("Array", 4, 3);
  array.word_pj = 0.05;
  Architecture arch = make_arch({dram, buffer, array});
  std::get<Compute>(arch.levels.back()).mac_pj = 0.3;
  return arch;
}

inline Example example(const std::function<void(Architecture&)>& change = {}) {
  using namespace tilewright::testing;
  Architecture arch = example_arch();
  if (change) change(arch);
  Problem problem = make_problem(make_gemm("layer", 21, 4, 6), arch);
  Mapping mapping(problem);
  set_loops(problem, mapping, "DRAM", {{"M", 2}});
  set_loops(problem, mapping, "Buffer", {{"M", 17}, {"K", 3}});
  set_loops(problem, mapping, "Array.y", {{"K", 2}});
  set_loops(problem, mapping, "Array.x", {{"N", 4}});
  return make_example(std::move(problem), std::move(mapping));
}

// The same with registers in the array, in which I stands still; its tile changes three times.
inline Example systolic_example(bool preloads = true) {
  using namespace tilewright::testing;
  Architecture arch = example_arch();
  auto& array = std::get<Fanout>(arch.levels[2]);
  array.stationary = "input";
  array.fills_diagonally = true;
  if (preloads) array.preload = Axis::Y;
  Memory registers = make_memory("Registers", 1);
  registers.keep = {"input"};
  arch.levels.insert(arch.levels.begin() + 3, registers);
  Problem problem = make_problem(make_gemm("layer", 21, 4, 6), arch);
  Mapping mapping(problem);
  set_loops(problem, mapping, "Buffer", {{"K", 3}, {"M", 21}});
  set_loops(problem, mapping, "Array.y", {{"K", 2}});
  set_loops(problem, mapping, "Array.x", {{"N", 4}});
  return make_example(std::move(problem), std::move(mapping));
}

inline Memory& memory_at(Architecture& arch, std::size_t level) {
  return std::get<Memory>(arch.levels[level]);
}

}  // namespace tilewright::report::testing
