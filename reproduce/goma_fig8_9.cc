// Figures 8 and 9 of GOMA: how long mappers take, case by case, and product by product of one.
#include <fmt/format.h>

#include "reproduce/common.h"
#include "reproduce/goma_figures.h"

namespace tilewright::reproduce {

namespace {

// The seconds of the yardstick, and the others as multiples of it.
void add_time_headings(Figure& figure, const GomaRun& run) {
  figure.headings.push_back("s " + run.mappers.front());
  figure.headings.insert(figure.headings.end(), run.mappers.begin() + 1,
                         run.mappers.begin() + static_cast<std::ptrdiff_t>(run.published));
}

void add_times(std::vector<std::string>& row, const std::vector<double>& seconds) {
  row.push_back(fmt::format("{:.4f}", seconds.front()));
  for (std::size_t m = 1; m < seconds.size(); ++m) {
    row.push_back(fmt::format("{:.3g}", seconds[m] / seconds.front()));
  }
}

void add_time_notes(Figure& figure) {
  figure.notes.emplace_back(
      "Seconds are of this machine and this run. Times of others stand as multiples of the "
      "first's, "
      "whose mapping is proven to be optimal.");
}

}  // namespace

Figure goma_fig8(const Options& options, const std::vector<GomaCase>& cases,
                 const GomaEffort& effort) {
  Figure figure{"Figure 8: time to map every case", {"accelerator", "workload"}};
  const GomaRun run = run_goma(cases, options, effort);
  add_time_headings(figure, run);
  for (const GomaCaseResult& result : run.cases) {
    std::vector<std::string> row = {result.evaluated.accelerator, result.evaluated.workload};
    std::vector<double> seconds;
    for (std::size_t m = 0; m < run.published; ++m) seconds.push_back(result.seconds(m));
    add_times(row, seconds);
    figure.rows.push_back(std::move(row));
  }
  add_time_notes(figure);
  add_goma_notes(figure, run, options, effort);
  figure.notes.emplace_back(
      "The paper draws its bars without numbers; Table III sums them up. It states that CoSA is "
      "close to GOMA on small cases and sometimes faster.");
  return figure;
}

Figure goma_fig9(const Options& options, const GomaEffort& effort) {
  Figure figure{"Figure 9: time to map every product of a large case",
                {"accelerator", "workload", "product"}};
  const GomaRun run = run_goma({{"a100_like", "qwen3_32b_128k"}}, options, effort);
  add_time_headings(figure, run);
  for (const GomaCaseResult& result : run.cases) {
    for (const GomaLayer& layer : result.layers) {
      std::vector<std::string> row = {result.evaluated.accelerator, result.evaluated.workload,
                                      layer.layer.name};
      std::vector<double> seconds;
      for (std::size_t m = 0; m < run.published; ++m) {
        seconds.push_back(layer.results[m].seconds);
      }
      add_times(row, seconds);
      figure.rows.push_back(std::move(row));
    }
  }
  add_time_notes(figure);
  add_goma_notes(figure, run, options, effort);
  figure.notes.emplace_back(
      "The paper compares GOMA with CoSA, limited to 300 s a product: CoSA takes hundreds of "
      "seconds for attn_output, mlp_gate_up, mlp_down and lm_head. GOMA takes 3.6 s at most.");
  return figure;
}

}  // namespace tilewright::reproduce
