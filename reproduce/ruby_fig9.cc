#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "reproduce/common.h"
#include "reproduce/ruby_figures.h"
#include "reproduce/ruby_setup.h"
#include "reproduce/tables.h"
#include "tilewright/io.h"

namespace tilewright::reproduce {
namespace {

// Strip mining: the 27 columns of the output in two strips, one above the other on
// the array, so that all are computed at once. The rest is chosen here, as the
// paper prints no loops: 16 filters and 2 channels in a PE fill its memories; the
// outputs of half the filters stay in the buffer while all channels pass.
constexpr std::string_view kByHand = R"(mapping: strip_mining
levels:
  DRAM: {loops: [M 2, C 24]}
  GlobalBuffer: {loops: [M 3, P 27]}
  Columns: {x: [Q 14]}
  Rows: {y: [S 5, Q 2 last 1]}
  WeightSpad: {loops: [C 2, R 5]}
  PsumSpad: {loops: [M 16]}
)";

Workload alexnet_layer2() {
  return with_bits(
      make_conv2d("alexnet_conv2",
                  {.in_channels = 48, .out_channels = 96, .p = 27, .q = 27, .r = 5, .s = 5}),
      16);
}

// The baseline has no outputs of one row on its rows of PEs; Eyeriss can fold them.
Architecture with_folded_rows(Architecture arch) {
  auto& rows = std::get<Fanout>(
      arch.levels[static_cast<std::size_t>(index_of(arch.find_level("Rows").value()))]);
  rows.y.dims.value().emplace_back("Q");
  return arch;
}

Evaluation evaluate(const Problem& problem, const Mapping& mapping) {
  return Evaluator::compile(problem).value.value().evaluate(mapping);
}

Evaluation by_hand(const Architecture& arch) {
  const Problem problem = Problem::create(alexnet_layer2(), with_folded_rows(arch)).value.value();
  return evaluate(problem, io::read_mapping(kByHand, "strip mining", problem).value.value());
}

// Words that the global buffer reads and writes.
Int128 buffer_words(const Evaluation& evaluation) {
  Int128 words = 0;
  for (const Holding& holding : evaluation.memories[1].tensors) {
    words += holding.total.reads + holding.total.fills + holding.total.updates;
  }
  return words;
}

// Relative to what was made by hand: "-10.0".
std::string change_percent(double value, double by_hand) {
  return fmt::format("{:+.1f}", 100 * (value / by_hand - 1));
}

std::vector<std::string> mapping_row(const std::string& name, const Evaluation& ours,
                                     const Evaluation& hand, const Architecture& arch) {
  const auto all = static_cast<double>(physical_instances(arch, LevelId{arch.level_count() - 1}));
  const double in_use = static_cast<double>(ours.compute_instances) / all;
  return {name,
          fmt::format("{:.1f}", 100 * in_use),
          fmt::format("{:.1f}", 100 * ours.utilisation),
          "",
          fmt::format("{}", ours.score.cycles),
          fmt::format("{:.1f}", ours.score.energy_pj * 1e-6),
          fmt::format("{}", buffer_words(ours)),
          change_percent(ours.score.edp(), hand.score.edp()),
          "",
          change_percent(ours.score.energy_pj, hand.score.energy_pj),
          ""};
}

// With patience at random, as the paper does; without, the best of all.
MapOutcome search_space(const Options& options, const Architecture& arch, SpaceKind kind,
                        std::optional<std::uint64_t> patience) {
  MapOptions map = map_options(options, patience ? "random" : "optimal");
  map.space = kind;
  if (patience) map.mapper_options.set("patience", static_cast<std::int64_t>(*patience));
  const double before = kind == SpaceKind::Perfect ? 0.0 : 0.5;
  map.limits.on_progress = [&](const SearchProgress& progress) {
    tell_progress(options, to_string(kind), before + 0.5 * progress.fraction.value_or(0));
  };
  return map_workload(alexnet_layer2(), arch, map);
}

std::vector<std::string> fig9_notes(std::uint64_t patience) {
  return {
      "PEs in use: at the busiest moment; utilisation: the mean, with the last, smaller group of "
      "columns.",
      "85 % cannot be: the 5 rows of a filter fit twice on the 12 rows of PEs, so that 140 of 168 "
      "(83.3 %) are the most in use; 27 columns in groups of 7 or 14 give a mean of 80.4 %.",
      "By hand: the paper prints no loops. Ours, chosen here: the 27 columns in two strips, one "
      "above the other; 16 filters, 2 channels per PE; outputs of half the filters in the buffer.",
      "Ruby-S gains less over it than printed, and in energy alone, by fewer accesses to the "
      "buffer: both take the same cycles.",
      fmt::format("Random search until {} valid mappings in a row bring nothing. The paper stops "
                  "at 3000, where seeds still differ much. Best: by the optimal mapper, proven.",
                  patience)};
}

}  // namespace

Figure ruby_fig9(const Options& options, std::uint64_t patience) {
  Figure figure{
      "Fig. 9: layer 2 of AlexNet on the Eyeriss-like baseline, relative to by hand",
      {"mapping", "PEs in use %", "utilisation %", "paper utilisation %", "cycles", "energy uJ",
       "buffer words", "EDP %", "paper EDP %", "energy %", "paper energy %"}};
  const Architecture arch = shipped_architecture("ruby_eyeriss_14x12");
  const Evaluation hand = by_hand(arch);
  figure.rows.push_back(mapping_row("by hand", hand, hand, arch));
  for (const SpaceKind kind : {SpaceKind::Perfect, SpaceKind::RubyS}) {
    for (const bool proven : {false, true}) {
      const MapOutcome outcome = search_space(
          options, arch, kind, proven ? std::nullopt : std::optional<std::uint64_t>(patience));
      if (is_cancelled(options)) break;
      const Evaluation found = evaluate(*outcome.problem, *outcome.search.best);
      figure.rows.push_back(
          mapping_row(to_string(kind) + (proven ? ", best" : ""), found, hand, arch));
    }
  }
  add_printed(figure, "ruby_fig9");
  figure.notes = fig9_notes(patience);
  note_cancellation(options, figure);
  return figure;
}

}  // namespace tilewright::reproduce
