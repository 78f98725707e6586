// The ideal of several architectures: no mapping costs more on it.
#include <gtest/gtest.h>

#include "tilewright/arch.h"
#include "tilewright/io.h"

namespace tilewright {
namespace {

Architecture toy(const std::vector<std::string>& changes) {
  auto arch = io::load_architecture("toy_array", changes);
  EXPECT_TRUE(arch.ok());
  return std::move(*arch.value);
}

std::optional<Architecture> ideal_of_two(const Architecture& a, const Architecture& b,
                                         bool fanouts_may_differ = true) {
  const std::vector<const Architecture*> both = {&a, &b};
  return ideal_of(both, fanouts_may_differ);
}

TEST(Ideal, HasTheLargestCapacitiesAndTheLeastEnergies) {
  const auto ideal = ideal_of_two(toy({"Buffer.capacity=8KiB", "Buffer.read=3pJ", "Array.x=2"}),
                                  toy({"Buffer.capacity=2KiB", "Buffer.read=1pJ", "Array.x=8"}));
  ASSERT_TRUE(ideal);
  const auto& buffer = std::get<Memory>(ideal->levels[1]);
  EXPECT_EQ(buffer.capacity.amount, 8 * 8192);
  EXPECT_EQ(buffer.read_pj, 1);
  EXPECT_EQ(std::get<Fanout>(ideal->levels[2]).x.size, 8);
}

TEST(Ideal, HasTheFasterOfTwoBandwidths) {
  const auto ideal = ideal_of_two(toy({"DRAM.bandwidth=3words/cycle"}), toy({}));
  ASSERT_TRUE(ideal);
  EXPECT_EQ(std::get<Memory>(ideal->levels[0]).shared_bandwidth, (Rational{8, 1}));
}

TEST(Ideal, DoesNotExistWhereDesignsDifferInMoreThanNumbers) {
  EXPECT_FALSE(ideal_of_two(toy({}), toy({"Buffer.keep=[input]"})));
  EXPECT_FALSE(ideal_of_two(toy({}), toy({"Array.x.dims=[M]"})));
  EXPECT_FALSE(ideal_of_two(toy({}), toy({"Buffer.double_buffered=true"})));
}

TEST(Ideal, HasOneShapeWhereAskedFor) {
  EXPECT_FALSE(ideal_of_two(toy({}), toy({"Array.x=8"}), false));
  EXPECT_TRUE(ideal_of_two(toy({}), toy({"Buffer.capacity=8KiB"}), false));
}

TEST(Ideal, SharesOutTheLeakageOfAllInstances) {
  Architecture small = toy({"Registers.leakage=1pJ/cycle"});
  Architecture large = toy({"Registers.leakage=1pJ/cycle", "Array.x=8"});
  small.leaking = large.leaking = LeakingInstances::All;
  const auto ideal = ideal_of_two(small, large);
  ASSERT_TRUE(ideal);
  const double each = std::get<Memory>(ideal->levels[3]).leakage_pj_per_cycle;
  EXPECT_LE(each * 32, 16);
  EXPECT_NEAR(each * 32, 16, 1e-6);
}

TEST(Ideal, OfNoneOrOfFlexibleOnesThereIsNone) {
  EXPECT_FALSE(ideal_of({}));
  const auto flexible = io::load_architecture("flex_1024");
  ASSERT_TRUE(flexible.ok());
  EXPECT_FALSE(ideal_of_two(*flexible.value, *flexible.value));
}

}  // namespace
}  // namespace tilewright
