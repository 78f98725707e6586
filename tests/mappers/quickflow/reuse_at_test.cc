// What the loops of one memory of real hardware can spare.
#include <gtest/gtest.h>

#include "mappers/quickflow/orders.h"
#include "support/problems.h"
#include "tilewright/io.h"

namespace tilewright::testing {
namespace {

constexpr Conv2d kConv{.in_channels = 4, .out_channels = 4, .p = 6, .q = 6, .r = 3, .s = 3};

Problem conv_on(const std::string& arch) {
  return make_problem(make_conv2d("conv", kConv), *io::load_architecture(arch).value);
}

struct Expected {
  const char* memory;
  std::vector<const char*> tensors;
  std::size_t classes;  // of the orders of M C P Q R S
};

void check(const Problem& problem, const std::vector<Expected>& memories) {
  const Workload& workload = problem.workload();
  const std::uint32_t dims =
      ((1U << workload.dim_count()) - 1U) & ~(1U << index_of(workload.find_dim("N").value()));
  const std::vector<TensorReuse> all = reuse_of(workload);
  ASSERT_EQ(static_cast<std::size_t>(problem.memory_count()), memories.size());
  for (std::size_t m = 0; m < memories.size(); ++m) {
    const Expected& expected = memories[m];
    const MemoryId memory{static_cast<int>(m)};
    SCOPED_TRACE(expected.memory);
    ASSERT_EQ(problem.memory(memory).name, expected.memory);
    const std::vector<TensorReuse> found = reuse_at(problem, memory);
    ASSERT_EQ(found.size(), expected.tensors.size());
    for (std::size_t t = 0; t < found.size(); ++t) {
      const TensorId tensor = workload.find_tensor(expected.tensors[t]).value();
      EXPECT_EQ(found[t].relevant, all[static_cast<std::size_t>(index_of(tensor))].relevant);
      EXPECT_EQ(found[t].sliding, all[static_cast<std::size_t>(index_of(tensor))].sliding);
    }
    EXPECT_EQ(order_classes(dims, found).size(), expected.classes);
  }
}

// A register file keeps nothing for what is inside it. Under the output alone
// any of C, R and S may be inside: eight sets.
TEST(ReuseAt, CountsTensorsThatMemoriesInsideKeepOnEyeriss) {
  check(conv_on("eyeriss"), {{"DRAM", {"I", "W", "O"}, 21},
                             {"GlobalBuffer", {"I", "W", "O"}, 21},
                             {"InRegister", {"W", "O"}, 11},
                             {"WRegister", {"O"}, 8},
                             {"OutRegister", {}, 1}});
}

// Weights come from a memory of their own inside DRAM, whose loops still say
// how long they stay in the memories further in. Under the weights alone P and Q may be
// inside: four sets.
TEST(ReuseAt, DoesNotAskWhereTensorsComeFromOnTpuV1) {
  check(conv_on("tpu_v1"), {{"DRAM", {"I", "W", "O"}, 21},
                            {"WeightsDRAM", {"I", "W", "O"}, 21},
                            {"UnifiedBuffer", {"W", "O"}, 11},
                            {"WeightsFIFO", {"W", "O"}, 11},
                            {"Accumulator", {"W"}, 4},
                            {"Register", {}, 1}});
}

}  // namespace
}  // namespace tilewright::testing
