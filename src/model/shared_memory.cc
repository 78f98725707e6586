// Memories that stand as several storage points share one room and one set of ports.
#include <algorithm>

#include "model/counts.h"
#include "model/link.h"

namespace tilewright::model {
namespace {

// The point of a shared memory that keeps a tensor.
template <typename Number>
int point_with(const LoopLayout<Number>& layout, const SharedMemory& shared, int tensor) {
  int point = shared.first;
  while (!layout.mapping().keeps(MemoryId{point}, TensorId{tensor})) ++point;
  return point;
}

// One tile, as large as it is at its own point; of a home all that it ever serves.
template <typename Number>
Number words_at_point(const LoopLayout<Number>& layout, int tensor, int point) {
  const Compiled& c = layout.compiled();
  const bool home = point > 0 && !contains(layout.kept_outside(point), tensor);
  if (home && !c.bounding_boxes) return footprint(layout, tensor, point).busiest;
  return tile_words(layout, tensor, c.memory[at(point)].slot);
}

// What the ports of the busiest instance carry for all points.
template <typename Number>
PortWords<Number> words_of(const LoopLayout<Number>& layout, const Counts<Number>& counts,
                           const SharedMemory& shared) {
  PortWords<Number> all{};
  for (int m = shared.first; m < shared.end; ++m) {
    for (const int tensor : members(layout.mapping().kept(MemoryId{m}))) {
      const PortWords<Number>& one = counts.busiest[at(m)][at(tensor)];
      all.reads += one.reads;
      all.fills += one.fills;
      all.updates += one.updates;
    }
  }
  return all;
}

template <typename Number>
PortCycles<Number> cycles_at(const FlatMemory& memory, Number reads, Number writes) {
  const auto cycles = [](Number words, const std::optional<Rational>& bandwidth) {
    return bandwidth ? cycles_for(words, *bandwidth) : Number{0};
  };
  return {cycles(reads, memory.read_bandwidth), cycles(writes, memory.write_bandwidth),
          cycles(reads + writes, memory.shared_bandwidth)};
}

}  // namespace

template <typename Number>
std::vector<Verdict> shared_misfits(const LoopLayout<Number>& layout) {
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

template <typename Number>
Number port_limit(const FlatMemory& memory, Number reads, Number writes) {
  const PortCycles<Number> ports = cycles_at(memory, reads, writes);
  return std::max({ports.read, ports.write, ports.shared});
}

template <typename Number>
Number wait_for_shared(const LoopLayout<Number>& layout, const Counts<Number>& counts,
                       Number cycles) {
  for (const SharedMemory& shared : layout.compiled().shared) {
    if (!shared.whole.limited) continue;
    const PortWords<Number> all = words_of(layout, counts, shared);
    cycles = std::max(cycles, port_limit<Number>(shared.whole, all.reads, all.fills + all.updates));
  }
  return cycles;
}

template <typename Number>
PortCycles<Number> port_cycles(const LoopLayout<Number>& layout, const Counts<Number>& counts,
                               const SharedMemory& shared) {
  const PortWords<Number> all = words_of(layout, counts, shared);
  return cycles_at<Number>(shared.whole, all.reads, all.fills + all.updates);
}

const FlatMemory& ports_at(const Compiled& compiled, int memory) {
  for (const SharedMemory& shared : compiled.shared) {
    if (shared.first == memory) return shared.whole;
  }
  return compiled.memory[at(memory)];
}

template std::vector<Verdict> shared_misfits(const LoopLayout<std::int64_t>&);
template std::vector<Verdict> shared_misfits(const LoopLayout<Int128>&);
template std::int64_t port_limit(const FlatMemory&, std::int64_t, std::int64_t);
template Int128 port_limit(const FlatMemory&, Int128, Int128);
template std::int64_t wait_for_shared(const LoopLayout<std::int64_t>&, const Counts<std::int64_t>&,
                                      std::int64_t);
template Int128 wait_for_shared(const LoopLayout<Int128>&, const Counts<Int128>&, Int128);
template PortCycles<std::int64_t> port_cycles(const LoopLayout<std::int64_t>&,
                                              const Counts<std::int64_t>&, const SharedMemory&);
template PortCycles<Int128> port_cycles(const LoopLayout<Int128>&, const Counts<Int128>&,
                                        const SharedMemory&);

}  // namespace tilewright::model
