#include "certificate/exact.h"

#include <gtest/gtest.h>

#include <limits>

#include "certificate/parts.h"

namespace tilewright::certificate {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

TEST(Count, IsANumber) {
  Count count = 6;
  count *= 7;
  EXPECT_EQ(count, 42);
  EXPECT_EQ(2 * count + 3 * count, 210);
  EXPECT_EQ(count + 1, 43);
  count -= 2;
  EXPECT_EQ(std::int64_t{count} / 4, 10);
  EXPECT_EQ(Count(kLargest) * 1, kLargest);
}

TEST(Count, RefusesToOverflow) {
  Count half = std::int64_t{1} << 62;
  EXPECT_THROW(half *= 2, Unverifiable);
  EXPECT_THROW(Count(std::int64_t{1} << 32) * Count(std::int64_t{1} << 32), Unverifiable);
  EXPECT_THROW(Count(kLargest) + 1, Unverifiable);
  EXPECT_THROW(1 + Count(kLargest), Unverifiable);
  EXPECT_THROW((std::int64_t{1} << 33) * Count(std::int64_t{1} << 33), Unverifiable);
  Count least = std::numeric_limits<std::int64_t>::min();
  EXPECT_THROW(least -= 1, Unverifiable);
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
