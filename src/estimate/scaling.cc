#include <array>
#include <cmath>

#include "tilewright/estimate.h"

namespace tilewright {
namespace {

// Energy of switching as a polynomial of the supply, a V^2 + b V + c. A. Stillmaker, B. Baas:
// Scaling equations for the accurate prediction of CMOS device performance from 180 nm to 7 nm,
// Integration 58 (2017), as the scaling tables of hwcomponents (Accelergy) have them.
struct Switching {
  double nm, a, b, c;
};
constexpr std::array<Switching, 8> kSwitching = {{{7, 0.1776, -0.09097, 0.02447},
                                                  {10, 0.2068, -0.09311, 0.02375},
                                                  {14, 0.2363, -0.09675, 0.02239},
                                                  {16, 0.2958, -0.1241, 0.03024},
                                                  {20, 0.373, -0.1582, 0.04104},
                                                  {32, 0.9559, -0.7823, 0.471},
                                                  {45, 1.103, -0.362, 0.2767},
                                                  {65, 3.755, -4.398, 1.975}}};

double switching(const Switching& row, double volts) {
  return row.a * volts * volts + row.b * volts + row.c;
}

// Between two nodes, energies follow a power of the node.
double switching_at(double nm, double volts) {
  std::size_t upper = 1;
  while (upper + 1 < kSwitching.size() && kSwitching[upper].nm < nm) ++upper;
  const Switching& low = kSwitching[upper - 1];
  const Switching& high = kSwitching[upper];
  const double share = std::log(nm / low.nm) / std::log(high.nm / low.nm);
  return std::exp((1 - share) * std::log(switching(low, volts)) +
                  share * std::log(switching(high, volts)));
}

}  // namespace

double energy_scale(double from_nm, double from_volts, double to_nm, double to_volts) {
  return switching_at(to_nm, to_volts) / switching_at(from_nm, from_volts);
}

}  // namespace tilewright
