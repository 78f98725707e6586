#include "report/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.h"
#include "report/table.h"

namespace tilewright::report {

std::string level_name(const Problem& problem, LevelId level) {
  return name_of(problem.arch().level(level));
}

std::string storage_name(const Problem& problem, LevelId level) {
  const auto* memory = std::get_if<Memory>(&problem.arch().level(level));
  return memory == nullptr ? level_name(problem, level) : memory_name(*memory);
}

std::string tensor_name(const Problem& problem, std::size_t tensor) {
  return problem.workload().tensors[tensor].name;
}

std::string bottleneck_text(const Problem& problem, const Bottleneck& bottleneck) {
  if (bottleneck.port == Bottleneck::Port::Compute) return "the multipliers";
  const auto& memory = std::get<Memory>(problem.arch().level(bottleneck.level));
  const bool reads = bottleneck.port == Bottleneck::Port::Read;
  const bool writes = bottleneck.port == Bottleneck::Port::Write;
  const auto& bandwidth = reads    ? memory.read_bandwidth
                          : writes ? memory.write_bandwidth
                                   : memory.shared_bandwidth;
  return fmt::format("{}'s {}bandwidth ({} words/cycle)", memory_name(memory),
                     reads    ? "read "
                     : writes ? "write "
                              : "",
                     plain(bandwidth->value()));
}

std::string short_bottleneck(const Result& result) {
  const Bottleneck& bottleneck = result.evaluation.bottleneck;
  if (bottleneck.port == Bottleneck::Port::Compute) return "multipliers";
  constexpr std::array<const char*, 4> kPorts = {"", " reads", " writes", " port"};
  return storage_name(result.problem, bottleneck.level) +
         kPorts[static_cast<std::size_t>(bottleneck.port)];
}

Result result_of(const MapOutcome& outcome) {
  const Checked<Evaluator> evaluator = Evaluator::compile(*outcome.problem);
  return {*outcome.problem, *outcome.search.best, evaluator.value->evaluate(*outcome.search.best),
          outcome.useful_macs};
}

NetworkTotals totals_of(const NetworkReport& report) {
  const Score total = total_of(report.outcome);
  const Int128 macs = multiply_accumulates(report.network);
  return {total, macs, utilisation(report.arch, macs, total.cycles)};
}

const char* status_name(MapOutcome::Status status) {
  // The last is there only where something was to beat.
  constexpr std::array<const char*, 7> kNames = {"not_tried",    "found",     "bad_input",
                                                 "infeasible",   "too_large", "nothing_valid",
                                                 "nothing_valid"};
  return kNames[static_cast<std::size_t>(status)];
}

double LevelCost::sum() const {
  double total = leakage_pj + network_pj + mac_pj;
  for (const double pj : tensor_pj) total += pj;
  return total;
}

std::vector<LevelCost> level_costs(const Result& result) {
  std::vector<LevelCost> costs;
  for (const MemoryReport& memory : result.evaluation.memories) {
    LevelCost cost{memory.level, {}, memory.leakage_pj};
    for (const Holding& held : memory.tensors) cost.tensor_pj.push_back(held.energy_pj());
    costs.push_back(std::move(cost));
  }
  for (const FanoutReport& fanout : result.evaluation.fanouts) {
    if (fanout.network_pj > 0) costs.push_back({fanout.level, {}, 0, fanout.network_pj});
  }
  costs.push_back({result.problem.arch().compute_level(), {}, 0, 0, result.evaluation.compute_pj});
  std::sort(costs.begin(), costs.end(),
            [](const LevelCost& a, const LevelCost& b) { return a.level < b.level; });
  return costs;
}

LevelCost total_cost(const Result& result) {
  LevelCost total;
  total.tensor_pj.resize(result.problem.workload().tensors.size());
  for (const LevelCost& cost : level_costs(result)) {
    for (std::size_t t = 0; t < cost.tensor_pj.size(); ++t) total.tensor_pj[t] += cost.tensor_pj[t];
    total.leakage_pj += cost.leakage_pj;
    total.network_pj += cost.network_pj;
    total.mac_pj += cost.mac_pj;
  }
  return total;
}

std::int64_t seed_of(const MapOptions& options) {
  const MapperOption* seed = options.mapper->find("seed");
  if (seed == nullptr) seed = find_mapper("random")->find("seed");
  return options.mapper_options.count(*seed);
}

std::string space_name(const MapOptions& options) {
  return to_string(options.space) + (options.padded ? " with padding" : "");
}

std::string choices_of(TopsAxis axis) {
  constexpr std::array<const char*, 4> kNames = {"tiles", "orders", "pairs", "shapes"};
  return kNames[static_cast<std::size_t>(axis)];
}

std::string remarks_text(const std::vector<std::string>& remarks, int width) {
  if (remarks.empty()) return "";
  constexpr int kIndent = 4;
  const std::size_t room =
      width > 0 ? static_cast<std::size_t>(std::max(width, 40) - kIndent) : std::string::npos;
  std::string text = "\nRemarks\n";
  for (const std::string& remark : remarks) {
    text += fmt::format("  {}\n", fmt::join(wrapped_lines(remark, room), "\n    "));
  }
  return text;
}

Int128 useful_macs(const Result& result) {
  return result.useful_macs == 0 ? result.evaluation.macs : result.useful_macs;
}

double useful_share(const Result& result) {
  return static_cast<double>(useful_macs(result)) / static_cast<double>(result.evaluation.macs);
}

double utilisation(const Architecture& arch, Int128 macs, Int128 cycles) {
  const auto instances = static_cast<double>(physical_instances(arch, arch.compute_level()));
  const double per_cycle = instances * static_cast<double>(arch.compute().macs) /
                           static_cast<double>(arch.compute().cycles);
  return static_cast<double>(macs) / (per_cycle * static_cast<double>(cycles));
}

}  // namespace tilewright::report
