#include <fmt/format.h>

#include "report/names.h"
#include "tilewright/report.h"

namespace tilewright::report {
namespace {

using Cells = std::vector<std::string>;

const Cells kHeadings = {"layer",  "count",         "macs",        "status",     "energy_pj",
                         "cycles", "edp_pj_cycles", "utilisation", "limited_by", "found_by",
                         "proven", "gap",           "seconds"};

// What a layer that was mapped, or could not be, comes to.
struct MappedLayer {
  const std::string& name;
  std::int64_t count;
  Int128 macs;
  const Architecture& arch;
  const MapOutcome& outcome;
};

Cells proof_cells(const MapOutcome& outcome) {
  if (!outcome.proof) return {"false", ""};
  const Proof& proof = *outcome.proof;
  return {proof.status == Proof::Status::Proven ? "true" : "false",
          proof.bound > 0 ? fmt::format("{}", proof.gap) : ""};
}

std::string layer_line(const MappedLayer& row) {
  const MapOutcome& outcome = row.outcome;
  Cells cells = {row.name, fmt::format("{}", row.count), fmt::format("{}", row.macs),
                 status_name(outcome.status)};
  if (outcome.found()) {
    const Score& score = outcome.search.score;
    cells.insert(cells.end(),
                 {fmt::format("{}", score.energy_pj), fmt::format("{}", score.cycles),
                  fmt::format("{}", score.edp()),
                  fmt::format("{}", utilisation(row.arch, row.macs, score.cycles)),
                  short_bottleneck(result_of(outcome)), std::string(outcome.found_by->name)});
    const Cells proof = proof_cells(outcome);
    append(cells, proof);
    cells.push_back(fmt::format("{}", outcome.search.seconds));
  }
  cells.resize(kHeadings.size());
  return csv_row(cells);
}

}  // namespace

std::string map_csv(const MapReport& report) {
  const MapOutcome& outcome = report.outcome;
  const Problem& problem = *outcome.problem;
  return csv_row(kHeadings) +
         layer_line({problem.workload().name, 1, outcome.useful_macs, problem.arch(), outcome});
}

std::string mapped_network_csv(const NetworkReport& report) {
  std::string text = csv_row(kHeadings);
  for (std::size_t i = 0; i < report.network.layers.size(); ++i) {
    const Layer& layer = report.network.layers[i];
    text += layer_line({layer.name, layer.count, multiply_accumulates(layer.workload), report.arch,
                        report.outcome.of(i)});
  }
  return text;
}

std::string pareto_csv(const ParetoReport& report) {
  const Int128 macs = multiply_accumulates(report.problem.workload());
  std::vector<std::string> headings = {"number",        "cycles",      "energy_pj",
                                       "edp_pj_cycles", "utilisation", "limited_by"};
  const bool flexible = report.front.settings > 0;
  if (flexible) headings.emplace_back("setting");
  std::string text = csv_row(headings);
  for (std::size_t i = 0; i < report.front.points.size(); ++i) {
    const auto& [mapping, score, apart, setting] = report.front.points[i];
    const Problem& problem = apart ? *apart : report.problem;
    const Checked<Evaluator> evaluator = Evaluator::compile(problem);
    std::vector<std::string> row = {
        fmt::format("{}", i + 1),
        fmt::format("{}", score.cycles),
        fmt::format("{}", score.energy_pj),
        fmt::format("{}", score.edp()),
        fmt::format("{}", utilisation(report.problem.arch(), macs, score.cycles)),
        short_bottleneck({problem, mapping, evaluator.value->evaluate(mapping)})};
    if (flexible) row.push_back(to_string(*setting));
    text += csv_row(row);
  }
  return text;
}

}  // namespace tilewright::report
