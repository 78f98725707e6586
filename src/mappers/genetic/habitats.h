// Where individuals can live: one map-space, or those of all settings of a flexible
// accelerator. Which one an individual lives in is a gene like the others.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mappers/genetic/brood.h"
#include "mappers/genetic/founders.h"
#include "model/scorer.h"
#include "tilewright/map.h"

namespace tilewright::genetic {

struct Habitat {
  explicit Habitat(const MappingTask& task);
  Habitat(const Habitat&) = delete;
  Habitat& operator=(const Habitat&) = delete;

  Evaluator evaluator;
  Restrictions fitting;  // what cannot fit for one dimension's sake alone need not be tried
  GeneSpace genes;
  Founders founders;
  Scorer scorer;
  std::optional<Brood> brood;  // made by who raises some
};

class Habitats {
 public:
  explicit Habitats(const MappingTask& only);
  // The tasks must outlive it.
  explicit Habitats(SettingTasks& tasks);

  std::size_t count() const { return made_.size(); }
  // Made when it is first asked for; null if nothing can live there.
  Habitat* find(std::size_t number);
  std::size_t visited() const;  // how many can be lived in, of those that were asked for

  // Any of them, those with fewer cycles at least more often.
  std::size_t draw(Rng& rng) const;
  // One that differs along an axis, if there is one.
  std::size_t draw_neighbour(std::size_t number, Rng& rng) const;

 private:
  // Settings that have something in common, by what that is.
  using Groups = std::map<std::string, std::vector<std::size_t>>;

  const MappingTask* only_ = nullptr;
  SettingTasks* tasks_ = nullptr;
  std::vector<std::optional<std::unique_ptr<Habitat>>> made_;
  std::vector<Groups> alike_;                   // but for the shape, the pair, the order
  std::vector<std::vector<std::string>> keys_;  // of each setting
};

// Turns a mapping of another setting into one of this map-space, as close to it as is easily
// found. False if that leads to none.
bool move_in(const GeneSpace& genes, Rng& rng, Mapping& mapping);

}  // namespace tilewright::genetic
