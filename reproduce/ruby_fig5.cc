#include <fmt/format.h>

#include "reproduce/common.h"
#include "reproduce/ruby_figures.h"
#include "reproduce/ruby_setup.h"
#include "reproduce/tables.h"

namespace tilewright::reproduce {
namespace {

constexpr std::int64_t kElements = 100;

// "17", or "6 (last 4)" if the last pass is shorter.
std::string bound_text(const MapOutcome& outcome, const std::string& slot_name) {
  const Problem& problem = *outcome.problem;
  const Mapping& mapping = *outcome.search.best;
  const std::vector<std::int64_t> last = last_passes(problem, mapping, DimId{0});
  int slot = 0;
  while (problem.slot_name(slot) != slot_name) ++slot;
  const std::int64_t bound = mapping.bound(slot, DimId{0});
  const std::int64_t last_pass = last[static_cast<std::size_t>(slot)];
  return last_pass == bound ? fmt::format("{}", bound)
                            : fmt::format("{} (last {})", bound, last_pass);
}

std::vector<std::string> fastest_row(SpaceKind kind, const MapOutcome& outcome) {
  return {to_string(kind),
          outcome.space_size.to_string(),
          fmt::format("{}", outcome.search.score.cycles),
          "",
          bound_text(outcome, "DRAM"),
          bound_text(outcome, "GLB"),
          bound_text(outcome, "PEs.x"),
          ""};
}

}  // namespace

Figure ruby_fig5(const Options& options) {
  Figure figure{"Figs. 4 and 5: the fastest way to distribute 100 elements over 6 PEs",
                {"map-space", "mappings", "cycles", "paper cycles", "DRAM", "GLB", "PEs",
                 "paper DRAM, GLB, PEs"}};
  const Architecture arch = shipped_architecture("toy_linear");
  MapOptions map = map_options(options, "exhaustive");
  map.objective = Objective::Latency;
  for (const SpaceKind kind : kRubySpaces) {
    tell_progress(options, to_string(kind), 0.25 * static_cast<double>(figure.rows.size()));
    map.space = kind;
    const MapOutcome outcome = map_workload(ruby_elements(kElements), arch, map);
    if (is_cancelled(options)) break;
    figure.rows.push_back(fastest_row(kind, outcome));
  }
  add_printed(figure, "ruby_fig5");
  figure.notes = {
      "Every mapping was tried; the bounds are of one of the fastest. Every element is moved once "
      "whether DRAM or GLB counts the steps, so the printed mappings are as good.",
      "The PEs stand in a row, not 3 x 2 as drawn: 5 of them in use is no split of 3 x 2."};
  note_cancellation(options, figure);
  return figure;
}

}  // namespace tilewright::reproduce
