#include <fmt/format.h>

#include "reproduce/ruby_figures.h"
#include "reproduce/ruby_table.h"

namespace tilewright::reproduce {

Figure ruby_table1(const Options& /*options*/) {
  Figure figure;
  figure.name = "table1";
  figure.title =
      "Table I: mappings of one dimension over DRAM, 9 processing elements and scratchpads";
  figure.headings = {"map-space",       "size",         "printed", "recomputed", "distinct",
                     "distinct, any S", "recomputed as"};
  for (const RubyCount& count : ruby_counts()) {
    figure.rows.push_back({std::string(count.mapspace), fmt::format("{}", count.size),
                           fmt::format("{}", count.printed), fmt::format("{}", count.recomputed),
                           fmt::format("{}", count.distinct),
                           fmt::format("{}", count.distinct_unbounded), std::string(count.rule)});
  }
  figure.notes = {
      "distinct: every mapping once, S <= 9; this is what `tilewright space` counts.",
      "The printed numbers count what Timeloop's generator lists, duplicates included, and from "
      "size 1000 on for Ruby-T and Ruby only mappings whose innermost loop has a remainder. The "
      "paper does not state these rules; they were inferred, and they give all 20 numbers."};
  return figure;
}

}  // namespace tilewright::reproduce
