// Memories that stand as several storage points share one room and one set of ports.
#include <algorithm>

#include "model/counts.h"
#include "model/link.h"

namespace tilewright::model {
namespace {

// The point of a shared memory that keeps a tensor.
int point_with(const LoopLayout& layout, const SharedMemory& shared, int tensor) {
  int point = shared.first;
  while (!layout.mapping().keeps(MemoryId{point}, TensorId{tensor})) ++point;
  return point;
}

// One tile, as large as it is at its own point; of a home all that it ever serves.
std::int64_t words_at_point(const LoopLayout& layout, int tensor, int point) {
  const Compiled& c = layout.compiled();
  const bool home = point > 0 && !contains(layout.kept_outside(point), tensor);
  if (home && !c.bounding_boxes) return footprint(layout, tensor, point).busiest;
  return tile_words(layout, tensor, c.memory[at(point)].slot);
}

// What the ports of the busiest instance carry for all points.
Traffic words_of(const LoopLayout& layout, const Counts& counts, const SharedMemory& shared) {
  Traffic all;
  for (int m = shared.first; m < shared.end; ++m) {
    for (const int tensor : members(layout.mapping().kept(MemoryId{m}))) {
      const PortWords& one = counts.busiest[at(m)][at(tensor)];
      all.reads += one.reads;
      all.fills += one.fills;
      all.updates += one.updates;
    }
  }
  return all;
}

PortCycles cycles_at(const FlatMemory& memory, std::int64_t reads, std::int64_t writes) {
  const auto cycles = [](std::int64_t words, const std::optional<Rational>& bandwidth) {
    return bandwidth ? cycles_for(words, *bandwidth) : 0;
  };
  return {cycles(reads, memory.read_bandwidth), cycles(writes, memory.write_bandwidth),
          cycles(reads + writes, memory.shared_bandwidth)};
}

}  // namespace

std::vector<Verdict> shared_misfits(const LoopLayout& layout) {
  std::vector<Verdict> misfits;
  for (const SharedMemory& shared : layout.compiled().shared) {
    std::uint32_t kept = 0;
    for (int m = shared.first; m < shared.end; ++m) kept |= layout.mapping().kept(MemoryId{m});
    const auto words = [&](int tensor) {
      return words_at_point(layout, tensor, point_with(layout, shared, tensor));
    };
    check_room(shared.whole.room, kept, words, [&](const Overflow& overflow) {
      const auto kind = overflow.of_partition ? Verdict::Kind::PartitionExceeded
                                              : Verdict::Kind::CapacityExceeded;
      misfits.push_back(
          {kind, shared.whole.level, overflow.tensor, {}, overflow.needed, overflow.available});
    });
  }
  return misfits;
}

std::int64_t port_limit(const FlatMemory& memory, std::int64_t reads, std::int64_t writes) {
  const PortCycles ports = cycles_at(memory, reads, writes);
  return std::max({ports.read, ports.write, ports.shared});
}

std::int64_t wait_for_shared(const LoopLayout& layout, const Counts& counts, std::int64_t cycles) {
  for (const SharedMemory& shared : layout.compiled().shared) {
    if (!shared.whole.limited) continue;
    const Traffic all = words_of(layout, counts, shared);
    cycles = std::max(cycles, port_limit(shared.whole, all.reads, all.fills + all.updates));
  }
  return cycles;
}

PortCycles port_cycles(const LoopLayout& layout, const Counts& counts, const SharedMemory& shared) {
  const Traffic all = words_of(layout, counts, shared);
  return cycles_at(shared.whole, all.reads, all.fills + all.updates);
}

const FlatMemory& ports_at(const Compiled& compiled, int memory) {
  for (const SharedMemory& shared : compiled.shared) {
    if (shared.first == memory) return shared.whole;
  }
  return compiled.memory[at(memory)];
}

}  // namespace tilewright::model
