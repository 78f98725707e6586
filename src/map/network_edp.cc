// The lowest EDP of a whole network, the energy of all layers times their cycles, or another
// product of powers of the two: every layer makes energy + price * cycles small, with one price of
// a cycle for all layers.
#include <algorithm>
#include <cmath>

#include "parts.h"
#include "priced_layer.h"

namespace tilewright::map {

namespace {

class NetworkEdp {
 public:
  NetworkEdp(const Network& network, const Architecture& arch, const MapOptions& options,
             const NetworkOutcome& each_layer,
             const std::function<void(std::size_t layer, int price)>& on_layer)
      : network_(network),
        arch_(arch),
        options_(options),
        on_layer_(on_layer),
        search_(options.objective, options.limits.gap) {
    for (std::size_t i = 0; i < network.layers.size(); ++i) {
      const auto& of_layer = each_layer.layers[i];
      if (of_layer.first != i) continue;
      std::int64_t count = 0;
      for (const auto& other : each_layer.layers) count += other.first == i ? other.count : 0;
      numbers_.push_back(i);
      layers_.emplace_back(network.layers[i].workload, arch, of_layer.outcome, count, options);
    }
    best_points_.assign(layers_.size(), 0);
    best_ = total(best_points_);
  }

  // Puts the best choice of mappings in place of each layer's own.
  void run(NetworkOutcome& outcome) {
    outcome.whole = NetworkOutcome::Whole();
    outcome.whole->each_layer = total_of(outcome);
    if (options_.mapper->proves) {
      close_corners();
    } else {
      follow_prices();
    }
    NetworkOutcome::Whole& whole = *outcome.whole;
    whole.prices = prices_;
    whole.bound = std::min(bound(), value(best_));
    whole.gap = whole.bound > 0 ? value(best_) / whole.bound - 1 : INFINITY;
    whole.proven = whole.gap <= PriceSearch::kRounding || is_least_of_nothing();
    if (whole.proven) whole.gap = 0;
    if (!best_price_) return;
    whole.price = *best_price_;
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      MapOutcome& of_layer = outcome.layers[numbers_[l]].outcome;
      const MapOutcome& own = layers_[l].known(0);
      of_layer = layers_[l].known(best_points_[l]);
      of_layer.search.seconds = own.search.seconds;
      // Remarks speak of each layer on its own, whatever its mapping in the network.
      of_layer.remarks = own.remarks;
      of_layer.remainders = own.remainders;
      of_layer.roles = own.roles;
    }
  }

 private:
  Pair total(const std::vector<std::size_t>& points) const {
    Pair sum;
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const Pair one = layers_[l].pair(points[l]);
      sum.energy += static_cast<double>(layers_[l].count()) * one.energy;
      sum.cycles += static_cast<double>(layers_[l].count()) * one.cycles;
    }
    return sum;
  }

  double value(const Pair& at) const { return at.value(options_.objective); }

  bool is_over() const { return is_cancelled(options_); }

  // Every layer at its best for a price, and the half-plane that follows.
  void try_price(double price) {
    ++prices_;
    std::vector<std::size_t> points;
    HalfPlane plane;
    plane.energy_weight = price == kAnyPrice ? 0 : 1;
    plane.cycles_weight = price == kAnyPrice ? 1 : price;
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      on_layer_(numbers_[l], prices_);
      const PricedLayer::Answer answer = layers_[l].at(price);
      points.push_back(answer.point);
      plane.least += static_cast<double>(layers_[l].count()) * answer.least;
    }
    plane.least *= 1 - 1e-13;  // sums of doubles
    plane.reached = total(points);
    // Sums in another order are no improvement.
    if (value(plane.reached) < value(best_) * (1 - 1e-12)) {
      best_ = plane.reached;
      best_points_ = points;
      best_price_ = price;
    }
    search_.add(plane);
  }

  // Where nothing takes energy, each layer's own key goes by cycles, and so does their sum.
  bool is_least_of_nothing() const {
    return best_.energy == 0 && !best_price_ &&
           std::all_of(layers_.begin(), layers_.end(), [](const PricedLayer& layer) {
             const auto& proof = layer.known(0).proof;
             return proof && proof->status == Proof::Status::Proven;
           });
  }

  // Mappers without proof give no half-planes.
  double bound() const { return options_.mapper->proves ? search_.bound() : 0; }

  // What needs no price: the energies that a first look bounds, and the cycles of the
  // multiplications.
  void add_trivial_planes() {
    Pair least;
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const Workload& workload = network_.layers[numbers_[l]].workload;
      const double mac_pj =
          static_cast<double>(multiply_accumulates(workload)) * arch_.compute().mac_pj;
      const auto count = static_cast<double>(layers_[l].count());
      on_layer_(numbers_[l], prices_);
      least.energy += count * std::max(layers_[l].least_energy(), mac_pj);
      least.cycles += count * least_cycles(workload, arch_);
    }
    search_.add_trivial(least);
  }

  // Tries prices at the lowest corner until nothing below the best is left.
  void close_corners() {
    constexpr int kMostPrices = 60;
    add_trivial_planes();
    try_price(rounded_price(search_.balanced_price(best_)));
    while (prices_ < kMostPrices && !is_over()) {
      const std::optional<double> price = search_.next(best_);
      if (!price) return;
      try_price(*price);
    }
  }

  // Without bounds: from each choice to the price that its totals suggest, while that helps.
  void follow_prices() {
    constexpr int kMostPrices = 4;
    while (prices_ < kMostPrices && !is_over()) {
      const double before = value(best_);
      const double price = rounded_price(search_.balanced_price(best_));
      if (!search_.is_new(price)) return;
      try_price(price);
      if (value(best_) >= before) return;
    }
  }

  const Network& network_;
  const Architecture& arch_;
  const MapOptions& options_;
  const std::function<void(std::size_t layer, int price)>& on_layer_;
  std::vector<std::size_t> numbers_;  // of the layers in the network
  std::vector<PricedLayer> layers_;
  PriceSearch search_;
  int prices_ = 0;
  Pair best_;
  std::vector<std::size_t> best_points_;
  std::optional<double> best_price_;
};

}  // namespace

void lower_network_edp(const Network& network, const Architecture& arch, const MapOptions& options,
                       NetworkOutcome& outcome,
                       const std::function<void(std::size_t layer, int price)>& on_layer) {
  NetworkEdp(network, arch, options, outcome, on_layer).run(outcome);
}

}  // namespace tilewright::map
