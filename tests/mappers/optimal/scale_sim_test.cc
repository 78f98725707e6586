// Systolic arrays as SCALE-Sim 3.0 counts them: 32 x 32, without stalls, measured.
#include <gtest/gtest.h>

#include "support/asked.h"
#include "support/problems.h"
#include "tilewright/io.h"

namespace tilewright::testing {
namespace {

// SCALE-Sim takes a convolution as a product of matrices: pixels times filters, summed up over
// what a filter has.
struct Layer {
  const char* name;
  const char* sizes;
  std::int64_t ideal, output_stationary, weight_stationary, input_stationary;
};

const Layer kLayers[] = {
    {"GEMM 512^3", "p=512 f=512 c=512", 131'072, 146'943, 155'135, 155'135},
    {"ResNet-50 1x1, 256 to 64, 56x56", "p=3136 f=64 c=256", 50'176, 62'327, 51'679, 123'871},
    {"ResNet-50 3x3, 64 to 64, 56x56", "p=3136 f=64 c=576", 112'896, 125'047, 116'279, 278'711},
};

// Rows of SCALE-Sim's array are along y. Weights and inputs enter row by row; sums are made where
// they stand.
std::int64_t fastest(const Layer& layer, const std::string& stationary, const std::string& rows,
                     const std::string& columns, const std::string& filling) {
  const auto arch = io::read_architecture(
      "architecture: array\nlevels:\n"
      "  - {memory: Outside, capacity: unlimited, read: 64 pJ}\n"
      "  - {fanout: Array, y: {size: 32, dims: [" +
          rows + "]}, x: {size: 32, dims: [" + columns + "]}, " + filling +
          "}\n"
          "  - {memory: Register, capacity: 1 words, keep: [" +
          stationary + "]}\n  - {compute: mac}\n",
      "arch");
  EXPECT_TRUE(arch.ok()) << to_string(arch.problems.front());
  const auto workload = io::read_workload_line(
      std::string("O[p,f] += I:input[p,c]*W:weight[c,f]; ") + layer.sizes, "workload");
  EXPECT_TRUE(workload.ok()) << to_string(workload.problems.front());
  const Problem problem = make_problem(*workload.value, *arch.value);
  Asked asked;
  asked.objective = Objective::Latency;
  const OptimalResult best = find_optimum(make_evaluator(problem), SpaceKind::Perfect,
                                          *Restrictions::create(problem, {}).value, asked);
  EXPECT_EQ(best.status, OptimalResult::Status::Proven);
  return narrowed(best.score.cycles);
}

// SCALE-Sim's total is the number of the last cycle, counted from 0.
TEST(SystolicArrays, TakeAsManyCyclesAsScaleSimSays) {
  for (const Layer& layer : kLayers) {
    SCOPED_TRACE(layer.name);
    EXPECT_EQ(fastest(layer, "output", "p", "f", "stationary: output, fill: diagonal"),
              layer.output_stationary + 1);
    EXPECT_EQ(fastest(layer, "weight", "c", "f", "stationary: weight, fill: diagonal, preload: y"),
              layer.weight_stationary + 1);
    EXPECT_EQ(fastest(layer, "input", "c", "p", "stationary: input, fill: diagonal, preload: y"),
              layer.input_stationary + 1);
    EXPECT_EQ(fastest(layer, "weight", "c", "f", "stationary: weight"), layer.ideal);
  }
}

}  // namespace
}  // namespace tilewright::testing
