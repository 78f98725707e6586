// Mapping the matrix products of GOMA's cases, mapper by mapper.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "reproduce/figure.h"
#include "reproduce/goma_cases.h"
#include "tilewright/map.h"

namespace tilewright::reproduce {

struct GomaMapper {
  std::string name;
  MapOptions options;
  bool fixed_bypass = false;  // else it searches what memories keep, too
  // One of those that the paper compares with. It may leave processing elements idle, and it
  // may find nothing.
  bool rival = false;
};

// What a figure spends on itself. Tests take less of everything.
struct GomaEffort {
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  std::uint64_t patience = 20'000;
  std::size_t layers = kAll;  // of each workload, from the first
};

// The yardstick first.
std::vector<GomaMapper> goma_mappers(const Options& options, const GomaEffort& effort);

// What came of one mapper for one product.
struct GomaResult {
  Score score;
  double seconds = 0;  // to find it
  bool found = true;   // a rival may find nothing
};

struct GomaLayer {
  Layer layer;
  std::vector<GomaResult> results;  // by mapper
};

struct GomaCaseResult {
  GomaCase evaluated;
  std::vector<GomaLayer> layers;

  // Sums over all products, each as often as it occurs (equation 35), and once. No number where
  // a product has no mapping.
  double edp(std::size_t mapper) const;
  double seconds(std::size_t mapper) const;
};

struct GomaRun {
  // Those of goma_mappers(), and GOMA's solver, whose times are not known: only what
  // its authors recorded of its results.
  std::vector<std::string> mappers;
  std::size_t published = 0;  // position of the latter
  std::vector<GomaCaseResult> cases;
  std::vector<std::string> missing;  // products without a mapping, whose cases are left out
};

// Cases one after the other; products of the same size on the same accelerator
// are mapped once. Ends early if cancelled.
GomaRun run_goma(const std::vector<GomaCase>& cases, const Options& options,
                 const GomaEffort& effort);

// What figures of EDP have to say, and those of any such run.
void add_edp_note(Figure& figure, const GomaRun& run);
void add_goma_notes(Figure& figure, const GomaRun& run, const Options& options,
                    const GomaEffort& effort);

}  // namespace tilewright::reproduce
