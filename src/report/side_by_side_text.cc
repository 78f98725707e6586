#include <fmt/format.h>

#include <cmath>

#include "report/names.h"
#include "report/side_by_side.h"
#include "report/table.h"

namespace tilewright::report {
namespace {

// "0.85x": what the second side takes of the first.
std::string times_text(double first, double second) {
  return first > 0 && second > 0 ? fmt::format("{}x", ratio_text(second / first)) : "-";
}

std::string difference_text(double pj) {
  if (pj == 0) return "-";
  return (pj > 0 ? "+" : "-") + energy(std::abs(pj));
}

std::string layer_table(const SideBySide& both, int width) {
  Table table({{"layer", Align::Left},
               {"count", Align::Right, 4},
               {"energy A"},
               {"energy B"},
               {"B/A"},
               {"cycles A", Align::Right, 1},
               {"cycles B", Align::Right, 1},
               {"B/A ", Align::Right, 1},
               {"EDP B/A", Align::Right, 2},
               {"A limited by", Align::Left, 3},
               {"B limited by", Align::Left, 3}},
              width);
  for (const SideBySide::OfLayer& layer : both.layers) {
    std::vector<std::string> row = {layer.name, grouped(layer.count)};
    if (!is_complete(layer)) {
      for (const auto& result : layer.results) {
        row.push_back(result ? energy(result->evaluation.score.energy_pj) : "no mapping");
      }
      row.resize(11, "-");
      table.add(row);
      continue;
    }
    const Score& a = layer.results[0]->evaluation.score;
    const Score& b = layer.results[1]->evaluation.score;
    row.insert(row.end(),
               {energy(a.energy_pj), energy(b.energy_pj), times_text(a.energy_pj, b.energy_pj),
                grouped(a.cycles), grouped(b.cycles),
                times_text(static_cast<double>(a.cycles), static_cast<double>(b.cycles)),
                times_text(a.edp(), b.edp()), short_bottleneck(*layer.results[0]),
                short_bottleneck(*layer.results[1])});
    table.add(row);
  }
  return table.text();
}

std::string energy_pairs(const char* heading, const std::vector<EnergyPair>& pairs) {
  Table table({{heading, Align::Left}, {"A"}, {"B"}, {"B - A"}, {"B/A"}});
  for (const EnergyPair& pair : pairs) {
    const auto cell = [](double pj) { return pj == 0 ? std::string("-") : energy(pj); };
    table.add({pair.what, cell(pair.pj[0]), cell(pair.pj[1]), difference_text(pair.more()),
               times_text(pair.pj[0], pair.pj[1])});
  }
  return table.text();
}

// The largest differences, until most of all that went up and down is named.
std::string reasons(const std::vector<EnergyPair>& spendings) {
  double all = 0;
  for (const EnergyPair& pair : spendings) all += std::abs(pair.more());
  if (all == 0) return "  both spend the same energy on the same things\n";
  constexpr double kEnough = 0.95;
  std::string text;
  double named = 0;
  for (const EnergyPair& pair : spendings) {
    if (named >= kEnough * all || pair.more() == 0) break;
    named += std::abs(pair.more());
    text += fmt::format("  {:>10}  {} ({} in A, {} in B)\n", difference_text(pair.more()),
                        pair.what, energy(pair.pj[0]), energy(pair.pj[1]));
  }
  return text;
}

std::string totals_text(const SideBySideSums& sums) {
  const Score& a = sums.total[0];
  const Score& b = sums.total[1];
  return fmt::format(
      "Totals (layers that both have)\n"
      "  energy       A {}, B {}: {}\n"
      "  cycles       A {}, B {}: {}\n"
      "  EDP          A {}, B {}: {}\n",
      energy(a.energy_pj), energy(b.energy_pj), times_text(a.energy_pj, b.energy_pj),
      grouped(a.cycles), grouped(b.cycles),
      times_text(static_cast<double>(a.cycles), static_cast<double>(b.cycles)), edp(a.edp()),
      edp(b.edp()), times_text(a.edp(), b.edp()));
}

}  // namespace

std::string side_by_side_text(const SideBySide& both, int width) {
  const SideBySideSums sums = sums_of(both);
  std::string text = fmt::format("{}\n  A: {}\n  B: {}\n\n{}\n{}\n", both.work, both.names[0],
                                 both.names[1], layer_table(both, width), totals_text(sums));
  text += "Energy by level\n" + energy_pairs("level", sums.levels);
  text += "\nEnergy of memory accesses by tensor\n" + energy_pairs("tensor", sums.tensors);
  return text + "\nWhat makes the difference\n" + reasons(sums.spendings);
}

}  // namespace tilewright::report
