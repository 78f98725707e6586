// A network whose parts were fused.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "report/plan_parts.h"
#include "tilewright/io.h"
#include "tilewright/report.h"

namespace tilewright::report {
namespace {

bool is_timed(const FusedNetworkReport& report) { return report.fused.objective.cycles > 0; }

// The names of the einsums, group by group.
std::vector<std::vector<std::string>> groups_of(const NetworkPart& part, const FusedPart& outcome) {
  std::vector<std::vector<std::string>> groups;
  for (int e = 0; e < part.cascade.einsum_count(); ++e) {
    const bool joins = outcome.plan && group_of(*outcome.plan, e).first < e;
    if (!joins) groups.emplace_back();
    groups.back().push_back(part.cascade.workload(e).name);
  }
  return groups;
}

std::string groups_text(const NetworkPart& part, const FusedPart& outcome) {
  std::vector<std::string> texts;
  for (const std::vector<std::string>& group : groups_of(part, outcome)) {
    texts.push_back(fmt::format("{}", fmt::join(group, "+")));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

Table empty_part_table(bool timed, int width) {
  std::vector<Table::Column> columns = {
      {"contractions (+: fused)", Align::Left}, {"count"}, {"unfused"}};
  if (timed) columns.push_back({"cycles"});
  columns.push_back({"fused"});
  columns.push_back({timed ? "cycles" : "times less"});
  return Table(columns, width);
}

Table part_table(const FusedNetworkReport& report, int width) {
  const bool timed = is_timed(report);
  Table table = empty_part_table(timed, width);
  for (std::size_t i = 0; i < report.fused.outcomes.size(); ++i) {
    const NetworkPart& part = report.fused.parts.parts[i];
    const FusedPart& outcome = report.fused.of(i);
    const auto count = static_cast<double>(part.count);
    const auto times = static_cast<Int128>(part.count);
    std::vector<std::string> row = {groups_text(part, outcome), grouped(part.count)};
    if (!outcome.found) {
      row.resize(timed ? 6 : 5, "-");
      table.add(row);
      continue;
    }
    row.push_back(energy(count * outcome.unfused_pj));
    if (timed) row.push_back(grouped(times * outcome.unfused_cycles.value_or(0)));
    row.push_back(outcome.plan ? energy(count * outcome.energy_pj) : "mapped alone");
    const std::string less = times_less(outcome.unfused_pj, outcome.energy_pj);
    const std::string last = timed ? grouped(times * outcome.cycles) : less;
    row.push_back(outcome.plan ? last : "");
    table.add(row);
  }
  return table;
}

// Parts of several contractions that no plan was found for, and parts that do not fit at all.
std::string problems_text(const FusedNetworkReport& report) {
  std::string text;
  for (std::size_t i = 0; i < report.fused.outcomes.size(); ++i) {
    const FusedPart& outcome = report.fused.outcomes[i];
    if (outcome.first != i || outcome.problems.empty()) continue;
    text += fmt::format("\n{} {}:\n", groups_text(report.fused.parts.parts[i], outcome),
                        outcome.found ? "are mapped one by one" : "has no mapping");
    for (const Diagnostic& problem : outcome.problems) {
      text += fmt::format("  {}\n", to_string(problem));
    }
  }
  return text;
}

// Whether an operator reads what another one writes.
bool hands_on(const Graph& graph) {
  std::set<EdgeId> written;
  for (const Operator& one : graph.operators) written.insert(one.writes);
  return std::any_of(graph.operators.begin(), graph.operators.end(), [&](const Operator& one) {
    return std::any_of(one.reads.begin(), one.reads.end(),
                       [&](EdgeId edge) { return written.contains(edge); });
  });
}

// Why nothing of a mere list of layers is fused, and which network has the edges.
std::string edges_text(const FusedNetworkReport& report) {
  if (hands_on(report.network.graph)) return "";
  std::string text =
      "\nThe network is a list of layers: it does not say which of them reads what another "
      "writes.\n";
  for (const io::BuiltinFile& builtin : io::builtin_networks()) {
    if (builtin.name != report.network.name + "_graph") continue;
    text += fmt::format("{} has its edges.\n", builtin.name);
  }
  return text;
}

std::string cuts_text(const FusedNetworkReport& report) {
  if (report.fused.parts.cuts.empty()) return "";
  std::string text = "\nWhat goes to the outermost memory although contractions may read it:\n";
  for (const NetworkCut& cut : report.fused.parts.cuts) {
    text += fmt::format("  {}: {}{}\n", report.network.graph.operators[cut.op].name, cut.reason,
                        cut.handed_on ? "; others get it on the chip" : "");
  }
  return text;
}

Json part_json(const FusedNetworkReport& report, std::size_t number) {
  const NetworkPart& part = report.fused.parts.parts[number];
  const FusedPart& outcome = report.fused.of(number);
  Json problems = Json::array();
  for (const Diagnostic& problem : outcome.problems) problems.push_back(to_string(problem));
  return {
      {"name", part.cascade.name},
      {"count", part.count},
      {"found", outcome.found},
      {"groups", groups_of(part, outcome)},
      {"fused", outcome.plan.has_value()},
      {"unfused_pj", outcome.found ? Json(outcome.unfused_pj) : Json(nullptr)},
      {"energy_pj", outcome.found ? Json(outcome.energy_pj) : Json(nullptr)},
      {"cycles", outcome.found ? Json(outcome.cycles) : Json(nullptr)},
      {"unfused_cycles", outcome.unfused_cycles ? Json(*outcome.unfused_cycles) : Json(nullptr)},
      {"proven", outcome.proven},
      {"problems", std::move(problems)}};
}

std::string totals_text(const FusedNetworkReport& report) {
  const FusedTotals& totals = report.fused.totals;
  const auto of = [&](double pj, double cycles) {
    return is_timed(report)
               ? fmt::format("{}; {} cycles", energy(pj), grouped(std::llround(cycles)))
               : energy(pj);
  };
  const std::string objective = to_string(report.fused.objective);
  std::string text = energies_text(report.arch);
  text +=
      fmt::format("  unfused  {}\n  fused    {}, {} times less{} ({:.2f} s)\n",
                  of(totals.unfused_pj, totals.unfused_cycles), of(totals.energy_pj, totals.cycles),
                  times_less(totals.unfused_value, totals.value),
                  is_timed(report) ? " " + objective : "", report.fused.seconds);
  if (totals.proven) {
    const char* nests = report.fused.uneven_nests ? "even and uneven" : "even";
    return text + fmt::format(
                      "  proven: no plan of these parts, of {} nests with perfect factors, "
                      "has less {}\n\n",
                      nests, objective);
  }
  if (!is_timed(report) || totals.bound <= 0) return text + "  not proven for all parts\n\n";
  return text +
         fmt::format("  not proven: no plan of these parts has less than {:.1f} % of its {}\n\n",
                     100 * totals.bound / totals.value, objective);
}

}  // namespace

std::string fused_network_text(const FusedNetworkReport& report, int width) {
  return fmt::format("{} on {}, intermediates in {}\n\n", report.network.name, report.arch.name,
                     report.shared) +
         totals_text(report) + part_table(report, width).text() + problems_text(report) +
         edges_text(report) + cuts_text(report);
}

std::string fused_network_json(const FusedNetworkReport& report) {
  const FusedTotals& totals = report.fused.totals;
  Json json = origin_value(report.command, &report.arch);
  json["network"] = report.network.name;
  json["shared"] = report.shared;
  json["unfused_pj"] = totals.unfused_pj;
  json["energy_pj"] = totals.energy_pj;
  json["bound_pj"] = totals.bound_pj;
  json["objective"] = to_string(report.fused.objective);
  json["cycles"] = std::llround(totals.cycles);
  json["unfused_cycles"] = is_timed(report) ? Json(std::llround(totals.unfused_cycles)) : Json();
  json["unfused_value"] = totals.unfused_value;
  json["value"] = totals.value;
  json["bound"] = totals.bound;
  json["uneven_nests"] = report.fused.uneven_nests;
  json["proven"] = totals.proven;
  json["seconds"] = report.fused.seconds;
  json["parts"] = Json::array();
  for (std::size_t i = 0; i < report.fused.outcomes.size(); ++i) {
    json["parts"].push_back(part_json(report, i));
  }
  json["cuts"] = array_of(report.fused.parts.cuts, [&](const NetworkCut& cut) {
    return Json{{"operator", report.network.graph.operators[cut.op].name},
                {"reason", cut.reason},
                {"handed_on", cut.handed_on}};
  });
  return document("tilewright.fused_network.v1", json);
}

}  // namespace tilewright::report
