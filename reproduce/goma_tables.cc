// Tables II and III of GOMA: all cases in one number per mapper.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string_view>

#include "reproduce/goma_figures.h"
#include "reproduce/making.h"

namespace tilewright::reproduce {

namespace {

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

std::string text(double value) { return fmt::format("{:.3g}", value); }

// A mapper of the paper.
struct Printed {
  std::string_view mapper, edp_geomean, edp_median, time_geomean;
};
constexpr std::array<Printed, 6> kPrinted = {{{"GOMA", "1.00", "1.00", "1.00"},
                                              {"CoSA", "2.24", "1.83", "3.83"},
                                              {"FactorFlow", "3.91", "2.51", "23.3"},
                                              {"LOMA", "4.17", "4.31", "11.0"},
                                              {"SALSA", "4.24", "4.37", "73.6"},
                                              {"Timeloop Hybrid", "98.5", "2.95", "43.5"}}};

using CaseValue = double (GomaCaseResult::*)(std::size_t mapper) const;

// A value of every case over that of the yardstick.
std::vector<double> normalised(const GomaRun& run, std::size_t mapper, CaseValue value) {
  std::vector<double> ratios;
  for (const GomaCaseResult& result : run.cases) {
    ratios.push_back((result.*value)(mapper) / (result.*value)(0));
  }
  return ratios;
}

std::vector<std::string> edp_row(const GomaRun& run, std::size_t mapper) {
  const std::vector<double> ratios = normalised(run, mapper, &GomaCaseResult::edp);
  const auto [least, largest] = std::minmax_element(ratios.begin(), ratios.end());
  return {"here",       run.mappers[mapper], text(geometric_mean(ratios)),    text(median(ratios)),
          text(*least), text(*largest),      fmt::format("{}", ratios.size())};
}

std::vector<std::string> time_row(const GomaRun& run, std::size_t mapper) {
  std::vector<double> of_case, of_product;
  for (const GomaCaseResult& result : run.cases) {
    of_case.push_back(result.seconds(mapper));
    for (const GomaLayer& layer : result.layers) {
      of_product.push_back(layer.results[mapper].seconds);
    }
  }
  const double all = std::accumulate(of_product.begin(), of_product.end(), 0.0);
  return {"here",
          run.mappers[mapper],
          text(geometric_mean(normalised(run, mapper, &GomaCaseResult::seconds))),
          text(geometric_mean(of_case)),
          text(all / static_cast<double>(of_product.size())),
          text(*std::max_element(of_product.begin(), of_product.end())),
          fmt::format("{}", of_case.size())};
}

}  // namespace

Figure goma_table2(const Options& options, const std::vector<GomaCase>& cases,
                   const GomaEffort& effort) {
  Figure figure;
  figure.name = "table2";
  figure.title = "Table II: EDP over all cases, as multiples of a mapper's";
  figure.headings = {"from", "mapper", "geometric mean", "median", "least", "largest", "cases"};
  const GomaRun run = run_goma(cases, options, effort);
  for (std::size_t m = 0; m < run.mappers.size() && !run.cases.empty(); ++m) {
    figure.rows.push_back(edp_row(run, m));
  }
  for (const Printed& printed : kPrinted) {
    figure.rows.push_back({"paper", std::string(printed.mapper), std::string(printed.edp_geomean),
                           std::string(printed.edp_median), "", "", "24"});
  }
  add_edp_note(figure, run);
  add_goma_notes(figure, run, options, effort);
  return figure;
}

Figure goma_table3(const Options& options, const std::vector<GomaCase>& cases,
                   const GomaEffort& effort) {
  Figure figure;
  figure.name = "table3";
  figure.title = "Table III: time to map a case, as multiples of a mapper's";
  figure.headings = {"from",       "mapper",     "geometric mean", "s per case",
                     "s per GEMM", "s at worst", "cases"};
  const GomaRun run = run_goma(cases, options, effort);
  for (std::size_t m = 0; m < run.published && !run.cases.empty(); ++m) {
    figure.rows.push_back(time_row(run, m));
  }
  for (const Printed& printed : kPrinted) {
    const bool goma = printed.mapper == "GOMA";
    figure.rows.push_back({"paper", std::string(printed.mapper), std::string(printed.time_geomean),
                           goma ? "5.22" : "", goma ? "0.65" : "", goma ? "3.6" : "", "24"});
  }
  add_goma_notes(figure, run, options, effort);
  figure.notes.emplace_back(
      "s per case: the geometric mean. Seconds are of this machine and this run, the paper's of a "
      "laptop (Ryzen 7 7840H).");
  return figure;
}

Figure goma_table2(const Options& options) { return goma_table2(options, goma_cases(), {}); }

Figure goma_table3(const Options& options) { return goma_table3(options, goma_cases(), {}); }

}  // namespace tilewright::reproduce
