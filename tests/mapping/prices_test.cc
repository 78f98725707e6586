#include "mapping/prices.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "certificate/exact.h"
#include "support/problems.h"
#include "support/random_problem.h"

namespace tilewright {
namespace {

Memory memory_of_bits(double pj, std::int64_t word) {
  Memory memory;
  memory.name = "M";
  memory.word_bits = word;
  memory.read_pj = memory.write_pj = memory.update_pj = pj;
  memory.energy_of_bits = true;
  return memory;
}

double price(double pj, std::int64_t bits, std::int64_t word) {
  Tensor tensor;
  tensor.bits = bits;
  return prices_of(memory_of_bits(pj, word), tensor).read_pj;
}

TEST(Prices, AreInProportionToTheWidthWhereTheFileSaysThemOfBits) {
  EXPECT_EQ(price(2, 16, 16), 2);
  EXPECT_EQ(price(2, 4, 16), 0.5);
  EXPECT_EQ(price(2, 32, 16), 4);
  EXPECT_EQ(price(0, 4, 16), 0);
  EXPECT_EQ(price(1e-12, 32, 16), 2e-12);
  EXPECT_EQ(price(1e12, 48, 16), 3e12);
}

TEST(Prices, AreRoundedToNineDigitsWithHalvesToTheEvenOne) {
  EXPECT_EQ(price(1, 8, 24), 0.333333333);
  EXPECT_EQ(price(2, 8, 24), 0.666666667);
  EXPECT_EQ(price(2.46913577, 8, 16), 1.23456788);
  EXPECT_EQ(price(2.46913575, 8, 16), 1.23456788);
  EXPECT_EQ(price(9.99999999999, 1, 10), 1);
  EXPECT_EQ(price(1.23456789012345, 16, 16), 1.23456789012345);  // nothing to convert
}

TEST(Prices, AreThoseOfTheMemoryOtherwise) {
  Memory memory = memory_of_bits(2, 16);
  memory.energy_of_bits = false;
  memory.update_pj = 3;
  Tensor tensor;
  tensor.bits = 4;
  EXPECT_EQ(prices_of(memory, tensor).read_pj, 2);
  EXPECT_EQ(prices_of(memory, tensor).update_pj, 3);
}

// The checker works them out on its own.
TEST(Prices, AreTheSameToTheChecker) {
  testing::TestRng rng(77);
  for (int i = 0; i < 2000; ++i) {
    const double pj = static_cast<double>(rng.between(1, 999'999'999)) / 1e4;
    const std::int64_t word = rng.between(1, 64);
    Workload workload = make_gemm("g", 2, 2, 2);
    for (Tensor& tensor : workload.tensors) tensor.bits = rng.between(1, 64);
    Architecture arch;
    arch.name = "a";
    arch.levels = {memory_of_bits(pj, word), Compute{"C"}};
    const Problem problem = testing::make_problem(workload, arch);
    const certificate::Energies exact(problem);
    for (std::size_t t = 0; t < workload.tensors.size(); ++t) {
      const auto units = static_cast<std::int64_t>(exact.memories[0].access[t].read);
      const double read = prices_of(memory_of_bits(pj, word), workload.tensors[t]).read_pj;
      EXPECT_EQ(std::stod(fmt::format("{}e-{}", units, exact.decimals)), read);
    }
  }
}

}  // namespace
}  // namespace tilewright
