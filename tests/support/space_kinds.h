// Every map-space, as the parameter of a test.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tilewright/mapspace.h"

namespace tilewright::testing {

inline constexpr std::array<SpaceKind, 4> kSpaceKinds = {SpaceKind::Perfect, SpaceKind::RubyS,
                                                         SpaceKind::RubyT, SpaceKind::Ruby};

// Without hyphens, which names of tests may not have.
inline std::string name_of_space(const ::testing::TestParamInfo<SpaceKind>& kind) {
  std::string name = to_string(kind.param);
  std::erase(name, '-');
  return name;
}

}  // namespace tilewright::testing
