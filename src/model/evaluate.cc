#include "model/counts.h"
#include "model/perfect_counter.h"

namespace tilewright {
namespace {

using model::Counts;
using model::Details;
using model::LoopLayout;

template <typename Number>
Traffic to_traffic(const model::PortWords<Number>& words) {
  return {words.reads, words.fills, words.updates};
}

template <typename Number>
MemoryReport memory_report(const LoopLayout<Number>& layout, const Counts<Number>& counts,
                           const Details<Number>& details, int memory, Number cycles) {
  const model::Compiled& c = layout.compiled();
  const auto m = at(memory);
  const FlatMemory& table = c.memory[m];
  MemoryReport report;
  report.level = table.level;
  report.instances = narrowed(counts.instances[m]);
  report.leakage_pj = model::leakage_energy(c, counts.instances[m], memory, cycles);
  const model::PortCycles<Number> ports = model::port_cycles(layout, counts, memory);
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

template <typename Number>
FanoutReport fanout_report(const LoopLayout<Number>& layout, const Counts<Number>& counts,
                           int fanout) {
  const model::Compiled& c = layout.compiled();
  FanoutReport report;
  report.level = c.fanout[at(fanout)].level;
  report.used_x = narrowed(layout.used_x(fanout));
  report.used_y = narrowed(layout.used_y(fanout));
  const auto& words = counts.fanout_words[at(fanout)];
  report.words.assign(words.begin(), words.begin() + c.tensors);
  report.network_pj = model::network_energy(c, counts, fanout);
  return report;
}

Bottleneck find_bottleneck(const Evaluation& evaluation, LevelId compute) {
  Bottleneck found{Bottleneck::Port::Compute, compute};
  if (evaluation.array_cycles() == evaluation.score.cycles) return found;
  for (const MemoryReport& memory : evaluation.memories) {
    const Int128 cycles = evaluation.score.cycles;
    if (memory.read_cycles == cycles) return {Bottleneck::Port::Read, memory.level};
    if (memory.write_cycles == cycles) return {Bottleneck::Port::Write, memory.level};
    if (memory.shared_cycles == cycles) return {Bottleneck::Port::Shared, memory.level};
  }
  return found;
}

template <typename Number>
Score score_in(const model::Compiled& compiled, const Mapping& mapping) {
  const LoopLayout<Number> layout(compiled, mapping);
  Score score;
  score.verdict = model::check_fit(layout);
  if (!score.verdict.fits()) return score;
  Counts<Number> counts;
  model::count_traffic(layout, counts, static_cast<Details<Number>*>(nullptr));
  return model::make_score(layout, counts, score.verdict);
}

template <typename Number>
Evaluation evaluate_in(const model::Compiled& c, const Mapping& mapping) {
  const LoopLayout<Number> layout(c, mapping);
  Counts<Number> counts;
  Details<Number> details;
  model::count_traffic(layout, counts, &details);
  Evaluation evaluation;
  evaluation.score = model::make_score(layout, counts, model::check_fit(layout));
  for (int m = 0; m < c.memories; ++m) {
    evaluation.memories.push_back(
        memory_report(layout, counts, details, m, static_cast<Number>(evaluation.score.cycles)));
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

}  // namespace

Int128 MemoryReport::cycles() const {
  return std::max({read_cycles.value_or(0), write_cycles.value_or(0), shared_cycles.value_or(0)});
}

Int128 Evaluation::array_cycles() const {
  return std::min(kWideLimit, compute_cycles + fill_cycles + preload_cycles);
}

Score model::score_of_any(const Compiled& compiled, const Mapping& mapping) {
  return compiled.wide ? score_in<Int128>(compiled, mapping)
                       : score_in<std::int64_t>(compiled, mapping);
}

Score Evaluator::score(const Mapping& mapping) const {
  Score score;
  this->score({&mapping, 1}, {&score, 1});
  return score;
}

void Evaluator::score(std::span<const Mapping> mappings, std::span<Score> scores) const {
  model::PerfectScorer perfect(*compiled_);
  for (std::size_t i = 0; i < mappings.size(); ++i) {
    if (!perfect.score(mappings[i], scores[i])) {
      scores[i] = model::score_of_any(*compiled_, mappings[i]);
    }
  }
}

std::vector<Verdict> Evaluator::violations(const Mapping& mapping) const {
  std::vector<Verdict> all;
  if (compiled_->wide) {
    model::check_fit(LoopLayout<Int128>(*compiled_, mapping), &all);
  } else {
    model::check_fit(LoopLayout<std::int64_t>(*compiled_, mapping), &all);
  }
  return all;
}

Evaluation Evaluator::evaluate(const Mapping& mapping) const {
  return compiled_->wide ? evaluate_in<Int128>(*compiled_, mapping)
                         : evaluate_in<std::int64_t>(*compiled_, mapping);
}

}  // namespace tilewright
