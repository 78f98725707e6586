// How the reports on flexion write numbers.
#pragma once

#include <string>

#include "tilewright/flexibility.h"

namespace tilewright::report {

// "0.2222", "1.2e-07"
std::string flexion_share(double share);
// A count that may be a mean: "720", "26.15", "1.79e+14"
std::string mean_count(double count);
// What an axis counts: "orders". Tiles count two things.
std::string choices_of(TopsAxis axis);

}  // namespace tilewright::report
