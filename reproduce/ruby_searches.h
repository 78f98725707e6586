// The searches behind Ruby's figures 10 to 14: one workload after the other, in
// one map-space after the other.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reproduce/figure.h"
#include "tilewright/mapper.h"

namespace tilewright::reproduce {

// What a figure spends on itself. Tests take less of everything.
struct Effort {
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  std::uint64_t patience = 3000;  // the paper's (IV-A), which ran 24 threads
  std::size_t layers = kAll;      // of each network, from the first
  std::size_t arrays = kAll;      // of a sweep, from the first
};

// What a mapper may choose from.
struct Approach {
  std::string_view name;
  SpaceKind space = SpaceKind::Perfect;
  bool padded = false;
};
inline constexpr Approach kPfm = {"PFM", SpaceKind::Perfect, false};
inline constexpr Approach kPaddedPfm = {"PFM, padded", SpaceKind::Perfect, true};
inline constexpr Approach kRubyS = {"Ruby-S", SpaceKind::RubyS, false};

struct SearchTask {
  const Layer& layer;
  const Architecture& arch;
  Approach approach = kPfm;
  Objective objective = Objective::Edp;
  std::uint64_t patience = 0;
};

class Searches {
 public:
  // `total` searches are to come.
  Searches(const Options& options, std::size_t total) : options_(options), total_(total) {}

  // Nothing if no mapping was found, or the search was cut short.
  std::optional<Score> best(const SearchTask& task);
  bool cancelled() const { return options_.cancelled != nullptr && options_.cancelled->load(); }

 private:
  const Options& options_;
  std::size_t total_, done_ = 0;
};

// --- Ruby-S beside PFM --------------------------------------------------------

struct Comparison {
  Score pfm, ruby_s;

  double edp_ratio() const { return ruby_s.edp() / pfm.edp(); }
  double energy_ratio() const { return ruby_s.energy_pj / pfm.energy_pj; }
  double cycles_ratio() const {
    return static_cast<double>(ruby_s.cycles) / static_cast<double>(pfm.cycles);
  }
};

// Nothing if one of the two has no mapping. `task.approach` is not looked at.
std::optional<Comparison> compare(Searches& searches, SearchTask task);

// Adds `count` times a score to a total.
void add(Score& total, const Score& score, std::int64_t count);

// --- what the figures have in common ------------------------------------------

Network shortened(Network network, std::size_t layers);
std::string shape_of(const Workload& workload);  // "M64 C3 P112 Q112 R7 S7"
std::string patience_note(const Effort& effort);
// Says so if the figure was cancelled.
void note_if_incomplete(Figure& figure, const Searches& searches);

// The figures with less effort than ruby_figures.h spends on them.
Figure ruby_fig10(const Options& options, const Effort& effort);
Figure ruby_fig11(const Options& options, const Effort& effort);
Figure ruby_fig12(const Options& options, const Effort& effort);
Figure ruby_fig13(const Options& options, const Effort& effort);
Figure ruby_fig14(const Options& options, const Effort& effort);

}  // namespace tilewright::reproduce
