// Figure 6 of QuickFlow: its local search beside the mappers that the paper compares with, all
// under one model, and beside the optimum, which the paper could not tell.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/deadline.h"
#include "reproduce/common.h"
#include "reproduce/quickflow_figures.h"
#include "reproduce/tables.h"
#include "tilewright/map.h"

namespace tilewright::reproduce {

namespace {

struct Contender {
  std::string name;
  MapOptions options;
};

constexpr std::int64_t kAsPrinted = 1;  // the second of the choices of --quickflow

// QuickFlow's own first: all others are held against it.
std::vector<Contender> contenders(const Options& options) {
  const auto with = [&](const char* mapper, const std::map<const char*, std::int64_t>& counts) {
    MapOptions map = map_options(options, mapper);
    for (const auto& [name, count] : counts) map.mapper_options.set(name, count);
    return map;
  };
  return {
      {"QuickFlow", with("quickflow", {})},
      {"QuickFlow as printed", with("quickflow", {{"quickflow", kAsPrinted}})},
      {"FactorFlow", with("factorflow", {})},
      {"LOMA-7", with("loma", {{"most-loops", 7}})},
      {"SALSA", with("salsa", {})},
      {"Timeloop D", with("timeloop-hybrid", {{"timeout", 1000}, {"victory-condition", 500}})},
      {"Timeloop L", with("timeloop-hybrid", {{"timeout", 15'000}, {"victory-condition", 7500}})}};
}

// What one mapper made of one map-space.
struct Entry {
  std::optional<double> edp;  // nothing if it found no mapping
  double seconds = 0;
  double visited = 0;
};

struct SpaceEntries {
  QuickflowSpace space;
  double optimum = 0;
  std::vector<Entry> entries;  // as the contenders
};

struct Contest {
  std::vector<std::string> names;
  std::vector<SpaceEntries> spaces;
};

Entry enter(const QuickflowSpace& space, const Architecture& arch, const MapOptions& options) {
  const Stopwatch stopwatch;
  const MapOutcome outcome = map_workload(space.kernel.workload, arch, options);
  Entry entry;
  entry.seconds = stopwatch.seconds();
  entry.visited = static_cast<double>(outcome.search.seen);
  if (outcome.found()) entry.edp = outcome.search.score.edp();
  return entry;
}

Contest hold_anew(const std::vector<QuickflowSpace>& spaces, const Options& options) {
  const std::vector<Contender> all = contenders(options);
  Contest contest;
  for (const Contender& one : all) contest.names.push_back(one.name);
  for (std::size_t i = 0; i < spaces.size() && !is_cancelled(options); ++i) {
    tell_progress(options, spaces[i].name(), i, spaces.size());
    const auto optimum = proven_optimum(ReadySpace(spaces[i]), Objective::Edp, options);
    SpaceEntries of_space{spaces[i], optimum.value_or(0), {}};
    const Architecture arch = shipped_architecture(spaces[i].architecture);
    for (const Contender& one : all)
      of_space.entries.push_back(enter(spaces[i], arch, one.options));
    if (optimum && !is_cancelled(options)) contest.spaces.push_back(std::move(of_space));
  }
  return contest;
}

Contest hold(const std::vector<QuickflowSpace>& spaces, const Options& options) {
  std::string name = "quickflow";
  for (const QuickflowSpace& space : spaces) name += ", " + space.name();
  return shared_result(options, name, [&] { return hold_anew(spaces, options); });
}

std::vector<std::string> entry_row(const SpaceEntries& of_space, const std::string& name,
                                   const Entry& entry) {
  const auto number = [&](double value) { return fmt::format("{:.6g}", value); };
  return {of_space.space.architecture,
          of_space.space.kernel.name,
          std::string(kKernelTypes[of_space.space.type].name),
          name,
          entry.edp ? number(*entry.edp) : "",
          number(of_space.optimum),
          entry.edp ? fmt::format("{:.4f}", *entry.edp / of_space.optimum) : "",
          fmt::format("{:.1f}", 1e3 * entry.seconds),
          fmt::format("{:.0f}", entry.visited)};
}

// --- over all map-spaces ---------------------------------------------------------

// Of a mapper, over the first's: "1.0 to 18000".
std::string range_text(const std::vector<double>& ratios) {
  const auto [least, largest] = std::minmax_element(ratios.begin(), ratios.end());
  return fmt::format("{:.3g} to {:.3g}", *least, *largest);
}

struct Ratios {
  std::vector<double> of_optimum, edp, seconds, visited;  // the last three over the first's

  void add(const Entry& entry, const Entry& first, double optimum) {
    if (entry.edp) of_optimum.push_back(*entry.edp / optimum);
    if (entry.edp && first.edp) edp.push_back(*entry.edp / *first.edp);
    seconds.push_back(entry.seconds / first.seconds);
    visited.push_back(entry.visited / first.visited);
  }
};

std::vector<std::string> standing_row(const std::string& name, const Ratios& ratios) {
  const auto within = std::count_if(ratios.of_optimum.begin(), ratios.of_optimum.end(),
                                    [](double ratio) { return ratio <= 1.01; });
  const bool any = !ratios.edp.empty();
  return {name,
          fmt::format("{} of {}", ratios.of_optimum.size(), ratios.seconds.size()),
          any ? fmt::format("{:.4f}", geometric_mean(ratios.of_optimum)) : "",
          any ? fmt::format("{:.4g}",
                            *std::max_element(ratios.of_optimum.begin(), ratios.of_optimum.end()))
              : "",
          fmt::format("{}", within),
          any ? range_text(ratios.edp) : "",
          "",
          range_text(ratios.seconds),
          "",
          fmt::format("{:.3g}", mean(ratios.visited)),
          ""};
}

// The best of the others, as the paper's headline has it; the published mappers alone.
Ratios best_of_others(const Contest& contest) {
  Ratios best;
  for (const SpaceEntries& of_space : contest.spaces) {
    std::optional<Entry> entry;
    for (std::size_t m = 2; m < of_space.entries.size(); ++m) {
      const Entry& other = of_space.entries[m];
      if (other.edp && (!entry || *other.edp < *entry->edp)) entry = other;
    }
    if (entry) best.add(*entry, of_space.entries.front(), of_space.optimum);
  }
  return best;
}

void add_contest_notes(Figure& figure, const Options& options) {
  add_notes(
      figure,
      {"optimum: that of all mappings with perfect factors, proven (docs/optimal.md).",
       fmt::format(
           "All mappers are our rows (docs/arena.md) under one exact model, with {} threads "
           "where they use several; times are of this machine and this run. The paper runs "
           "each tool with its own model, and 8 threads.",
           options.threads),
       "QuickFlow: `--mapper quickflow`; as printed: `--quickflow paper` (docs/quickflow.md). "
       "FactorFlow, LOMA-7, SALSA: their published settings; Timeloop D and L: the hybrid search "
       "with `--timeout` 1000 and `--victory-condition` 500, and with fifteen times as much."});
  note_cancellation(options, figure);
}

}  // namespace

Figure quickflow_fig6(const Options& options, const std::vector<QuickflowSpace>& spaces,
                      const QuickflowEffort& /*effort*/) {
  Figure figure{"Figure 6: EDP (pJ * cycles), time and visited mappings of all mappers",
                {"architecture", "kernel", "type", "mapper", "EDP", "optimum", "over optimum", "ms",
                 "visited"}};
  const Contest contest = hold(spaces, options);
  for (const SpaceEntries& of_space : contest.spaces) {
    for (std::size_t m = 0; m < contest.names.size(); ++m) {
      figure.rows.push_back(entry_row(of_space, contest.names[m], of_space.entries[m]));
    }
  }
  figure.notes = {
      "The paper draws EDP, times and visits without numbers; `mappers` has what its "
      "text says of them."};
  add_contest_notes(figure, options);
  return figure;
}

Figure quickflow_mappers(const Options& options, const std::vector<QuickflowSpace>& spaces,
                         const QuickflowEffort& /*effort*/) {
  Figure figure{
      "Figure 6 over all map-spaces: mappers beside QuickFlow",
      {"mapper", "found", "over optimum", "at worst", "within 1 %", "EDP over QuickFlow",
       "EDP paper", "time over QuickFlow", "time paper", "visits over QuickFlow", "visits paper"}};
  const Contest contest = hold(spaces, options);
  for (std::size_t m = 0; m < contest.names.size() && !contest.spaces.empty(); ++m) {
    Ratios ratios;
    for (const SpaceEntries& of_space : contest.spaces) {
      ratios.add(of_space.entries[m], of_space.entries.front(), of_space.optimum);
    }
    figure.rows.push_back(standing_row(contest.names[m], ratios));
  }
  if (!contest.spaces.empty()) {
    figure.rows.push_back(standing_row("best of the others", best_of_others(contest)));
  }
  add_printed(figure, "quickflow_mappers");
  figure.notes = {
      "over optimum: geometric mean, at worst: the largest, both of mappings that were found. "
      "Over QuickFlow: from the least to the largest; visits: the mean, as the paper has it.",
      "Paper: its range, and in brackets its average, where it states one. It takes LOMA and SALSA "
      "together."};
  add_contest_notes(figure, options);
  return figure;
}

}  // namespace tilewright::reproduce
