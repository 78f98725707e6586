// Tables II and III of GOMA: all cases in one number per mapper.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "reproduce/common.h"
#include "reproduce/goma_figures.h"

namespace tilewright::reproduce {

namespace {

std::string rounded_text(double value) { return fmt::format("{:.3g}", value); }

using CaseValue = double (GomaCaseResult::*)(std::size_t mapper) const;

// A value of every case over that of the yardstick.
std::vector<double> normalised(const GomaRun& run, std::size_t mapper, CaseValue value) {
  std::vector<double> ratios;
  for (const GomaCaseResult& result : run.cases) {
    const double ratio = (result.*value)(mapper) / (result.*value)(0);
    if (!std::isnan(ratio)) ratios.push_back(ratio);
  }
  return ratios;
}

std::vector<std::string> edp_row(const GomaRun& run, std::size_t mapper) {
  const std::vector<double> ratios = normalised(run, mapper, &GomaCaseResult::edp);
  if (ratios.empty()) return {"here", run.mappers[mapper], "", "", "", "", "0"};
  const auto [least, largest] = std::minmax_element(ratios.begin(), ratios.end());
  return {"here",
          run.mappers[mapper],
          rounded_text(geometric_mean(ratios)),
          rounded_text(median(ratios)),
          rounded_text(*least),
          rounded_text(*largest),
          fmt::format("{}", ratios.size())};
}

std::vector<std::string> time_row(const GomaRun& run, std::size_t mapper) {
  std::vector<double> of_case, of_product;
  for (const GomaCaseResult& result : run.cases) {
    of_case.push_back(result.seconds(mapper));
    for (const GomaLayer& layer : result.layers) {
      of_product.push_back(layer.results[mapper].seconds);
    }
  }
  return {"here",
          run.mappers[mapper],
          rounded_text(geometric_mean(normalised(run, mapper, &GomaCaseResult::seconds))),
          rounded_text(geometric_mean(of_case)),
          rounded_text(mean(of_product)),
          rounded_text(*std::max_element(of_product.begin(), of_product.end())),
          fmt::format("{}", of_case.size())};
}

void add_printed_rows(Figure& figure, std::string_view table) {
  for (const auto& row : printed_table(table).rows) figure.rows.push_back(row);
}

}  // namespace

Figure goma_table2(const Options& options, const std::vector<GomaCase>& cases,
                   const GomaEffort& effort) {
  Figure figure{"Table II: EDP over all cases, as multiples of a mapper's",
                {"from", "mapper", "geometric mean", "median", "least", "largest", "cases"}};
  const GomaRun run = run_goma(cases, options, effort);
  for (std::size_t m = 0; m < run.mappers.size() && !run.cases.empty(); ++m) {
    figure.rows.push_back(edp_row(run, m));
  }
  add_printed_rows(figure, "goma_table2");
  add_edp_note(figure, run);
  add_goma_notes(figure, run, options, effort);
  return figure;
}

Figure goma_table3(const Options& options, const std::vector<GomaCase>& cases,
                   const GomaEffort& effort) {
  Figure figure{
      "Table III: time to map a case, as multiples of a mapper's",
      {"from", "mapper", "geometric mean", "s per case", "s per GEMM", "s at worst", "cases"}};
  const GomaRun run = run_goma(cases, options, effort);
  for (std::size_t m = 0; m < run.published && !run.cases.empty(); ++m) {
    figure.rows.push_back(time_row(run, m));
  }
  add_printed_rows(figure, "goma_table3");
  add_goma_notes(figure, run, options, effort);
  figure.notes.emplace_back(
      "s per case: the geometric mean. Seconds are of this machine and this run, the paper's of a "
      "laptop (Ryzen 7 7840H).");
  return figure;
}

}  // namespace tilewright::reproduce
