#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "report/names.h"
#include "report/table.h"
#include "tilewright/report.h"

namespace tilewright::report {
namespace {

// One way in which energy is spent.
struct Spending {
  double pj = 0;
  std::string what;
};

// "14,336 words, 3.5 for each of its 4,096 elements"
std::string how_often(std::int64_t words, std::int64_t elements) {
  const double times = static_cast<double>(words) / static_cast<double>(elements);
  return fmt::format("{} words, {} for each of its {} elements", grouped(words), plain(times),
                     grouped(elements));
}

void add_memory(const Result& r, const MemoryReport& memory, std::vector<Spending>& out) {
  const std::string level = level_name(r.problem, memory.level);
  for (std::size_t t = 0; t < memory.tensors.size(); ++t) {
    const Holding& held = memory.tensors[t];
    if (!held.kept) continue;
    const std::string tensor = tensor_name(r.problem, t);
    const std::int64_t elements = r.evaluation.tensor_words[t];
    const bool output = TensorId{static_cast<int>(t)} == r.problem.workload().output();
    out.push_back({held.read_pj,
                   fmt::format("{} {} from {} ({})", output ? "reading partial sums of" : "reading",
                               tensor, level, how_often(held.total.reads, elements))});
    out.push_back({held.fill_pj, fmt::format("writing {} into {} ({})", tensor, level,
                                             how_often(held.total.fills, elements))});
    out.push_back({held.update_pj, fmt::format("updating {} in {} ({})", tensor, level,
                                               how_often(held.total.updates, elements))});
  }
  const bool all_leak = r.problem.arch().leaking == LeakingInstances::All;
  const std::int64_t leaking =
      all_leak ? physical_instances(r.problem.arch(), memory.level) : memory.instances;
  out.push_back(
      {memory.leakage_pj, fmt::format("leakage of {} ({} instances, {} cycles)", level,
                                      grouped(leaking), grouped(r.evaluation.score.cycles))});
}

std::string energy_paragraph(const Result& r) {
  std::vector<Spending> all;
  for (const MemoryReport& memory : r.evaluation.memories) add_memory(r, memory, all);
  for (const FanoutReport& fanout : r.evaluation.fanouts) {
    all.push_back({fanout.network_pj,
                   fmt::format("moving words across {}", level_name(r.problem, fanout.level))});
  }
  all.push_back({r.evaluation.compute_pj,
                 fmt::format("the {} multiply-accumulates", grouped(r.evaluation.macs))});
  // Equal ones by their text, so that the order is the same everywhere.
  std::sort(all.begin(), all.end(), [](const Spending& a, const Spending& b) {
    return a.pj != b.pj ? a.pj > b.pj : a.what < b.what;
  });
  const double total = r.evaluation.score.energy_pj;
  if (total == 0) return "Energy: none, since the architecture gives no energies\n";
  std::string text = fmt::format("Energy: {}\n", energy(total));
  double named = 0;
  constexpr double kEnough = 0.95;
  for (const Spending& spending : all) {
    if (spending.pj <= 0 || named >= kEnough * total) break;
    named += spending.pj;
    text += fmt::format("  {:>7}  {}\n", percent(spending.pj / total), spending.what);
  }
  if (total - named > 1e-9 * total) {
    text += fmt::format("  {:>7}  everything else\n", percent((total - named) / total));
  }
  return text;
}

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
  consider(r.evaluation.compute_cycles, "the multipliers");
  for (const MemoryReport& memory : r.evaluation.memories) {
    const std::string level = level_name(r.problem, memory.level);
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
      parts.push_back(fmt::format("{} of {} on {}.x", report.used_x, fanout.x.size, fanout.name));
    }
    if (report.used_y < fanout.y.size) {
      parts.push_back(fmt::format("{} of {} on {}.y", report.used_y, fanout.y.size, fanout.name));
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
      if (last[static_cast<std::size_t>(s)] == bound) continue;
      parts.push_back(fmt::format("{} at {} runs {} instead of {}",
                                  r.problem.workload().dim(DimId{d}).name, r.problem.slot_name(s),
                                  last[static_cast<std::size_t>(s)], bound));
    }
  }
  if (parts.empty()) return "";
  return fmt::format("  Last passes that are shorter: {}.\n", list_of(parts));
}

std::string time_paragraph(const Result& r) {
  const Evaluation& e = r.evaluation;
  std::string text = fmt::format("Time: {} cycles, set by {}\n", grouped(e.score.cycles),
                                 bottleneck_text(r.problem, e.bottleneck));
  if (e.bottleneck.port != Bottleneck::Port::Compute) {
    text += fmt::format(
        "  Without stalls it would take {} cycles; {} of the time is waiting.\n",
        grouped(e.compute_cycles),
        percent(1 - static_cast<double>(e.compute_cycles) / static_cast<double>(e.score.cycles)));
  }
  text += runner_up(r);
  text += fmt::format("  Utilisation is {}.\n", percent(e.utilisation));
  return text + unfilled_fanouts(r) + remainders(r);
}

}  // namespace

std::string explanation_text(const Result& result) {
  return energy_paragraph(result) + "\n" + time_paragraph(result);
}

}  // namespace tilewright::report
