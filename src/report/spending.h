// What energy is spent on, in words, for the explanations of a mapping and of a
// network.
#pragma once

#include <string>
#include <vector>

#include "tilewright/report.h"

namespace tilewright::report {

// One way in which energy is spent.
struct Spending {
  double pj = 0;
  std::string what;    // "reading W from DRAM"
  std::string detail;  // "14,336 words, 3.5 for each of its 4,096 elements"; may be empty
};
std::vector<Spending> spendings(const Result& result);

// The total and a line each, the largest first, until nearly all of the total is named.
std::string energy_paragraph(std::vector<Spending> all, double total_pj);

}  // namespace tilewright::report
