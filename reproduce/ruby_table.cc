#include "reproduce/ruby_table.h"

#include <array>

#include "reproduce/ruby_counts.h"

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

constexpr std::array<std::int64_t, 5> kSizes = {3, 64, 100, 1000, 4096};

// No single rule gives all entries of the last two rows: generating the lists of
// the two largest sizes gives other numbers (2494 and 9100 for 1000).
struct PrintedRow {
  std::string_view mapspace;
  RubySpace space;
  Rule rule, rule_from_1000;
  std::array<std::int64_t, kSizes.size()> printed;
};

constexpr std::array<PrintedRow, 4> kTable = {{
    {"PFM (9)",
     {.spatial_limit = kProcessingElements, .temporal_limit = kScratchpadWords},
     kValid,
     kValid,
     {3, 22, 24, 52, 43}},
    {"Ruby-S (9)",
     {.spatial_remainder = true, .spatial_limit = kProcessingElements},
     kGenerated,
     kGenerated,
     {7, 50, 61, 117, 83}},
    {"Ruby-T", {.temporal_remainder = true}, kGenerated, kImperfect, {7, 157, 247, 2392, 10040}},
    {"Ruby",
     {.spatial_remainder = true, .temporal_remainder = true},
     kGenerated,
     kImperfect,
     {11, 414, 690, 5713, 30612}},
}};

RubySpace with_spatial_limit(RubySpace space, std::int64_t limit) {
  space.spatial_limit = limit;
  return space;
}

RubyCount entry(const PrintedRow& row, std::int64_t size, std::int64_t printed) {
  const Rule& rule = size < 1000 ? row.rule : row.rule_from_1000;
  return {
      .mapspace = row.mapspace,
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
  for (const PrintedRow& row : kTable) {
    for (std::size_t i = 0; i < kSizes.size(); ++i) {
      counts.push_back(entry(row, kSizes[i], row.printed[i]));
    }
  }
  return counts;
}

}  // namespace tilewright::reproduce
