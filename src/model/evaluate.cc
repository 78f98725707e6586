#include "model/counts.h"

namespace tilewright {
namespace {

using model::Counts;
using model::Details;
using model::LoopLayout;

Traffic to_traffic(const model::PortWords& words) {
  return {words.reads, words.fills, words.updates};
}

MemoryReport memory_report(const LoopLayout& layout, const Counts& counts, const Details& details,
                           int memory, std::int64_t cycles) {
  const model::Compiled& c = layout.compiled();
  const auto m = at(memory);
  const FlatMemory& table = c.memory[m];
  MemoryReport report;
  report.level = table.level;
  report.instances = counts.instances[m];
  report.leakage_pj = model::leakage_energy(c, counts.instances[m], memory, cycles);
  const model::PortCycles ports = model::port_cycles(layout, counts, memory);
  const FlatMemory& limits = model::ports_at(c, memory);
  if (limits.read_bandwidth) report.read_cycles = ports.read;
  if (limits.write_bandwidth) report.write_cycles = ports.write;
  if (limits.shared_bandwidth) report.shared_cycles = ports.shared;
  for (int t = 0; t < c.tensors; ++t) {
    const auto k = at(t);
    Holding holding;
    holding.kept = layout.mapping().keeps(MemoryId{memory}, TensorId{t});
    if (holding.kept) {
      holding.tile_words = details.tile[m][k];
      holding.total = to_traffic(counts.total[m][k]);
      holding.busiest = to_traffic(counts.busiest[m][k]);
      holding.reductions = details.reductions[m][k];
      holding.sharing = details.sharing[m][k];
      holding.spared_total = to_traffic(details.spared_total[m][k]);
      holding.spared_busiest = to_traffic(details.spared_busiest[m][k]);
      const model::AccessEnergy energy = model::access_energy(c, counts, memory, t);
      holding.read_pj = energy.read;
      holding.fill_pj = energy.fill;
      holding.update_pj = energy.update;
    }
    report.tensors.push_back(holding);
  }
  return report;
}

FanoutReport fanout_report(const LoopLayout& layout, const Counts& counts, int fanout) {
  const model::Compiled& c = layout.compiled();
  FanoutReport report;
  report.level = c.fanout[at(fanout)].level;
  report.used_x = layout.used_x(fanout);
  report.used_y = layout.used_y(fanout);
  const auto& words = counts.fanout_words[at(fanout)];
  report.words.assign(words.begin(), words.begin() + c.tensors);
  report.network_pj = model::network_energy(c, counts, fanout);
  return report;
}

Bottleneck find_bottleneck(const Evaluation& evaluation, LevelId compute) {
  Bottleneck found{Bottleneck::Port::Compute, compute};
  if (evaluation.array_cycles() == evaluation.score.cycles) return found;
  for (const MemoryReport& memory : evaluation.memories) {
    const std::int64_t cycles = evaluation.score.cycles;
    if (memory.read_cycles == cycles) return {Bottleneck::Port::Read, memory.level};
    if (memory.write_cycles == cycles) return {Bottleneck::Port::Write, memory.level};
    if (memory.shared_cycles == cycles) return {Bottleneck::Port::Shared, memory.level};
  }
  return found;
}

}  // namespace

std::int64_t MemoryReport::cycles() const {
  return std::max({read_cycles.value_or(0), write_cycles.value_or(0), shared_cycles.value_or(0)});
}

std::int64_t Evaluation::array_cycles() const {
  return std::min(kCountLimit, compute_cycles + fill_cycles + preload_cycles);
}

Score Evaluator::score(const Mapping& mapping) const {
  const LoopLayout layout(*compiled_, mapping);
  Score score;
  score.verdict = model::check_fit(layout);
  if (!score.verdict.fits()) return score;
  Counts counts;
  model::count_traffic(layout, counts, nullptr);
  return model::make_score(layout, counts, score.verdict);
}

void Evaluator::score(std::span<const Mapping> mappings, std::span<Score> scores) const {
  for (std::size_t i = 0; i < mappings.size(); ++i) scores[i] = score(mappings[i]);
}

std::vector<Verdict> Evaluator::violations(const Mapping& mapping) const {
  std::vector<Verdict> all;
  model::check_fit(LoopLayout(*compiled_, mapping), &all);
  return all;
}

Evaluation Evaluator::evaluate(const Mapping& mapping) const {
  const model::Compiled& c = *compiled_;
  const LoopLayout layout(c, mapping);
  Counts counts;
  Details details;
  model::count_traffic(layout, counts, &details);
  Evaluation evaluation;
  evaluation.score = model::make_score(layout, counts, model::check_fit(layout));
  for (int m = 0; m < c.memories; ++m) {
    evaluation.memories.push_back(
        memory_report(layout, counts, details, m, evaluation.score.cycles));
  }
  for (int f = 0; f < c.fanouts; ++f) {
    evaluation.fanouts.push_back(fanout_report(layout, counts, f));
  }
  for (int t = 0; t < c.tensors; ++t) {
    evaluation.tensor_words.push_back(model::tile_words(layout, t, 0));
  }
  evaluation.macs = c.macs;
  evaluation.compute_instances = evaluation.score.instances;
  evaluation.compute_cycles = counts.compute_cycles;
  if (c.systolic) {
    evaluation.stationary_changes = counts.stationary_changes;
    evaluation.fill_cycles = c.systolic->fill_cycles_for(counts.stationary_changes);
    evaluation.preload_cycles = c.systolic->preload_cycles_for(counts.stationary_changes);
  }
  evaluation.compute_pj = static_cast<double>(c.macs) * c.mac_pj;
  const double slots = static_cast<double>(c.compute_instances) *
                       static_cast<double>(c.compute_macs) *
                       static_cast<double>(evaluation.score.cycles);
  evaluation.utilisation =
      static_cast<double>(c.macs) * static_cast<double>(c.compute_cycles) / slots;
  evaluation.area_um2 = c.area_um2;
  evaluation.bottleneck = find_bottleneck(evaluation, c.problem.arch().compute_level());
  return evaluation;
}

}  // namespace tilewright
