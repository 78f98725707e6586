// What compiling a problem leaves: flat tables that evaluation reads.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "tilewright/model.h"
#include "workload/window.h"

namespace tilewright::model {

struct TensorTable {
  bool output = false;
  std::uint32_t relevant = 0;  // bit per dimension
  std::uint32_t alone = 0;     // relevant ones that are in no window
  std::vector<Window> windows;
};

struct MemoryTable {
  int slot = 0;
  int fanouts_outside = 0;
  LevelId level{};
  std::int64_t block = 1;
  double read_pj = 0, write_pj = 0, update_pj = 0, leakage_pj = 0;
  std::optional<Rational> read_bandwidth, write_bandwidth, shared_bandwidth;
  bool limited = false;  // any bandwidth given
  bool in_place = false;
  std::int64_t physical_instances = 1;
  Room room;
};

struct FanoutTable {
  LevelId level{};
  int slot = 0;  // of its Y axis; X is the next one
  std::int64_t size_x = 1, size_y = 1;
  bool multicast = true, reduction = true;
  double word_pj = 0;
};

struct Compiled {
  explicit Compiled(const Problem& p) : problem(p) {}

  Problem problem;
  bool bounding_boxes = false;  // tiles count as boxes, holes included
  bool leak_all = false;        // instances that take no part leak, too
  bool any_network = false;     // some fan-out charges for words
  int dims = 0, tensors = 0, memories = 0, fanouts = 0, slots = 0;
  std::array<std::int64_t, kMaxDims> size{};
  std::array<std::uint32_t, kMaxDims> partners{};  // dimensions met in a window of any tensor
  std::uint32_t spatial_slots = 0;                 // bit per slot
  std::array<int, kMaxSlots> memory_at{};          // the memory whose slot it is, or -1
  std::vector<TensorTable> tensor;
  std::vector<MemoryTable> memory;  // and a last row that stands for the compute level
  std::vector<FanoutTable> fanout;
  std::int64_t macs = 0;
  std::int64_t compute_macs = 1, compute_cycles = 1;
  std::int64_t compute_instances = 1;  // that there are
  double mac_pj = 0;
  double area_um2 = 0;
};

}  // namespace tilewright::model
