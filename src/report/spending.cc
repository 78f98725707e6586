#include "report/spending.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/names.h"
#include "report/table.h"

namespace tilewright::report {
namespace {

// "14,336 words, 3.5 for each of its 4,096 elements"
std::string how_often(Int128 words, Int128 elements) {
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
    const Int128 elements = r.evaluation.tensor_words[t];
    const bool output = TensorId{static_cast<int>(t)} == r.problem.workload().output();
    const char* reading = output ? "reading partial sums of" : "reading";
    out.push_back({held.read_pj, fmt::format("{} {} from {}", reading, tensor, level),
                   how_often(held.total.reads, elements)});
    out.push_back({held.fill_pj, fmt::format("writing {} into {}", tensor, level),
                   how_often(held.total.fills, elements)});
    out.push_back({held.update_pj, fmt::format("updating {} in {}", tensor, level),
                   how_often(held.total.updates, elements)});
  }
  const bool all_leak = r.problem.arch().leaking == LeakingInstances::All;
  const std::int64_t leaking =
      all_leak ? physical_instances(r.problem.arch(), memory.level) : memory.instances;
  out.push_back({memory.leakage_pj, fmt::format("leakage of {}", level),
                 fmt::format("{} instances, {} cycles", grouped(leaking),
                             grouped(r.evaluation.score.cycles))});
}

}  // namespace

std::vector<Spending> spendings(const Result& r) {
  std::vector<Spending> all;
  for (const MemoryReport& memory : r.evaluation.memories) add_memory(r, memory, all);
  for (const FanoutReport& fanout : r.evaluation.fanouts) {
    all.push_back({fanout.network_pj,
                   fmt::format("moving words across {}", level_name(r.problem, fanout.level)), ""});
  }
  all.push_back({r.evaluation.compute_pj, "the multiply-accumulates",
                 fmt::format("{} of them", grouped(r.evaluation.macs))});
  return all;
}

std::string energy_paragraph(std::vector<Spending> all, double total_pj) {
  if (total_pj == 0) return "Energy: none, since the architecture gives no energies\n";
  // Equal ones by their text, so that the order is the same everywhere.
  std::sort(all.begin(), all.end(), [](const Spending& a, const Spending& b) {
    return a.pj != b.pj ? a.pj > b.pj : a.what < b.what;
  });
  std::string text = fmt::format("Energy: {}\n", energy(total_pj));
  double named = 0;
  constexpr double kEnough = 0.95;
  for (const Spending& spending : all) {
    if (spending.pj <= 0 || named >= kEnough * total_pj) break;
    named += spending.pj;
    text += fmt::format("  {:>7}  {}{}\n", percent(spending.pj / total_pj), spending.what,
                        spending.detail.empty() ? "" : fmt::format(" ({})", spending.detail));
  }
  if (total_pj - named > 1e-9 * total_pj) {
    text += fmt::format("  {:>7}  everything else\n", percent((total_pj - named) / total_pj));
  }
  return text;
}

}  // namespace tilewright::report
