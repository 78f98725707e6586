// The searches behind Ruby's figures 10 to 14: one workload after the other, in
// one map-space after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reproduce/ruby_figures.h"
#include "tilewright/map.h"

namespace tilewright::reproduce {

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

struct SpaceComparison {
  Score pfm, ruby_s;

  double edp_ratio() const { return ruby_s.edp() / pfm.edp(); }
  double energy_ratio() const { return ruby_s.energy_pj / pfm.energy_pj; }
  double cycles_ratio() const {
    return static_cast<double>(ruby_s.cycles) / static_cast<double>(pfm.cycles);
  }
};

// Nothing if one of the two has no mapping. `task.approach` is not looked at.
std::optional<SpaceComparison> compare_spaces(Searches& searches, SearchTask task);

// Adds `count` times a score to a total.
void add(Score& total, const Score& score, std::int64_t count);

// --- what the figures have in common ------------------------------------------

std::string shape_of(const Workload& workload);  // "M64 C3 P112 Q112 R7 S7"
std::string patience_note(const RubyEffort& effort);
// Says so if the figure was cancelled.
void note_if_incomplete(Figure& figure, const Searches& searches);

}  // namespace tilewright::reproduce
