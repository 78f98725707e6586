#include "mapspace/resource.h"

#include <gtest/gtest.h>

#include <utility>

#include "tilewright/base.h"

namespace tilewright::mapspace {
namespace {

// least and most
const std::vector<std::pair<std::int64_t, std::int64_t>> kLimits = {
    {1, 1}, {1, 2},  {1, 7},   {1, 64},  {1, 97}, {2, 2},
    {3, 9}, {7, 12}, {48, 60}, {64, 64}, {50, 97}};

TEST(Resource, ProductsOfOneClassLeaveTheSameRoomAndMissTheSame) {
  for (const auto& [least, most] : kLimits) {
    const Resource resource(least, most, 1);
    for (std::int64_t p = 1; p < most; ++p) {
      const bool same = most / p == most / (p + 1) && ceil_div(least, p) == ceil_div(least, p + 1);
      EXPECT_EQ(resource.class_of(p) == resource.class_of(p + 1), same)
          << least << ".." << most << " at " << p;
    }
  }
}

TEST(Resource, ClassesAreNumberedFromTheProductOneAndHaveALastProduct) {
  for (const auto& [least, most] : kLimits) {
    const Resource resource(least, most, 1);
    EXPECT_EQ(resource.class_of(1), 0);
    for (std::int64_t p = 1; p <= most; ++p) {
      const int a_class = resource.class_of(p);
      ASSERT_GE(a_class, 0);
      ASSERT_LT(a_class, resource.class_count());
      const bool is_last = p == most || resource.class_of(p + 1) != a_class;
      EXPECT_EQ(resource.last_of(a_class) == p, is_last) << least << ".." << most << " at " << p;
    }
    EXPECT_EQ(resource.class_of(most + 1), -1);
  }
}

TEST(Resource, ClassOfAProductFollowsFromTheClassesOfItsFactors) {
  for (const auto& [least, most] : kLimits) {
    const Resource resource(least, most, 1);
    for (std::int64_t a = 1; a <= most; ++a) {
      for (std::int64_t b = 1; b <= most; ++b) {
        ASSERT_EQ(resource.combined(resource.class_of(a), resource.class_of(b)),
                  resource.class_of(a * b))
            << least << ".." << most << " at " << a << " * " << b;
      }
    }
  }
}

TEST(Resource, IsEnoughFromTheLeastProductOn) {
  for (const auto& [least, most] : kLimits) {
    const Resource resource(least, most, 1);
    for (std::int64_t p = 1; p <= most; ++p) {
      EXPECT_EQ(resource.is_enough(resource.class_of(p)), p >= least)
          << least << ".." << most << " at " << p;
    }
  }
}

TEST(Resource, HasFewClasses) {
  // Quotients of 10 000: the 100 smallest divisors, and the 100 quotients that they leave.
  EXPECT_EQ(Resource(1, 10'000, 1).class_count(), 199);
}

}  // namespace
}  // namespace tilewright::mapspace
