#include <fmt/format.h>

#include <cmath>
#include <map>
#include <utility>

#include "report/names.h"
#include "report/speed.h"
#include "report/table.h"
#include "tilewright/report.h"

namespace tilewright::report {
namespace {

// An interruption may come before a layer's turn, or before anything was found.
bool is_interrupted(const MapOutcome& outcome) {
  return outcome.status == MapOutcome::Status::NotTried || (!outcome.found() && outcome.cancelled);
}

const char* why_missing(const MapOutcome& outcome) {
  return is_interrupted(outcome) ? "not mapped" : "no mapping";
}

std::vector<std::string> layer_cells(const NetworkReport& report, std::size_t i) {
  const Layer& layer = report.network.layers[i];
  const MapOutcome& outcome = report.outcome.of(i);
  const Int128 macs = multiply_accumulates(layer.workload);
  std::vector<std::string> cells = {fmt::format("{}", i + 1), layer.name, grouped(layer.count),
                                    grouped(macs)};
  if (!outcome.found()) {
    cells.insert(cells.end(), {"-", "-", "-", "-", "-", "-", "-", why_missing(outcome)});
    return cells;
  }
  const SearchResult& search = outcome.search;
  const std::size_t first = report.outcome.layers[i].first;
  cells.insert(cells.end(), {energy(search.score.energy_pj), grouped(search.score.cycles),
                             percent(utilisation(report.arch, macs, search.score.cycles)),
                             short_bottleneck(result_of(outcome)), edp(search.score.edp())});
  bool for_network = false;
  if (is_heuristic(*report.options.mapper)) {
    cells.insert(cells.end(),
                 {rounded(static_cast<double>(search.seen)), duration_text(search.seconds)});
  } else if (outcome.proof) {
    const bool proven = outcome.proof->status == Proof::Status::Proven;
    const bool bounded = outcome.proof->bound > 0;
    // The layer could have a lower EDP of its own; the network would have a higher one.
    for_network = !proven && outcome.proof->stop == Proof::Stop::Complete;
    cells.insert(cells.end(), {proven    ? "proven"
                               : bounded ? fmt::format("{:.2g} %", 100 * outcome.proof->gap)
                                         : "no bound",
                               duration_text(search.seconds)});
  } else {
    cells.insert(cells.end(),
                 {rounded(static_cast<double>(search.seen)),
                  share(static_cast<double>(search.valid), static_cast<double>(search.seen))});
  }
  cells.push_back(first != i    ? fmt::format("as #{}", first + 1)
                  : for_network ? "for the network"
                                : "");
  return cells;
}

// "I input, W weight, O output", with all roles that a name has in some layer.
std::string roles_of_layers(const NetworkReport& report) {
  std::map<std::pair<Role, std::string>, std::string> roles;  // by role, then by name
  for (std::size_t i = 0; i < report.network.layers.size(); ++i) {
    const MapOutcome& outcome = report.outcome.of(i);
    const Workload& workload =
        outcome.problem ? outcome.problem->workload() : report.network.layers[i].workload;
    for (const Tensor& tensor : workload.tensors) {
      roles.emplace(std::pair(tensor.role, tensor.name),
                    fmt::format("{} {}", tensor.name, to_string(tensor.role)));
    }
  }
  std::vector<std::string> texts;
  for (const auto& [key, text] : roles) texts.push_back(text);
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string network_totals_text(const NetworkReport& report) {
  const auto [total, macs, utilisation] = totals_of(report);
  const std::string text = fmt::format(
      "Totals, each layer as often as it occurs ({} layers, {} MACs)\n"
      "  energy       {} ({} pJ per MAC)\n"
      "  cycles       {}\n"
      "  EDP          {}\n"
      "  utilisation  {}\n",
      grouped(layer_count(report.network)), grouped(macs), energy(total.energy_pj),
      plain(total.energy_pj / static_cast<double>(macs)), grouped(total.cycles), edp(total.edp()),
      percent(utilisation));
  return text + network_speed_lines(report.arch, macs, total);
}

// What makes the layers' mappings the best for the network, and what it is worth.
std::string price_text(const NetworkReport& report, double total) {
  const NetworkOutcome::Whole& whole = *report.outcome.whole;
  const Objective objective = report.options.objective;
  if (!whole.price) return fmt::format("every layer is at its own lowest {}", title_of(objective));
  const std::string sum = std::isinf(*whole.price)
                              ? "latency"
                              : fmt::format("energy + {} pJ * cycles", plain(*whole.price));
  const double each = value_of(objective, whole.each_layer);
  return fmt::format(
      "every layer is at its lowest {}\n"
      "               (each at its own lowest {}: {}, {:.3g} % more)",
      sum, title_of(objective), value_text(objective, each), 100 * (each / total - 1));
}

// Empty unless the objective of the network was made small.
std::string whole_text(const NetworkReport& report) {
  if (!report.outcome.whole) return "";
  const NetworkOutcome::Whole& whole = *report.outcome.whole;
  const Objective objective = report.options.objective;
  const double total = value_of(objective, total_of(report.outcome));
  const std::string proof =
      whole.proven ? fmt::format("proven: no choice of {} has a lower {} of the network",
                                 searched_mappings(report.options.evenness), title_of(objective))
      : whole.bound > 0
          ? fmt::format("not proven; at least {}, so at most {:.3g} % above the lowest",
                        value_text(objective, whole.bound), 100 * whole.gap)
          : "not proven";
  return fmt::format(
      "  {:<12} {}\n"
      "               {}\n",
      fmt::format("network {}", title_of(objective)), proof, price_text(report, total));
}

// A row for each layer.
Table layers_table(const NetworkReport& report, int width) {
  const bool optimal = report.options.mapper->proves;
  const bool heuristic = is_heuristic(*report.options.mapper);
  Table table({{"number", Align::Right, 3},
               {"layer", Align::Left},
               {"count", Align::Right, 6},
               {"MACs of one", Align::Right, 7},
               {"energy"},
               {"cycles"},
               {"utilisation", Align::Right, 4},
               {"limited by", Align::Left, 5},
               {"EDP", Align::Right, 2},
               {optimal     ? "gap"
                : heuristic ? "visited"
                            : "seen",
                Align::Right, 1},
               {optimal || heuristic ? "time" : "valid", Align::Right, 8},
               {"", Align::Left}},
              width);
  for (std::size_t i = 0; i < report.network.layers.size(); ++i) table.add(layer_cells(report, i));
  return table;
}

// Why there are no totals.
std::string no_totals_text(const NetworkReport& report) {
  std::size_t interrupted = 0;
  for (std::size_t i = 0; i < report.network.layers.size(); ++i) {
    interrupted += is_interrupted(report.outcome.of(i)) ? 1 : 0;
  }
  const std::string rest =
      interrupted == 0
          ? ""
          : fmt::format(", {} of them not mapped before the interruption", interrupted);
  return fmt::format("no totals: {} of {} layers have no mapping{}\n", report.outcome.missing(),
                     report.network.layers.size(), rest);
}

}  // namespace

std::string mapped_network_text(const NetworkReport& report, int width) {
  const std::string text = fmt::format(
      "{} on {}: lowest {} among {}, by {} search in {}\n  {}\n\n{}\n", report.network.name,
      report.arch.name, to_string(report.options.objective),
      searched_mappings(report.options.evenness), report.options.mapper->name,
      space_name(report.options), roles_of_layers(report), layers_table(report, width).text());
  const bool complete = report.outcome.missing() == 0;
  return text +
         (complete ? network_totals_text(report) + whole_text(report) : no_totals_text(report)) +
         remarks_text(remarks_on(report.outcome, report.options), width);
}

}  // namespace tilewright::report
