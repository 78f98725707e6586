// Which orders are of one class, and how many classes there are.
#include <gtest/gtest.h>

#include <map>

#include "support/loop_orders.h"
#include "support/problems.h"
#include "support/random_problem.h"
#include "support/slow_build.h"

namespace tilewright::testing {
namespace {

// Windows that overlap in both directions.
constexpr Conv2d kConv{
    .batch = 2, .in_channels = 4, .out_channels = 4, .p = 6, .q = 6, .r = 3, .s = 3};

Workload transposed_conv() {
  Conv2d conv = kConv;
  conv.transposed = true;
  return make_conv2d("transposed", conv);
}

std::uint32_t all_dims(const Workload& workload) { return (1U << workload.dim_count()) - 1U; }

std::uint32_t bit(const Workload& workload, const char* dim) {
  return 1U << index_of(workload.find_dim(dim).value());
}

std::uint32_t dims_without_batch(const Workload& workload) {
  return all_dims(workload) & ~bit(workload, "N");
}

std::size_t count_classes(const Workload& workload, std::uint32_t dims) {
  return order_classes(dims, reuse_of(workload)).size();
}

std::vector<TensorReuse> without_halo(std::vector<TensorReuse> tensors) {
  for (TensorReuse& tensor : tensors) tensor.sliding = 0;
  return tensors;
}

std::vector<DimId> list_of(std::uint32_t dims) {
  std::vector<DimId> list;
  for (int d = 0; d < kMaxDims; ++d) {
    if (((dims >> d) & 1U) != 0) list.push_back(DimId{d});
  }
  return list;
}

// Sorts all orders by the definition and compares; gives the number of classes.
std::size_t check_by_trying_all(std::uint32_t dims, const std::vector<TensorReuse>& tensors) {
  std::map<ReuseKey, std::uint64_t> orders_by_key;
  const std::vector<LoopOrder> orders = all_orders(list_of(dims));
  for (const LoopOrder& order : orders) ++orders_by_key[reuse_key(order, tensors)];
  std::uint64_t sum = 0;
  for (const OrderClass& one : order_classes(dims, tensors)) {
    std::uint32_t outside = dims;
    for (const DimId dim : one.innermost_first) outside &= ~(1U << index_of(dim));
    LoopOrder member = one.innermost_first;
    const std::vector<DimId> rest = list_of(outside);
    member.insert(member.end(), rest.begin(), rest.end());
    const auto known = orders_by_key.find(reuse_key(member, tensors));
    if (known == orders_by_key.end()) {
      ADD_FAILURE() << "two classes have the same key, or one is of no order";
      continue;
    }
    EXPECT_EQ(one.orders, known->second);
    sum += one.orders;
    orders_by_key.erase(known);
  }
  EXPECT_TRUE(orders_by_key.empty()) << orders_by_key.size() << " classes are missing";
  EXPECT_EQ(sum, orders.size());
  return order_classes(dims, tensors).size();
}

// --- how many -------------------------------------------------------------------

// Our own count by QuickFlow's definition; the paper says "no more than 26" for
// the first one.
TEST(OrderClasses, AreFewForConvolutionsAndProducts) {
  const Workload conv = make_conv2d("conv", kConv);
  EXPECT_EQ(count_classes(conv, dims_without_batch(conv)), 21U);
  EXPECT_EQ(count_classes(conv, all_dims(conv)), 29U);
  EXPECT_EQ(count_classes(transposed_conv(), dims_without_batch(transposed_conv())), 21U);
  const Workload gemm = make_gemm("gemm", 4, 4, 4);
  EXPECT_EQ(count_classes(gemm, all_dims(gemm)), 3U);
}

TEST(OrderClasses, AreFewerWhereNoHaloIsReused) {
  const Workload conv = make_conv2d("conv", kConv);
  const auto classes = order_classes(dims_without_batch(conv), without_halo(reuse_of(conv)));
  EXPECT_EQ(classes.size(), 11U);
}

TEST(OrderClasses, AreOneWithoutLoopsOrTensors) {
  const Workload conv = make_conv2d("conv", kConv);
  const auto no_loops = order_classes(0, reuse_of(conv));
  ASSERT_EQ(no_loops.size(), 1U);
  EXPECT_EQ(no_loops[0].orders, 1U);
  const auto no_tensors = order_classes(all_dims(conv), {});
  ASSERT_EQ(no_tensors.size(), 1U);
  EXPECT_EQ(no_tensors[0].orders, 5040U);
  EXPECT_TRUE(no_tensors[0].innermost_first.empty());
}

// --- which ------------------------------------------------------------------------

TEST(OrderClasses, AreThoseOfTheDefinition) {
  const Workload conv = make_conv2d("conv", kConv);
  EXPECT_EQ(check_by_trying_all(dims_without_batch(conv), reuse_of(conv)), 21U);
  EXPECT_EQ(check_by_trying_all(dims_without_batch(conv), without_halo(reuse_of(conv))), 11U);
  const Workload transposed = transposed_conv();
  EXPECT_EQ(check_by_trying_all(dims_without_batch(transposed), reuse_of(transposed)), 21U);
  if (!slow_build()) {
    EXPECT_EQ(check_by_trying_all(all_dims(conv), reuse_of(conv)), 29U);
  }
}

TEST(OrderClasses, AreThoseOfTheDefinitionForAnyTensors) {
  TestRng rng(21);
  for (int i = 0; i < (slow_build() ? 40 : 300); ++i) {
    const auto dims = static_cast<std::uint32_t>(rng.between(0, 63));
    std::vector<TensorReuse> tensors(static_cast<std::size_t>(rng.between(0, 4)));
    for (TensorReuse& tensor : tensors) {
      tensor.relevant = static_cast<std::uint32_t>(rng.between(0, 63));
      tensor.sliding = tensor.relevant & static_cast<std::uint32_t>(rng.between(0, 63));
    }
    check_by_trying_all(dims, tensors);
    ASSERT_FALSE(::testing::Test::HasFailure()) << "case " << i;
  }
}

// --- what tensors reuse -------------------------------------------------------------

TEST(ReuseOf, TellsRelevantAndSlidingDimensions) {
  const Workload conv = make_conv2d("conv", kConv);
  const auto bits = [&](const std::vector<const char*>& names) {
    std::uint32_t all = 0;
    for (const char* name : names) all |= bit(conv, name);
    return all;
  };
  const std::vector<TensorReuse> tensors = reuse_of(conv);
  ASSERT_EQ(tensors.size(), 3U);
  EXPECT_EQ(tensors[0].relevant, bits({"N", "C", "P", "Q", "R", "S"}));
  EXPECT_EQ(tensors[0].sliding, bits({"P", "Q", "R", "S"}));
  EXPECT_EQ(tensors[1].relevant, bits({"M", "C", "R", "S"}));
  EXPECT_EQ(tensors[1].sliding, 0U);
  EXPECT_EQ(tensors[2].relevant, bits({"N", "M", "P", "Q"}));
  EXPECT_EQ(tensors[2].sliding, 0U);
}

// Dimensions meet in I[a+b,b], but no two tiles have an element in common.
TEST(ReuseOf, CallsNothingSlidingThatReachesEveryElementOnce) {
  Workload workload;
  workload.dims = {{"A", 4}, {"B", 4}};
  workload.tensors = {{"I", Role::Input, {{{DimId{0}}, {DimId{1}}}, {{DimId{1}}}}, 8},
                      {"J", Role::Input, {{{DimId{0}}, {DimId{1}}}}, 8},
                      {"O", Role::Output, {{{DimId{0}}}}, 8}};
  const std::vector<TensorReuse> tensors = reuse_of(workload);
  EXPECT_EQ(tensors[0].relevant, 3U);
  EXPECT_EQ(tensors[0].sliding, 0U);
  EXPECT_EQ(tensors[1].relevant, 3U);
  EXPECT_EQ(tensors[1].sliding, 3U);
}

}  // namespace
}  // namespace tilewright::testing
