// The tables and figures of Ruby, one function each. Some can also be made in
// part or with less effort, which tests do.
#pragma once

#include <cstdint>
#include <limits>

#include "reproduce/figure.h"

namespace tilewright::reproduce {

Figure ruby_fig5(const Options& options);

struct Fig7Effort {
  int runs = 30;
  std::uint64_t mappings = 10'000;       // valid ones, per run
  std::uint64_t exhaustive = 2'000'000;  // the largest space that is seen as a whole
};
Figure ruby_fig7(const Options& options, const Fig7Effort& effort = {});

Figure ruby_table1(const Options& options);

// Only the sizes from `first` to `last`.
Figure ruby_fig8(const Options& options, std::int64_t first = 1, std::int64_t last = 200);

// With a search that ends after this many valid mappings in vain.
Figure ruby_fig9(const Options& options, std::uint64_t patience = 300'000);

struct RubyEffort {
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  std::uint64_t patience = 3000;  // the paper's (IV-A), which ran 24 threads
  std::size_t layers = kAll;      // of each network, from the first
  std::size_t arrays = kAll;      // of a sweep, from the first
};
Figure ruby_fig10(const Options& options, const RubyEffort& effort = {.patience = 20'000});
Figure ruby_fig11(const Options& options, const RubyEffort& effort = {});
Figure ruby_fig12(const Options& options, const RubyEffort& effort = {.patience = 10'000});
Figure ruby_fig13(const Options& options, const RubyEffort& effort = {});
Figure ruby_fig14(const Options& options, const RubyEffort& effort = {});

// The paper's numbers about itself. Of the effort, patience does not count.
Figure ruby_claims(const Options& options, const RubyEffort& effort = {});

}  // namespace tilewright::reproduce
