#include "base/deadline.h"

#include <gtest/gtest.h>

namespace tilewright {
namespace {

TEST(Deadline, WithoutALimitItNeverPasses) {
  const std::atomic<bool> cancelled{false};
  const Deadline deadline(std::nullopt, &cancelled);
  EXPECT_FALSE(deadline.has_passed());
  EXPECT_FALSE(deadline.is_out_of_time());
  EXPECT_FALSE(deadline.is_cancelled());
  EXPECT_NO_THROW(deadline.check());
  EXPECT_GE(deadline.seconds(), 0);
}

TEST(Deadline, PassesWithTime) {
  const Deadline now(0.0);
  EXPECT_TRUE(now.is_out_of_time());
  EXPECT_TRUE(now.has_passed());
  EXPECT_FALSE(now.is_cancelled());
  EXPECT_THROW(now.check(), Expired);
  EXPECT_FALSE(Deadline(1e9).has_passed());
}

TEST(Deadline, PassesWhenTheUserCancels) {
  std::atomic<bool> cancelled{false};
  const Deadline deadline(1e9, &cancelled);
  cancelled = true;
  EXPECT_TRUE(deadline.is_cancelled());
  EXPECT_TRUE(deadline.has_passed());
  EXPECT_FALSE(deadline.is_out_of_time());
  EXPECT_THROW(deadline.check(), Expired);
}

TEST(Deadline, PassesWhenItIsCancelled) {
  Deadline deadline(std::nullopt);
  deadline.cancel();
  EXPECT_TRUE(deadline.is_cancelled());
  EXPECT_THROW(deadline.check(), Expired);
}

}  // namespace
}  // namespace tilewright
