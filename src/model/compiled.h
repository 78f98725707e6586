// What compiling a problem leaves: flat tables that evaluation reads.
#pragma once

#include <array>
#include <cstdint>

#include "mapping/flat_problem.h"
#include "tilewright/model.h"

namespace tilewright::model {

// A capacity that tiles share, and what a word of each tensor takes of it.
struct PlainRoom {
  bool plain = false;
  std::int64_t amount = 0;
  std::array<std::int64_t, kMaxTensors> unit{};
};

struct Compiled : FlatProblem {
  explicit Compiled(const Problem& p);

  Problem problem;
  bool any_network = false;                        // some fan-out charges for words
  bool any_leakage = false;                        // some memory takes energy in every cycle
  std::array<std::uint32_t, kMaxDims> partners{};  // dimensions met in a window of any tensor
  // Dimensions that are counted by digits in every mapping: those of windows that share halos.
  std::uint32_t by_digits = 0;
  std::array<int, kMaxSlots> memory_at{};  // the memory whose slot it is, or -1
  double area_um2 = 0;
  // For PerfectCounter, which leaves out what is rare: counts of 128 bits, systolic arrays,
  // memories in several storage points, shared halos and outputs with windows.
  bool may_count_simply() const { return !wide && simple_; }
  std::array<PlainRoom, kMaxMemories> rooms{};
  std::array<std::int64_t, kMaxTensors> whole{};  // elements of each tensor, where it counts

 private:
  void prepare_simple_counts();

  bool simple_ = false;
};

}  // namespace tilewright::model
