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

// What a mapper may choose from, and whether it has to find the best of that.
struct Approach {
  std::string_view name;
  SpaceKind space = SpaceKind::Perfect;
  bool padded = false;
  bool proven = false;  // by the optimal mapper; else a random search, as the paper's
};
inline constexpr Approach kPfm = {"PFM", SpaceKind::Perfect, false};
inline constexpr Approach kPaddedPfm = {"PFM, padded", SpaceKind::Perfect, true};
inline constexpr Approach kRubyS = {"Ruby-S", SpaceKind::RubyS, false};
inline constexpr Approach kBestPfm = {"PFM, proven", SpaceKind::Perfect, false, true};
inline constexpr Approach kBestPaddedPfm = {"PFM, padded, proven", SpaceKind::Perfect, true, true};
inline constexpr Approach kBestRubyS = {"Ruby-S, proven", SpaceKind::RubyS, false, true};

struct SearchTask {
  const Layer& layer;
  const Architecture& arch;
  Approach approach = kPfm;
  Objective objective = Objective::Edp;
  std::uint64_t patience = 0;  // of a random search
};

class Searches {
 public:
  // `total` searches are to come.
  Searches(const Options& options, std::size_t total) : options_(options), total_(total) {}

  // Nothing if no mapping was found or none was proven to be the best, or the search was cut
  // short.
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

// The best of the two spaces. Nothing if one of the two has no mapping, or none that is proven in
// time. `task.approach` is not looked at, here and below.
std::optional<SpaceComparison> compare_optima(Searches& searches, SearchTask task);

// What random searches find, and what there is to be found, if that is proven in time.
struct SearchedAndBest {
  SpaceComparison searched;
  std::optional<SpaceComparison> best;
};
std::optional<SearchedAndBest> compare_spaces(Searches& searches, const SearchTask& task);

// Adds `count` times a score, or two, to a total.
void add(Score& total, const Score& score, std::int64_t count);
void add(SpaceComparison& total, const SpaceComparison& compared, std::int64_t count);

// --- what the figures have in common ------------------------------------------

std::string shape_of(const Workload& workload);  // "M64 C3 P112 Q112 R7 S7"
std::string patience_note(const RubyEffort& effort);
std::string proof_note();
// Says so if the figure was cancelled.
void note_if_incomplete(Figure& figure, const Searches& searches);

}  // namespace tilewright::reproduce
