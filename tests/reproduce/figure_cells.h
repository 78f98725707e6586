// Reading the cells of a figure by their headings.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "reproduce/figure.h"

namespace tilewright::reproduce {

inline std::string cell(const Figure& figure, std::size_t row, const std::string& heading) {
  const auto found = std::find(figure.headings.begin(), figure.headings.end(), heading);
  if (found == figure.headings.end()) return "no heading " + heading;
  return figure.rows[row][static_cast<std::size_t>(found - figure.headings.begin())];
}

inline double number(const Figure& figure, std::size_t row, const std::string& heading) {
  return std::strtod(cell(figure, row, heading).c_str(), nullptr);
}

inline void expect_rectangular(const Figure& figure) {
  EXPECT_THAT(figure.rows, ::testing::Each(::testing::SizeIs(figure.headings.size())));
}

}  // namespace tilewright::reproduce
