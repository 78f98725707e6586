#include "certificate/exact.h"

#include <gtest/gtest.h>

#include <limits>

#include "certificate/parts.h"

namespace tilewright::certificate {
namespace {

constexpr Int128 kLargest = ~(Int128{1} << 127U);

TEST(Count, IsANumber) {
  Count count = 6;
  count *= 7;
  EXPECT_EQ(count, 42);
  EXPECT_EQ(2 * count + 3 * count, 210);
  EXPECT_EQ(count + 1, 43);
  count -= 2;
  EXPECT_EQ(Int128{count} / 4, 10);
  EXPECT_EQ(Count(kLargest) * 1, kLargest);
  EXPECT_EQ(narrow(count), 40);
}

TEST(Count, RefusesToOverflow) {
  Count half = Int128{1} << 126U;
  EXPECT_THROW(half *= 2, Unverifiable);
  EXPECT_THROW(Count(Int128{1} << 64U) * Count(Int128{1} << 64U), Unverifiable);
  EXPECT_THROW(Count(kLargest) + 1, Unverifiable);
  EXPECT_THROW(1 + Count(kLargest), Unverifiable);
  EXPECT_THROW((std::int64_t{1} << 62U) * Count(Int128{1} << 66U), Unverifiable);
  Count least = -kLargest - 1;
  EXPECT_THROW(least -= 1, Unverifiable);
  EXPECT_THROW(narrow(Int128{1} << 62U), Unverifiable);
}

TEST(Window, DoesNotWrapAround) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 40;
  const Window box({0, 1}, {{kLarge, 1}}, true);
  EXPECT_EQ(box.size({3, 2}), 2 * kLarge + 2);
  EXPECT_THROW(box.size({kLarge, 2}), Unverifiable);
  const Window boxes({0, 1}, {{kLarge, 1}, {1, kLarge}}, true);
  EXPECT_THROW(boxes.size({2, 2}), Unverifiable);
  const Window apart({0, 1}, {{kLarge, 1}}, false);
  EXPECT_THROW(apart.size({kLarge, kLarge - 1}), Unverifiable);
}

}  // namespace
}  // namespace tilewright::certificate
