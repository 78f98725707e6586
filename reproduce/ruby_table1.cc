// Table I of Ruby: sizes of the map-spaces of one dimension.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "reproduce/ruby_counts.h"
#include "reproduce/ruby_figures.h"
#include "reproduce/tables.h"

namespace tilewright::reproduce {
namespace {

constexpr std::int64_t kProcessingElements = 9;
constexpr std::int64_t kScratchpadWords = 1024;  // 1 KiB, read as one word per byte

struct Rule {
  std::string_view text;
  std::int64_t (*count)(std::int64_t size, const RubySpace& space);
};

constexpr Rule kValid = {"ordered factor triples with S <= 9 and T0 <= 1024", distinct_mappings};
constexpr Rule kGenerated = {"length of the list of Timeloop's generator, duplicates counted",
                             generated_mappings};
constexpr Rule kImperfect = {"distinct mappings whose innermost loop has a remainder",
                             innermost_imperfect_mappings};

// No single rule gives all entries of the last two rows: generating the lists of
// the two largest sizes gives other numbers (2494 and 9100 for 1000).
struct CountedSpace {
  std::string_view mapspace;
  RubySpace space;
  Rule rule, rule_from_1000;
};

constexpr std::array<CountedSpace, 4> kCountedSpaces = {{
    {"PFM (9)",
     {.spatial_limit = kProcessingElements, .temporal_limit = kScratchpadWords},
     kValid,
     kValid},
    {"Ruby-S (9)",
     {.spatial_remainder = true, .spatial_limit = kProcessingElements},
     kGenerated,
     kGenerated},
    {"Ruby-T", {.temporal_remainder = true}, kGenerated, kImperfect},
    {"Ruby", {.spatial_remainder = true, .temporal_remainder = true}, kGenerated, kImperfect},
}};

RubySpace with_spatial_limit(RubySpace space, std::int64_t limit) {
  space.spatial_limit = limit;
  return space;
}

RubyCount count_of(const std::string& mapspace, std::int64_t size, std::int64_t printed) {
  const auto& row =
      *std::find_if(kCountedSpaces.begin(), kCountedSpaces.end(),
                    [&](const CountedSpace& one) { return one.mapspace == mapspace; });
  const Rule& rule = size < 1000 ? row.rule : row.rule_from_1000;
  return {
      .mapspace = mapspace,
      .size = size,
      .printed = printed,
      .recomputed = rule.count(size, row.space),
      .rule = rule.text,
      .distinct = distinct_mappings(size, with_spatial_limit(row.space, kProcessingElements)),
      .distinct_unbounded = distinct_mappings(size, with_spatial_limit(row.space, kUnlimited)),
  };
}

}  // namespace

std::vector<RubyCount> ruby_counts() {
  std::vector<RubyCount> counts;
  for (const auto& row : printed_table("ruby_table1").rows) {
    counts.push_back(count_of(row[0], std::stoll(row[1]), std::stoll(row[2])));
  }
  return counts;
}

Figure ruby_table1(const Options& /*options*/) {
  Figure figure{
      "Table I: mappings of one dimension over DRAM, 9 processing elements and scratchpads",
      {"map-space", "size", "printed", "recomputed", "distinct", "distinct, any S",
       "recomputed as"}};
  for (const RubyCount& count : ruby_counts()) {
    figure.rows.push_back({count.mapspace, fmt::format("{}", count.size),
                           fmt::format("{}", count.printed), fmt::format("{}", count.recomputed),
                           fmt::format("{}", count.distinct),
                           fmt::format("{}", count.distinct_unbounded), std::string(count.rule)});
  }
  figure.notes = {
      "distinct: every mapping once, S <= 9; this is what `tilewright space` counts where the "
      "scratchpads hold any tile. With perfect factors those of the paper hold 1024 words, which "
      "leaves 43 of 46 mappings of 4096.",
      "The printed numbers count what Timeloop's generator lists, duplicates included, and from "
      "size 1000 on for Ruby-T and Ruby only mappings whose innermost loop has a remainder. The "
      "paper does not state these rules; they were inferred, and they give all 20 numbers."};
  return figure;
}

}  // namespace tilewright::reproduce
