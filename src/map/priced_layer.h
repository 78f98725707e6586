// A layer of a network, mapped for energy + price * cycles at one price after another.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "parts.h"
#include "price_search.h"

namespace tilewright::map {

class PricedLayer {
 public:
  // `own_best` is the layer's own best. What is referred to must outlive the layer.
  PricedLayer(const Workload& workload, const Architecture& arch, MapOutcome own_best,
              std::int64_t count, const MapOptions& options);

  // What is known to be best at a price.
  struct Answer {
    std::size_t point = 0;  // of known()
    double least = 0;       // of energy + price * cycles (or of cycles alone), for all mappings
  };
  Answer at(double price);
  // What no mapping goes below, from a search that ends at the first one within twice that.
  double least_energy();

  std::int64_t count() const { return count_; }
  // Outcomes for one price or another; the first is the layer's own best.
  const MapOutcome& known(std::size_t point) const { return known_[point]; }
  Pair pair(std::size_t point) const {
    const Score& score = known_[point].search.score;
    return {score.energy_pj, static_cast<double>(score.cycles)};
  }

 private:
  struct Solved {
    double price = 0;
    Answer answer;
  };

  double value(std::size_t point, double price) const {
    const Pair at = pair(point);
    return price == kAnyPrice ? at.cycles : at.energy + price * at.cycles;
  }
  bool is_proven(const Solved& solved) const;
  // A point that is best at a lower and at a higher price is best between them.
  std::optional<std::size_t> between_equals(double price) const;
  std::size_t best_known(double price) const;
  double bound_by_product(double price) const;
  Answer solve(double price);
  MapOutcome map_at(double price, const Score& known) const;
  // Makes the outcome what it is without the price of cycles. False if it cannot be evaluated.
  bool restore(MapOutcome& outcome, double price) const;
  // What is known of the layer on its own: the bound is that of all its mappings.
  std::optional<Proof> proof_of(const Score& score) const;
  void spend(const MapOutcome& outcome);

  const Workload& workload_;
  const Architecture& arch_;
  std::int64_t count_;
  const MapOptions& options_;
  std::optional<double> left_;  // seconds of this layer
  double product_bound_ = 0;
  std::vector<MapOutcome> known_;
  std::vector<Solved> solved_;
};

}  // namespace tilewright::map
