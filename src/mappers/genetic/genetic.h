// A genetic search in the manner of GAMMA, for any architecture, contraction and
// map-space.
//
// A population of mappings is bred for some generations: the fittest are kept, the
// next ones are made of them by crossover and mutation. docs/genetic.md tells where
// this follows GAMMA (Kao and Krishna, ICCAD 2020) and where not.
#pragma once

#include <cstdint>
#include <functional>

#include "tilewright/map.h"

namespace tilewright {

const Mapper& genetic_mapper();

struct GeneticSettings {
  // How likely each operator is applied to a child. All one half, as in "A Formalism
  // of DNN Accelerator Flexibility" (Kao et al., SIGMETRICS 2022).
  struct Rates {
    double crossover = 0.5;  // the factors of a dimension come from another parent
    double reorder = 0.5;    // two loops of a memory change places
    double tile = 0.5;       // other factors of a dimension
    double parallel = 0.5;   // another dimension is unrolled
    double growth = 0.5;     // one more dimension is unrolled
    double aging = 0.5;      // what was unrolled becomes a loop
    double residence = 0.5;  // a memory keeps another tensor; not in GAMMA
    double setting = 0.5;    // of a flexible accelerator: another shape, pair or order
  };

  int population = 100;   // at least 2
  int generations = 100;  // after the first one
  std::uint64_t seed = 1;
  double elite = 0.05;   // share of the population that lives on
  double parents = 0.4;  // share that the next generation is made of
  Rates rates;
  // The neighbours that are scored with each child, the best of which takes its place; none in
  // GAMMA.
  enum class Brood : std::uint8_t {
    None,
    Orders,   // in other orders of its loops
    Factors,  // and with a prime factor of a loop at another memory
  };
  Brood brood = Brood::None;
  // For studies: called with every mapping that is evaluated.
  std::function<void(const Mapping&)> on_visit;
};

// Threads, gap and memory mean nothing here. One mapping is evaluated in any case. Without a best
// mapping in the result nothing is known, unless restrictions contradict each other or the space is
// empty.
SearchResult search_genetically(const MappingTask& task, const Limits& limits,
                                const GeneticSettings& settings = {});

// The same over all settings of a flexible accelerator at once: which one a mapping is of is bred
// as well.
SettingsResult search_settings_genetically(SettingTasks& tasks, const Limits& limits,
                                           const GeneticSettings& settings = {});

}  // namespace tilewright
