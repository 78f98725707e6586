// Figures 6 and 7 of GOMA: mappers beside each other, case by case and product by
// product; and single products beside the optima that GOMA's authors recorded.
#include <fmt/format.h>

#include <cmath>

#include "reproduce/goma_figures.h"

namespace tilewright::reproduce {

namespace {

std::string ratio_text(double value) {
  return std::isnan(value) ? "-" : fmt::format("{:.4f}", value);
}

// The EDP of the yardstick, and the others as multiples of it.
void add_edp_headings(Figure& figure, const GomaRun& run) {
  figure.headings.push_back("EDP " + run.mappers.front());
  figure.headings.insert(figure.headings.end(), run.mappers.begin() + 1, run.mappers.end());
}

void add_edps(std::vector<std::string>& row, const std::vector<double>& edps) {
  row.push_back(fmt::format("{:.6g}", edps.front()));
  for (std::size_t m = 1; m < edps.size(); ++m) row.push_back(ratio_text(edps[m] / edps.front()));
}

std::vector<double> edps_of(const GomaCaseResult& result, std::size_t mappers) {
  std::vector<double> edps;
  for (std::size_t m = 0; m < mappers; ++m) edps.push_back(result.edp(m));
  return edps;
}

std::vector<double> edps_of(const GomaLayer& layer) {
  std::vector<double> edps;
  for (const GomaResult& result : layer.results) {
    edps.push_back(result.found ? result.score.edp() : std::numeric_limits<double>::quiet_NaN());
  }
  return edps;
}

// X, Y and Z of a product of make_gemm().
std::vector<std::string> sizes_of(const Workload& workload) {
  std::vector<std::string> sizes;
  for (const char* dim : {"N", "M", "K"}) {
    sizes.push_back(fmt::format("{}", workload.dim(workload.find_dim(dim).value()).size));
  }
  return sizes;
}

// Who is nearer to the optimum, product by product.
struct Tally {
  int equal = 0, better = 0, worse = 0;

  void count(double ratio) {
    constexpr double kDigits = 1e-8;  // the recorded digits, and those of the energies
    if (ratio > 1 + kDigits) {
      ++worse;
    } else {
      ++(ratio < 1 - kDigits ? better : equal);
    }
  }
};

std::vector<std::string> optimum_row(const GomaCaseResult& result, const GomaLayer& layer,
                                     const GomaRun& run, Tally& tally) {
  const auto macs = static_cast<double>(multiply_accumulates(layer.layer.workload));
  const double ours = layer.results.front().score.energy_pj / macs;
  const double published = layer.results[run.published].score.energy_pj / macs;
  tally.count(ours / published);
  std::vector<std::string> row = {result.evaluated.accelerator, result.evaluated.workload,
                                  layer.layer.name};
  for (std::string& size : sizes_of(layer.layer.workload)) row.push_back(std::move(size));
  row.push_back(fmt::format("{:.10g}", ours));
  row.push_back(fmt::format("{:.10g}", published));
  row.push_back(fmt::format("{:.8f}", ours / published));
  return row;
}

}  // namespace

Figure goma_fig6(const Options& options, const std::vector<GomaCase>& cases,
                 const GomaEffort& effort) {
  Figure figure{"Figure 6: EDP of every case", {"accelerator", "workload"}};
  const GomaRun run = run_goma(cases, options, effort);
  add_edp_headings(figure, run);
  for (const GomaCaseResult& result : run.cases) {
    std::vector<std::string> row = {result.evaluated.accelerator, result.evaluated.workload};
    add_edps(row, edps_of(result, run.mappers.size()));
    figure.rows.push_back(std::move(row));
  }
  add_edp_note(figure, run);
  add_goma_notes(figure, run, options, effort);
  figure.notes.emplace_back(
      "The paper draws its bars without numbers; Table II sums them up. It states that Timeloop "
      "Hybrid comes next to GOMA on the Eyeriss-like and the Gemmini-like, and reaches 10^5 times "
      "GOMA's EDP on the other two.");
  return figure;
}

Figure goma_fig7(const Options& options, const GomaEffort& effort) {
  Figure figure{"Figure 7: EDP of every product of two cases",
                {"accelerator", "workload", "product", "X", "Y", "Z", "count"}};
  const GomaRun run =
      run_goma({{"goma_gemmini_like", "llama3.2_1b_1k"}, {"a100_like", "llama3.3_70b_128k"}},
               options, effort);
  add_edp_headings(figure, run);
  for (const GomaCaseResult& result : run.cases) {
    for (const GomaLayer& layer : result.layers) {
      std::vector<std::string> row = {result.evaluated.accelerator, result.evaluated.workload,
                                      layer.layer.name};
      for (std::string& size : sizes_of(layer.layer.workload)) row.push_back(std::move(size));
      row.push_back(fmt::format("{}", layer.layer.count));
      add_edps(row, edps_of(layer));
      figure.rows.push_back(std::move(row));
    }
  }
  add_edp_note(figure, run);
  add_goma_notes(figure, run, options, effort);
  figure.notes.emplace_back(
      "The paper draws its bars without numbers. It states that on lm_head of the first case "
      "Timeloop Hybrid reaches the optimum, and that the gaps grow with the products.");
  return figure;
}

Figure goma_optima(const Options& options, const std::vector<GomaCase>& cases,
                   const GomaEffort& effort) {
  Figure figure;
  const GomaRun run = run_goma(cases, options, effort);
  figure.title = "pJ per multiply-accumulate of every product, beside GOMA's solver";
  figure.headings = {"accelerator", "workload", "product",           "X",
                     "Y",           "Z",        run.mappers.front(), run.mappers[run.published],
                     "ratio"};
  Tally tally;
  for (const GomaCaseResult& result : run.cases) {
    for (const GomaLayer& layer : result.layers) {
      figure.rows.push_back(optimum_row(result, layer, run, tally));
    }
  }
  figure.notes.push_back(
      fmt::format("\"{}\" equals GOMA's solver on {} products, is better on {} and worse on {}.",
                  run.mappers.front(), tally.equal, tally.better, tally.worse));
  add_goma_notes(figure, run, options, effort);
  return figure;
}

}  // namespace tilewright::reproduce
