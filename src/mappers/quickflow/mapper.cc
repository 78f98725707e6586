// The row of the table of mappers: what a user may choose about the search.
#include <array>

#include "map/mapper_parts.h"
#include "mappers/quickflow/quickflow.h"

namespace tilewright {
namespace {

constexpr std::array<std::string_view, 2> kPresets = {"fast", "paper"};
constexpr std::array<std::string_view, 2> kTieBreaks = {"depth", "none"};

constexpr MapperOption kPreset{
    .name = "quickflow",
    .kind = MapperOption::Kind::Choice,
    .help =
        "how quickflow searches: fast, or as in its paper (one start, beams of 1024, chains of 8 "
        "moves); the options below change single parts of that",
    .fallback = "fast",
    .choices = kPresets};
constexpr MapperOption kStarts{.name = "starts",
                               .help =
                                   "of quickflow: 1 is the outermost alone, each other one "
                                   "makes a tensor stationary",
                               .least = 1,
                               .most = kMaxTensors + 1};

constexpr MapperOption hops_option(std::string_view name, std::string_view help) {
  return {.name = name, .help = help, .most = 64};
}
constexpr MapperOption kParallelismHops =
    hops_option("parallelism-hops", "of quickflow's first round, over fan-outs; 0 leaves it out");
constexpr MapperOption kTilingHops =
    hops_option("tiling-hops", "of its second round, over memories; 0 leaves it out");
constexpr MapperOption kBothHops =
    hops_option("both-hops", "of its third round, over all; 0 leaves it out");
constexpr MapperOption kBestHops =
    hops_option("best-hops", "of its last round, from the best; 0 leaves it out");
constexpr MapperOption kBeam{.name = "beam",
                             .help =
                                 "of quickflow: allocations that go on after a hop, in all "
                                 "rounds",
                             .least = 1,
                             .most = 1'000'000};
constexpr MapperOption kWidenings{
    .name = "widenings",
    .help = "of quickflow: how often a beam in vain is made four times wider, in all rounds",
    .most = 10};
constexpr MapperOption kTieBreak{
    .name = "tie-break",
    .kind = MapperOption::Kind::Choice,
    .help =
        "of quickflow: among costs within about 1 %, the deeper factors (depth); or costs as "
        "they are (none)",
    .choices = kTieBreaks};

// An option that is not given leaves what the preset says.
void set(const OptionValues& options, const MapperOption& option, int& value) {
  if (options.has(option)) value = static_cast<int>(options.count(option));
}

QuickflowSettings settings_of(const OptionValues& options) {
  QuickflowSettings settings =
      options.choice(kPreset) == "paper" ? QuickflowSettings::of_paper() : QuickflowSettings{};
  set(options, kStarts, settings.starts);
  set(options, kParallelismHops, settings.parallelism.hops);
  set(options, kTilingHops, settings.tiling.hops);
  set(options, kBothHops, settings.both.hops);
  set(options, kBothHops, settings.both_uneven.hops);
  set(options, kBestHops, settings.best.hops);
  for (QuickflowSettings::Round* round : {&settings.parallelism, &settings.tiling, &settings.both,
                                          &settings.both_uneven, &settings.best}) {
    set(options, kBeam, round->beam);
    set(options, kWidenings, round->widenings);
  }
  if (options.has(kTieBreak)) settings.tie_by_depth = options.choice(kTieBreak) == "depth";
  return settings;
}

}  // namespace

// The paper goes on from the best of a search of N hops, at most M times; M is such that
// chains of eight moves can be found. One beam of eight hops does that.
QuickflowSettings QuickflowSettings::of_paper() {
  constexpr Round kEightMoves{8, 1024, 0}, kLeftOut{0, 1, 0};
  QuickflowSettings settings;
  settings.parallelism = settings.tiling = settings.both = settings.both_uneven = kEightMoves;
  settings.best = kLeftOut;
  settings.starts = 1;
  settings.tie_by_depth = false;
  return settings;
}

const Mapper& quickflow_mapper() {
  static const Mapper row{
      .name = "quickflow",
      .summary = "a good one in milliseconds (docs/quickflow.md)",
      .options = {kEvaluations, kTarget, kPreset, kStarts, kParallelismHops, kTilingHops, kBothHops,
                  kBestHops, kBeam, kWidenings, kTieBreak},
      .run = [](const MappingTask& task, const Limits& limits, const OptionValues& options) {
        return result_of(search_locally(task, limits, settings_of(options)));
      }};
  return row;
}

}  // namespace tilewright
