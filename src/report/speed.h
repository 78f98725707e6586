// What a clock makes of cycles: seconds, watts, operations per second. Used by the text and the
// JSON of results; without a clock there is nothing to say.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tilewright/report.h"

namespace tilewright::report {

// A multiply-accumulate is two operations, as data sheets count.
inline constexpr double kOperationsPerMac = 2;

struct Speed {
  std::int64_t clock_hz = 0;
  double seconds = 0;
  double watts = 0;
  double useful_tops = 0;         // of the workload as it was given
  double peak_tops = 0;           // of all multipliers
  double tops_per_watt = 0;       // useful; 0 where nothing takes energy
  double peak_tops_per_watt = 0;  // the same at peak, if the power were what it is
  double joule_seconds = 0;
};
// Nothing without a clock.
std::optional<Speed> speed_of(const Architecture& arch, Int128 useful_macs, const Score& score);
inline std::optional<Speed> speed_of(const Result& result) {
  const Int128 macs = result.useful_macs == 0 ? result.evaluation.macs : result.useful_macs;
  return speed_of(result.problem.arch(), macs, result.evaluation.score);
}

// Multiply-accumulates if no multiplier ever waits.
double peak_macs_per_cycle(const Architecture& arch);

// What a memory moves, and how much of the work that allows; with and without a clock.
struct MemoryRate {
  LevelId level{};
  double bytes = 0;                       // that cross its ports, at the tensors' widths
  std::optional<double> bytes_per_cycle;  // nothing, here and below, if its bandwidth has no limit
  std::optional<double> macs_per_byte;    // nothing if it moves no byte
  std::optional<double> macs_per_cycle;
};
std::vector<MemoryRate> rates_of(const Result& result);

// One memory's roof: how fast its ports would let the multipliers work.
struct MemoryRoof {
  LevelId level{};
  double bytes = 0;                           // that cross its ports, at the tensors' widths
  std::optional<double> operations_per_byte;  // nothing if it moves no byte
  std::optional<double> tops;                 // nothing if its bandwidth has no limit
};
std::vector<MemoryRoof> roofs_of(const Result& result, const Speed& speed);

std::string seconds_text(double seconds);  // "1.25 ms"
std::string watts_text(double watts);      // "278 mW"
std::string tops_text(double tops);        // "67.2 GOPS"
std::string clock_text(std::int64_t hz);   // "200 MHz"

// Lines for the totals of one mapping, and of a network; empty without a clock.
std::string speed_lines(const Result& result);
std::string network_speed_lines(const Architecture& arch, Int128 macs, const Score& total);

}  // namespace tilewright::report
