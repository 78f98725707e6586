#include <fmt/format.h>

#include <optional>

#include "base/text.h"
#include "report/names.h"
#include "report/spending.h"
#include "report/table.h"
#include "tilewright/report.h"

namespace tilewright::report {
namespace {

// The busiest resource that does not limit.
std::string runner_up(const Result& r) {
  std::int64_t most = 0;
  std::string name;
  const auto consider = [&](std::optional<std::int64_t> cycles, const std::string& who) {
    if (cycles && *cycles < r.evaluation.score.cycles && *cycles > most) {
      most = *cycles;
      name = who;
    }
  };
  consider(r.evaluation.array_cycles(), "the multipliers");
  for (const MemoryReport& memory : r.evaluation.memories) {
    const std::string level = storage_name(r.problem, memory.level);
    consider(memory.read_cycles, level + "'s read port");
    consider(memory.write_cycles, level + "'s write port");
    consider(memory.shared_cycles, level + "'s ports");
  }
  if (name.empty()) return "";
  return fmt::format(
      "  Next busiest: {}, {} of the time.\n", name,
      percent(static_cast<double>(most) / static_cast<double>(r.evaluation.score.cycles)));
}

std::string unfilled_fanouts(const Result& r) {
  std::vector<std::string> parts;
  for (const FanoutReport& report : r.evaluation.fanouts) {
    const auto& fanout = std::get<Fanout>(r.problem.arch().level(report.level));
    if (report.used_x < fanout.x.size) {
      add_text(parts, "{} of {} on {}.x", report.used_x, fanout.x.size, fanout.name);
    }
    if (report.used_y < fanout.y.size) {
      add_text(parts, "{} of {} on {}.y", report.used_y, fanout.y.size, fanout.name);
    }
  }
  if (parts.empty()) return "  Every fan-out is filled.\n";
  return fmt::format("  Fan-outs that are not filled: {}.\n", list_of(parts));
}

std::string remainders(const Result& r) {
  std::vector<std::string> parts;
  for (int d = 0; d < r.problem.dim_count(); ++d) {
    const auto last = last_passes(r.problem, r.mapping, DimId{d});
    for (int s = 0; s < r.problem.slot_count(); ++s) {
      const std::int64_t bound = r.mapping.bound(s, DimId{d});
      if (last[at(s)] == bound) continue;
      add_text(parts, "{} at {} runs {} instead of {}", r.problem.workload().dim(DimId{d}).name,
               r.problem.slot_name(s), last[at(s)], bound);
    }
  }
  if (parts.empty()) return "";
  return fmt::format("  Last passes that are shorter: {}.\n", list_of(parts));
}

// What changes of the tile that stands still take, of a systolic array.
std::string systolic_line(const Result& r) {
  const auto& array = r.problem.systolic();
  if (!array) return "";
  const Evaluation& e = r.evaluation;
  std::vector<std::string> parts;
  if (array->fill_cycles > 0) {
    add_text(parts, "{} cycles in which the array fills and drains", grouped(e.fill_cycles));
  }
  if (array->preload_cycles > 0) {
    add_text(parts, "{} cycles in which it is loaded", grouped(e.preload_cycles));
  }
  return fmt::format(
      "  The multipliers work for {} cycles. {} stands still and changes {} times: {}.\n",
      grouped(e.compute_cycles), r.problem.workload().tensor(array->tensor).name,
      grouped(e.stationary_changes), parts.empty() ? "that takes no time" : list_of(parts));
}

std::string time_paragraph(const Result& r) {
  const Evaluation& e = r.evaluation;
  std::string text = fmt::format("Time: {} cycles, set by {}\n", grouped(e.score.cycles),
                                 bottleneck_text(r.problem, e.bottleneck));
  if (e.bottleneck.port != Bottleneck::Port::Compute) {
    text += fmt::format(
        "  Without stalls it would take {} cycles; {} of the time is waiting.\n",
        grouped(e.array_cycles()),
        percent(1 - static_cast<double>(e.array_cycles()) / static_cast<double>(e.score.cycles)));
  }
  text += systolic_line(r);
  text += runner_up(r);
  text += fmt::format("  Utilisation is {}.\n", percent(e.utilisation));
  return text + unfilled_fanouts(r) + remainders(r);
}

}  // namespace

std::string explanation_text(const Result& result) {
  return energy_paragraph(spendings(result), result.evaluation.score.energy_pj) + "\n" +
         time_paragraph(result);
}

}  // namespace tilewright::report
