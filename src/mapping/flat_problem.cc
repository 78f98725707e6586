#include "mapping/flat_problem.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "mapping/prices.h"

namespace tilewright {

namespace {

FlatMemory flat_memory(const Problem& problem, MemoryId id) {
  const Memory& memory = problem.memory(id);
  FlatMemory flat;
  flat.slot = problem.use(id).slot;
  for (int s = 0; s < flat.slot; ++s) {
    const bool fanout = problem.slots()[at(s)].kind == SlotKind::SpatialY;
    flat.fanouts_outside += fanout ? 1 : 0;
  }
  flat.level = problem.use(id).level;
  flat.block = memory.block_words;
  flat.leakage_pj = memory.leakage_pj_per_cycle;
  flat.read_bandwidth = memory.read_bandwidth;
  flat.write_bandwidth = memory.write_bandwidth;
  flat.shared_bandwidth = memory.shared_bandwidth;
  flat.limited = memory.read_bandwidth || memory.write_bandwidth || memory.shared_bandwidth;
  flat.in_place = memory.accumulates_in_place;
  flat.physical_instances = physical_instances(problem.arch(), flat.level);
  flat.room = room_of(problem, id);
  return flat;
}

FlatPrices flat_prices(const Problem& problem, MemoryId id) {
  FlatPrices flat;
  const Workload& workload = problem.workload();
  for (int t = 0; t < workload.tensor_count(); ++t) {
    const AccessPrices price = prices_of(problem.memory(id), workload.tensor(TensorId{t}));
    flat.read_pj[at(t)] = price.read_pj;
    flat.write_pj[at(t)] = price.write_pj;
    flat.update_pj[at(t)] = price.update_pj;
  }
  return flat;
}

// Takes rooms and bandwidths from the storage points of a memory, for the memory as a whole.
std::vector<SharedMemory> take_shared(const Problem& problem, std::vector<FlatMemory>& memories) {
  std::vector<SharedMemory> all;
  const std::string* before = nullptr;  // the memory that the level outside is a point of
  for (int m = 0; m < problem.memory_count(); ++m) {
    const std::string& name = problem.memory(MemoryId{m}).point_of;
    if (!name.empty() && (before == nullptr || *before != name)) {
      all.push_back({m, m, memories[at(m)]});
    }
    before = &name;
    if (name.empty()) continue;
    all.back().end = m + 1;
    FlatMemory& point = memories[at(m)];
    point.room.bounded = false;
    point.read_bandwidth = point.write_bandwidth = point.shared_bandwidth = std::nullopt;
  }
  return all;
}

FlatTensor flat_tensor(TensorParts parts, bool output, bool halos) {
  FlatTensor flat{std::move(parts), output, 0};
  flat.relevant = flat.alone;
  for (const Window& window : flat.windows) flat.relevant |= window.dim_bits();
  flat.shares_halos = halos && !output && !flat.windows.empty();
  return flat;
}

// Cycles that a word, a step or a change of a tile that stands still takes at most.
Int128 slowest(const FlatProblem& c) {
  std::int64_t most = c.compute_cycles;
  const auto wait_for = [&](const FlatMemory& memory) {
    for (const auto& bandwidth :
         {memory.read_bandwidth, memory.write_bandwidth, memory.shared_bandwidth}) {
      if (bandwidth) most = std::max(most, ceil_div(bandwidth->denominator, bandwidth->numerator));
    }
  };
  for (const FlatMemory& memory : c.memory) wait_for(memory);
  for (const SharedMemory& shared : c.shared) wait_for(shared.whole);
  const Int128 changing = c.systolic ? Int128{c.systolic->cycles_per_change()} : 0;
  return most + changing;
}

}  // namespace

FlatProblem::FlatProblem(const Problem& problem, const Workload& workload)
    : bounding_boxes(problem.arch().accounting == Accounting::Timeloop),
      reads_first_sums(problem.arch().reads_first_sums),
      leak_all(problem.arch().leaking == LeakingInstances::All),
      dims(workload.dim_count()),
      tensors(workload.tensor_count()),
      memories(problem.memory_count()),
      slots(problem.slot_count()),
      systolic(problem.systolic()) {
  for (int d = 0; d < dims; ++d) size[at(d)] = workload.dim(DimId{d}).size;
  bool halos = false;
  for (int s = 0; s < slots; ++s) {
    const Slot& slot = problem.slots()[at(s)];
    if (!slot.is_temporal()) spatial_slots |= 1U << s;
    if (slot.kind != SlotKind::SpatialY) continue;
    const auto& level = std::get<Fanout>(problem.arch().level(slot.level));
    fanout.push_back({slot.level, s, level.x.size, level.y.size, level.multicast, level.reduction,
                      level.word_pj, level.shares_halos});
    halos = halos || level.shares_halos;
  }
  fanouts = static_cast<int>(fanout.size());
  for (int m = 0; m < memories; ++m) {
    memory.push_back(flat_memory(problem, MemoryId{m}));
    prices.push_back(flat_prices(problem, MemoryId{m}));
  }
  shared = take_shared(problem, memory);
  memory.emplace_back();
  memory.back().slot = slots;
  memory.back().fanouts_outside = fanouts;
  for (int t = 0; t < tensors; ++t) {
    auto parts = split_tensor(workload, workload.tensor(TensorId{t}), bounding_boxes);
    if (!parts) uncountable.push_back(TensorId{t});
    tensor.push_back(flat_tensor(parts ? std::move(*parts) : TensorParts{},
                                 TensorId{t} == workload.output(), halos));
  }
  const Compute& compute = problem.arch().compute();
  macs = multiply_accumulates(workload);
  compute_macs = compute.macs;
  compute_cycles = compute.cycles;
  compute_instances =
      tilewright::physical_instances(problem.arch(), problem.arch().compute_level());
  mac_pj = compute.mac_pj;
  wide = wide_product(largest_count(problem.workload()), slowest(*this)) > kCountLimit;
}

}  // namespace tilewright
