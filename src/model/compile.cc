#include <fmt/format.h>

#include <utility>
#include <variant>

#include "base/bits.h"
#include "model/compiled.h"

namespace tilewright::model {
namespace {

MemoryTable memory_table(const Problem& problem, MemoryId id) {
  const Memory& memory = problem.memory(id);
  MemoryTable table;
  table.slot = problem.use(id).slot;
  for (int s = 0; s < table.slot; ++s) {
    const bool fanout = problem.slots()[at(s)].kind == SlotKind::SpatialY;
    table.fanouts_outside += fanout ? 1 : 0;
  }
  table.level = problem.use(id).level;
  table.block = memory.block_words;
  table.read_pj = memory.read_pj;
  table.write_pj = memory.write_pj;
  table.update_pj = memory.update_pj;
  table.leakage_pj = memory.leakage_pj_per_cycle;
  table.read_bandwidth = memory.read_bandwidth;
  table.write_bandwidth = memory.write_bandwidth;
  table.shared_bandwidth = memory.shared_bandwidth;
  table.limited = memory.read_bandwidth || memory.write_bandwidth || memory.shared_bandwidth;
  table.in_place = memory.accumulates_in_place;
  table.physical_instances = physical_instances(problem.arch(), table.level);
  table.room = room_of(problem, id);
  return table;
}

void add_slots(Compiled& c) {
  c.memory_at.fill(-1);
  for (int m = 0; m < c.memories; ++m) {
    c.memory_at[at(c.problem.use(MemoryId{m}).slot)] = m;
  }
  for (int s = 0; s < c.slots; ++s) {
    const Slot& slot = c.problem.slots()[at(s)];
    if (!slot.is_temporal()) c.spatial_slots |= 1U << s;
    if (slot.kind != SlotKind::SpatialY) continue;
    const auto& fanout = std::get<Fanout>(c.problem.arch().level(slot.level));
    c.fanout.push_back({slot.level, s, fanout.x.size, fanout.y.size, fanout.multicast,
                        fanout.reduction, fanout.word_pj});
    c.any_network = c.any_network || fanout.word_pj > 0;
  }
  c.fanouts = static_cast<int>(c.fanout.size());
}

MemoryTable compute_row(const Compiled& c) {
  MemoryTable table;
  table.slot = c.slots;
  table.fanouts_outside = c.fanouts;
  return table;
}

// False if the tensor's index expressions are beyond the closed forms.
bool add_tensor(Compiled& c, TensorId id) {
  const Tensor& tensor = c.problem.workload().tensor(id);
  auto parts = split_tensor(c.problem.workload(), tensor, c.bounding_boxes);
  if (!parts) return false;
  TensorTable table;
  table.output = id == c.problem.workload().output();
  table.alone = parts->alone;
  table.relevant = parts->alone;
  for (const Window& window : parts->windows) {
    table.relevant |= window.dim_bits();
    for (int i = 0; i < window.dim_count(); ++i) {
      c.partners[at(window.dim(i))] |= window.dim_bits();
    }
  }
  table.windows = std::move(parts->windows);
  c.tensor.push_back(std::move(table));
  return true;
}

// Windows of different tensors may chain dimensions together.
void close_partners(Compiled& c) {
  for (int round = 0; round < c.dims; ++round) {
    for (int d = 0; d < c.dims; ++d) {
      std::uint32_t& partners = c.partners[at(d)];
      for (const int partner : members(partners)) partners |= c.partners[at(partner)];
    }
  }
}

void add_compute(Compiled& c) {
  const Architecture& arch = c.problem.arch();
  const Compute& compute = arch.compute();
  c.compute_macs = compute.macs;
  c.compute_cycles = compute.cycles;
  c.mac_pj = compute.mac_pj;
  c.compute_instances = physical_instances(arch, LevelId{arch.level_count() - 1});
  c.macs = multiply_accumulates(c.problem.workload());
  c.area_um2 = total_area_um2(arch);
}

}  // namespace
}  // namespace tilewright::model

namespace tilewright {

Parsed<Evaluator> Evaluator::compile(const Problem& problem) {
  Parsed<Evaluator> result;
  auto compiled = std::make_shared<model::Compiled>(problem);
  model::Compiled& c = *compiled;
  c.bounding_boxes = problem.arch().accounting == Accounting::Timeloop;
  c.leak_all = problem.arch().leaking == LeakingInstances::All;
  c.dims = problem.dim_count();
  c.tensors = problem.tensor_count();
  c.memories = problem.memory_count();
  c.slots = problem.slot_count();
  for (int d = 0; d < c.dims; ++d) {
    c.size[at(d)] = problem.workload().dim(DimId{d}).size;
    c.partners[at(d)] = 1U << d;
  }
  model::add_slots(c);
  for (int m = 0; m < c.memories; ++m) {
    c.memory.push_back(model::memory_table(problem, MemoryId{m}));
  }
  c.memory.push_back(model::compute_row(c));
  for (int t = 0; t < c.tensors; ++t) {
    if (model::add_tensor(c, TensorId{t})) continue;
    const Tensor& tensor = problem.workload().tensor(TensorId{t});
    result.problems.push_back(
        {{},
         fmt::format("the indices of tensor {} share dimensions in a way that cannot be counted "
                     "in closed form",
                     tensor.name),
         fmt::format("let each dimension occur in one index of {} only, with at most {} "
                     "dimensions in one index",
                     tensor.name, kMaxWindowDims)});
  }
  model::close_partners(c);
  model::add_compute(c);
  if (result.problems.empty()) result.value = Evaluator(std::move(compiled));
  return result;
}

Evaluator::Evaluator(std::shared_ptr<const model::Compiled> compiled)
    : compiled_(std::move(compiled)) {}

const Problem& Evaluator::problem() const { return compiled_->problem; }

}  // namespace tilewright
