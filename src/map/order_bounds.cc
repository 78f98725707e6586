#include "order_bounds.h"

#include <algorithm>
#include <cmath>

#include "parts.h"

namespace tilewright::map {

namespace {

// Energies that count the words through a port.
struct Port {
  double read = 0, write = 0;
  Rational bandwidth;
};
std::vector<Port> ports_of(const Memory& memory) {
  std::vector<Port> ports;
  if (memory.read_bandwidth) ports.push_back({1, 0, *memory.read_bandwidth});
  if (memory.write_bandwidth) ports.push_back({0, 1, *memory.write_bandwidth});
  if (memory.shared_bandwidth) ports.push_back({1, 1, *memory.shared_bandwidth});
  return ports;
}

// The least energy, as far as it can be proven.
MapperResult least_energy_of(const Workload& workload, const SetUp& set, const Bounded& bounded) {
  const Checked<Evaluator> evaluator = Evaluator::compile(workload, set.arch);
  if (!evaluator.ok()) return {};
  const Checked<Restrictions> restrictions =
      Restrictions::create(evaluator.value->problem(), set.constraints);
  if (!restrictions.ok()) return {};
  // Only the bound counts.
  MappingTask task{*evaluator.value, bounded.space, *restrictions.value, Objective::Energy,
                   /*settle_ties=*/false};
  task.uneven = uneven_memories(evaluator.value->problem(), bounded.evenness);
  return mappers().front()->run(task, bounded.limits, {});
}

double bound_of(const MapperResult& result) { return result.proof ? result.proof->bound : 0; }

// The least number of words through a port of the outermost memory, with any
// array, is that of the same memories around a single multiplier. Infeasible there
// is infeasible everywhere.
MapperResult count_words(const Workload& workload, const SetUp& outside, const Port& port,
                         const Bounded& bounded) {
  Architecture counting = outside.arch;
  for (Level& level : counting.levels) {
    if (auto* memory = std::get_if<Memory>(&level)) {
      memory->read_pj = memory->write_pj = memory->update_pj = memory->leakage_pj_per_cycle = 0;
    }
  }
  auto& outermost = std::get<Memory>(counting.levels.front());
  outermost.energy_of_bits = false;
  outermost.read_pj = port.read;
  outermost.write_pj = outermost.update_pj = port.write;
  outermost.block_words = 1;
  std::get<Compute>(counting.levels.back()).mac_pj = 0;
  return least_energy_of(workload, {std::move(counting), outside.constraints}, bounded);
}

// What mappings of all settings spend at least on moving words into the buffer is its bound.
MapperResult least_filling(const Workload& workload, const SetUp& outside, const Bounded& bounded) {
  SetUp paid = outside;
  std::get<Compute>(paid.arch.levels.back()).mac_pj = 0;
  for (Level& level : paid.arch.levels) {
    if (auto* memory = std::get_if<Memory>(&level)) memory->leakage_pj_per_cycle = 0;
  }
  // What leaves the buffer depends on the array.
  auto& buffer = std::get<Memory>(paid.arch.levels[paid.arch.levels.size() - 2]);
  buffer.read_pj = buffer.update_pj = 0;
  return least_energy_of(workload, paid, bounded);
}

// What was counted outside the array says why nothing fits.
void note_reasons(MapperResult& counted, OrderBounds& bounds) {
  bounds.looked_for_reasons = true;
  if (counted.status == MapperResult::Status::Infeasible) {
    bounds.reasons = std::move(counted.problems);
  }
}

}  // namespace

OrderBounds bounds_of_order(const Workload& workload, const Architecture& arch,
                            const std::optional<ConvOrder>& order, bool energy, Bounded bounded) {
  OrderBounds bounds;
  auto outside = outside_of_array(workload, arch, order);
  if (!outside) return bounds;
  bounded.evenness = evenness_of_setting(arch, bounded.evenness, outside->arch);
  for (const Port& port : ports_of(std::get<Memory>(arch.levels.front()))) {
    MapperResult result = count_words(workload, *outside, port, bounded);
    note_reasons(result, bounds);
    if (!bounds.reasons.empty()) return bounds;
    // Larger numbers are rounded, maybe up.
    const double bound = bound_of(result);
    const double words = std::floor(bound < std::ldexp(1, 53) ? bound : bound * (1 - 1e-15));
    if (!(words < static_cast<double>(kWideLimit))) continue;
    bounds.least_cycles =
        std::max(bounds.least_cycles, cycles_for(static_cast<Int128>(words), port.bandwidth));
  }
  if (!energy) return bounds;
  MapperResult filling = least_filling(workload, *outside, bounded);
  note_reasons(filling, bounds);
  bounds.least_filling = bound_of(filling);
  return bounds;
}

void look_for_reasons(const Workload& workload, const Architecture& arch,
                      const std::optional<ConvOrder>& order, Bounded bounded, OrderBounds& bounds) {
  auto outside = outside_of_array(workload, arch, order);
  if (!outside || bounds.looked_for_reasons) return;
  bounded.evenness = evenness_of_setting(arch, bounded.evenness, outside->arch);
  MapperResult result = count_words(workload, *outside, {1, 1, {}}, bounded);
  note_reasons(result, bounds);
}

}  // namespace tilewright::map
