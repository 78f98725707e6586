// A problem in flat tables, which the model and the mappers share.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "mapping/room.h"
#include "tilewright/mapping.h"
#include "workload/window.h"

namespace tilewright {

struct FlatTensor : TensorParts {
  bool output = false;
  std::uint32_t relevant = 0;  // bit per dimension
  bool shares_halos = false;   // it has windows, and some fan-out shares what they have in common
};

struct FlatMemory {
  int slot = 0;
  int fanouts_outside = 0;
  LevelId level{};
  std::int64_t block = 1;
  double leakage_pj = 0;
  std::optional<Rational> read_bandwidth, write_bandwidth, shared_bandwidth;
  bool limited = false;  // any bandwidth given
  bool in_place = false;
  std::int64_t physical_instances = 1;
  Room room;
};

// What an access of a memory costs, by tensor.
struct FlatPrices {
  std::array<double, kMaxTensors> read_pj{}, write_pj{}, update_pj{};
};

// Consecutive storage points of one memory. Their own rows have neither room nor bandwidths,
// for these are those of all of them together.
struct SharedMemory {
  int first = 0, end = 0;  // memories
  FlatMemory whole;        // with the room and the bandwidths
};

struct FlatFanout {
  LevelId level{};
  int slot = 0;  // of its Y axis; X is the next one
  std::int64_t size_x = 1, size_y = 1;
  bool multicast = true, reduction = true;
  double word_pj = 0;
  bool shares_halos = false;
};

struct FlatProblem {
  explicit FlatProblem(const Problem& problem) : FlatProblem(problem, problem.workload()) {}
  // The workload is the problem's, maybe with its dimensions in another order and without
  // those of size 1.
  FlatProblem(const Problem& problem, const Workload& workload);

  bool bounding_boxes = false;  // tiles count as boxes, holes included
  bool reads_first_sums =
      false;              // what a memory holds of an output is read back at its first visit
  bool leak_all = false;  // instances that take no part leak, too
  int dims = 0, tensors = 0, memories = 0, fanouts = 0, slots = 0;
  std::array<std::int64_t, kMaxDims> size{};
  std::uint32_t spatial_slots = 0;  // bit per slot
  std::vector<FlatTensor> tensor;
  std::vector<FlatMemory> memory;    // and a last row that stands for the compute level
  std::vector<FlatPrices> prices;    // by memory
  std::vector<SharedMemory> shared;  // that stand as storage points
  std::vector<FlatFanout> fanout;
  std::optional<SystolicArray> systolic;
  Int128 macs = 0;
  std::int64_t compute_macs = 1, compute_cycles = 1;
  std::int64_t compute_instances = 1;  // that there are
  double mac_pj = 0;
  bool wide = false;                  // counts may need more than 64 bits
  std::vector<TensorId> uncountable;  // their index expressions are beyond the closed forms
};

}  // namespace tilewright
