// The lowest EDP of a whole network: the energy of all layers times their cycles.
//
// The product has no local minimum inside a polygon of positive numbers, so its least
// value over all choices of mappings lies at a corner of the convex hull of the (energy,
// cycles) that a network can have. Each corner is reached where every layer makes
// energy + price * cycles small, with one price of a cycle for all layers. Every price
// tried gives a half-plane that no choice leaves; the corners of what all half-planes
// have in common bound the EDP from below. docs/optimal.md, "Networks", has the proof.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "parts.h"

namespace tilewright::mapper {

namespace {

// Energy and cycles of a network, or of a layer.
struct Pair {
  double energy = 0, cycles = 0;

  double product() const { return energy * cycles; }
};

// What no choice of mappings leaves: energy_weight * energy + cycles_weight * cycles is at
// least `least`.
struct HalfPlane {
  double energy_weight = 1, cycles_weight = 0;
  double least = 0;
  Pair reached;  // by the choice of mappings that makes it least
  bool trivial = false;

  double value(const Pair& at) const {
    return energy_weight * at.energy + cycles_weight * at.cycles;
  }
};

constexpr double kAnyPrice = std::numeric_limits<double>::infinity();  // cycles alone count

// A price whose digits leave room for those of the energies: costs stay whole numbers.
double rounded_price(double price) {
  if (price <= 0 || price == kAnyPrice) return price;
  constexpr int kSignificant = 9;
  constexpr int kDecimals = 9;
  const int magnitude = static_cast<int>(std::floor(std::log10(price))) + 1;
  const double scale = std::pow(10.0, std::min(kSignificant - magnitude, kDecimals));
  return std::round(price * scale) / scale;
}

// The workload's mapping that makes energy + price * cycles small: a cycle costs what
// leaks from the outermost memory, of which there is one, whatever the mapping.
Architecture with_price(const Architecture& arch, double price) {
  Architecture priced = arch;
  std::get<Memory>(priced.levels.front()).leakage_pj_per_cycle += price;
  return priced;
}

// --- one layer -------------------------------------------------------------------

class PricedLayer {
 public:
  PricedLayer(const Workload& workload, const Architecture& arch, MapOutcome best_edp,
              std::int64_t count, const MapOptions& options)
      : workload_(workload), arch_(arch), count_(count), options_(options) {
    spend(best_edp);
    if (best_edp.proof && best_edp.proof->bound > 0) edp_bound_ = best_edp.proof->bound;
    known_.push_back(std::move(best_edp));
  }

  // What is known to be best at a price.
  struct Answer {
    std::size_t point = 0;  // of known()
    double least = 0;       // of energy + price * cycles (or of cycles alone), for all mappings
  };

  Answer at(double price) {
    for (const Solved& solved : solved_) {
      if (solved.price == price) return solved.answer;
    }
    const std::optional<std::size_t> sure = between_equals(price);
    Answer answer;
    if (sure) {
      answer = {*sure, value(*sure, price)};
    } else {
      answer = solve(price);
      solved_.push_back({price, answer});
    }
    return answer;
  }

  std::int64_t count() const { return count_; }
  const MapOutcome& known(std::size_t point) const { return known_[point]; }
  Pair pair(std::size_t point) const {
    const Score& score = known_[point].search.score;
    return {score.energy_pj, static_cast<double>(score.cycles)};
  }
  double value(std::size_t point, double price) const {
    const Pair at = pair(point);
    return price == kAnyPrice ? at.cycles : at.energy + price * at.cycles;
  }

 private:
  struct Solved {
    double price = 0;
    Answer answer;
  };

  bool is_proven(const Solved& solved) const {
    return solved.answer.least >= value(solved.answer.point, solved.price) * (1 - 1e-11);
  }

  // A point that is best at a lower and at a higher price is best between them.
  std::optional<std::size_t> between_equals(double price) const {
    const Solved* below = nullptr;
    const Solved* above = nullptr;
    for (const Solved& solved : solved_) {
      if (!is_proven(solved)) continue;
      if (solved.price < price && (below == nullptr || solved.price > below->price)) {
        below = &solved;
      }
      if (solved.price > price && (above == nullptr || solved.price < above->price)) {
        above = &solved;
      }
    }
    const bool same =
        below != nullptr && above != nullptr && below->answer.point == above->answer.point;
    return same ? std::optional(below->answer.point) : std::nullopt;
  }

  std::size_t best_known(double price) const {
    std::size_t best = 0;
    for (std::size_t i = 1; i < known_.size(); ++i) {
      if (value(i, price) < value(best, price)) best = i;
    }
    return best;
  }

  // From the lowest EDP alone: a sum is at least twice the root of the product.
  double bound_by_edp(double price) const {
    return price == kAnyPrice ? 0 : 2 * std::sqrt(price * edp_bound_) * (1 - 1e-12);
  }

  Answer solve(double price) {
    std::size_t best = best_known(price);
    const double trivial = bound_by_edp(price);
    if (left_ && *left_ <= 0) return {best, std::min(trivial, value(best, price))};
    MapOutcome outcome = map_at(price, known_[best].search.score);
    spend(outcome);
    const bool none_better = outcome.status == MapOutcome::Status::NoneBetter && outcome.proof &&
                             outcome.proof->status == OptimalResult::Status::NoneBetter;
    double least = none_better ? value(best, price) : 0;
    if (outcome.proof && !none_better) least = outcome.proof->bound;
    if (outcome.found() && restore(outcome, price)) {
      known_.push_back(std::move(outcome));
      if (value(known_.size() - 1, price) < value(best, price)) best = known_.size() - 1;
    }
    return {best, std::min(std::max(least, trivial), value(best, price))};
  }

  MapOutcome map_at(double price, const Score& known) const {
    MapOptions options = options_;
    const bool time_alone = price == kAnyPrice;
    options.search.objective = time_alone ? Objective::Latency : Objective::Energy;
    options.search.seconds = left_;
    options.settle_ties = false;
    if (options.mapper == MapperKind::Optimal) {
      options.to_beat = known;
      if (!time_alone) options.to_beat->energy_pj += price * static_cast<double>(known.cycles);
    }
    // Targets are EDPs of single layers, and shares of gaps add up to no more than one.
    options.search.target.reset();
    return map_workload(workload_, time_alone ? arch_ : with_price(arch_, price), options);
  }

  // The outcome as it is without the price of cycles. False if it cannot be evaluated.
  bool restore(MapOutcome& outcome, double price) const {
    if (price != kAnyPrice) {
      Architecture arch = outcome.problem->arch();
      std::get<Memory>(arch.levels.front()).leakage_pj_per_cycle =
          std::get<Memory>(arch_.levels.front()).leakage_pj_per_cycle;
      Parsed<Problem> problem = Problem::create(outcome.problem->workload(), arch);
      if (!problem.ok()) return false;
      outcome.problem = std::move(*problem.value);
    }
    const Parsed<Evaluator> evaluator = Evaluator::compile(*outcome.problem);
    if (!evaluator.ok()) return false;
    outcome.search.score = evaluator.value->score(*outcome.search.best);
    outcome.proof = proof_of(outcome.search.score);
    return true;
  }

  // What is known of the layer's own EDP: the bound is that of all its mappings.
  std::optional<OptimalResult> proof_of(const Score& score) const {
    std::optional<OptimalResult> proof = known_.front().proof;
    if (!proof) return proof;
    proof->score = score;
    proof->gap = proof->bound > 0 ? score.edp() / proof->bound - 1 : INFINITY;
    if (proof->gap > 1e-12) proof->status = OptimalResult::Status::Stopped;
    return proof;
  }

  void spend(const MapOutcome& outcome) {
    if (!options_.search.seconds) return;
    left_ = left_.value_or(*options_.search.seconds) - outcome.search.seconds;
  }

  const Workload& workload_;
  const Architecture& arch_;
  std::int64_t count_;
  const MapOptions& options_;
  std::optional<double> left_;  // seconds of this layer
  double edp_bound_ = 0;
  std::vector<MapOutcome> known_;
  std::vector<Solved> solved_;
};

// --- corners -----------------------------------------------------------------------

// Where two half-planes end together.
struct Corner {
  Pair at;
  std::size_t energetic = 0, quick = 0;  // the one that weighs energy more, and the other
};

std::optional<Pair> crossing(const HalfPlane& a, const HalfPlane& b) {
  const double determinant = a.energy_weight * b.cycles_weight - b.energy_weight * a.cycles_weight;
  if (determinant == 0) return std::nullopt;
  return Pair{(a.least * b.cycles_weight - b.least * a.cycles_weight) / determinant,
              (a.energy_weight * b.least - b.energy_weight * a.least) / determinant};
}

bool weighs_energy_more(const HalfPlane& a, const HalfPlane& b) {
  return a.energy_weight * b.cycles_weight > b.energy_weight * a.cycles_weight;
}

// The half-planes that bound what all have in common, in the order of their slopes. One
// that cuts off next to nothing is left out: without it the bound is lower, but holds.
std::vector<std::size_t> boundary(const std::vector<HalfPlane>& planes) {
  std::vector<std::size_t> order(planes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return weighs_energy_more(planes[a], planes[b]);
  });
  std::vector<std::size_t> kept;
  for (const std::size_t next : order) {
    const auto parallel = [&] { return !weighs_energy_more(planes[kept.back()], planes[next]); };
    if (!kept.empty() && parallel()) {
      if (planes[next].least <= planes[kept.back()].least) continue;
      kept.pop_back();
    }
    while (kept.size() >= 2) {
      const HalfPlane& middle = planes[kept.back()];
      const std::optional<Pair> corner = crossing(planes[kept[kept.size() - 2]], planes[next]);
      if (!corner || middle.value(*corner) < middle.least * (1 - 1e-10)) break;
      kept.pop_back();
    }
    kept.push_back(next);
  }
  return kept;
}

// The corner of what all half-planes have in common with the least product.
std::optional<Corner> lowest_corner(const std::vector<HalfPlane>& planes) {
  const std::vector<std::size_t> kept = boundary(planes);
  std::optional<Corner> lowest;
  for (std::size_t i = 0; i + 1 < kept.size(); ++i) {
    const std::optional<Pair> at = crossing(planes[kept[i]], planes[kept[i + 1]]);
    if (!at) return std::nullopt;
    if (!lowest || at->product() < lowest->at.product()) lowest = {*at, kept[i], kept[i + 1]};
  }
  return lowest;
}

// --- the network ---------------------------------------------------------------------

class NetworkEdp {
 public:
  NetworkEdp(const Network& network, const Architecture& arch, const MapOptions& options,
             const NetworkOutcome& each_layer,
             const std::function<void(std::size_t layer, int price)>& on_layer)
      : network_(network), arch_(arch), options_(options), on_layer_(on_layer) {
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
    if (options_.mapper == MapperKind::Optimal) {
      close_corners();
    } else {
      follow_prices();
    }
    NetworkOutcome::Whole& whole = *outcome.whole;
    whole.prices = prices_;
    whole.bound = std::min(bound(), best_.product());
    whole.gap = whole.bound > 0 ? best_.product() / whole.bound - 1 : INFINITY;
    whole.proven = whole.gap <= kRounding || is_least_of_nothing();
    if (whole.proven) whole.gap = 0;
    if (!best_price_) return;
    whole.price = *best_price_;
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      MapOutcome& of_layer = outcome.layers[numbers_[l]].outcome;
      const double seconds = of_layer.search.seconds;
      of_layer = layers_[l].known(best_points_[l]);
      of_layer.search.seconds = seconds;
    }
  }

 private:
  // Products that agree so far are equal; prices have no more digits.
  static constexpr double kRounding = 1e-8;

  Pair total(const std::vector<std::size_t>& points) const {
    Pair sum;
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const Pair one = layers_[l].pair(points[l]);
      sum.energy += static_cast<double>(layers_[l].count()) * one.energy;
      sum.cycles += static_cast<double>(layers_[l].count()) * one.cycles;
    }
    return sum;
  }

  bool is_over() const { return is_cancelled(options_); }

  // Every layer at its best for a price, and the half-plane that follows.
  const HalfPlane& try_price(double price) {
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
    if (plane.reached.product() < best_.product()) {
      best_ = plane.reached;
      best_points_ = points;
      best_price_ = price;
    }
    planes_.push_back(plane);
    return planes_.back();
  }

  // Where nothing takes energy, each layer's own key goes by cycles, and so does their sum.
  bool is_least_of_nothing() const {
    return best_.energy == 0 && !best_price_ &&
           std::all_of(layers_.begin(), layers_.end(), [](const PricedLayer& layer) {
             const auto& proof = layer.known(0).proof;
             return proof && proof->status == OptimalResult::Status::Proven;
           });
  }

  // Mappers without proof give no half-planes.
  double bound() const {
    if (options_.mapper != MapperKind::Optimal) return 0;
    const std::optional<Corner> lowest = lowest_corner(planes_);
    return lowest ? lowest->at.product() : 0;
  }

  void add_trivial_planes() {
    Pair least;
    const std::int64_t all = physical_instances(arch_, LevelId{arch_.level_count() - 1});
    const Compute& compute = arch_.compute();
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const std::int64_t macs = multiply_accumulates(network_.layers[numbers_[l]].workload);
      const auto count = static_cast<double>(layers_[l].count());
      least.energy += count * static_cast<double>(macs) * compute.mac_pj;
      least.cycles += count * static_cast<double>(ceil_div(macs, all * compute.macs)) *
                      static_cast<double>(compute.cycles);
    }
    planes_.push_back({1, 0, least.energy * (1 - 1e-12), {}, true});
    planes_.push_back({0, 1, least.cycles * (1 - 1e-12), {}, true});
  }

  // Tries prices at the lowest corner until nothing below the best is left.
  void close_corners() {
    constexpr int kMostPrices = 60;
    add_trivial_planes();
    try_price(rounded_price(best_.energy / best_.cycles));
    while (prices_ < kMostPrices && !is_over()) {
      const std::optional<Corner> lowest = lowest_corner(planes_);
      const double enough = best_.product() / (1 + std::max(options_.gap, kRounding));
      if (!lowest || lowest->at.product() >= enough) return;
      const std::optional<double> price = price_at(*lowest);
      if (!price) return;  // no price tells more: mappings of some layers are not proven
      try_price(*price);
    }
  }

  // A price that cuts a corner off.
  std::optional<double> price_at(const Corner& corner) const {
    const HalfPlane& energetic = planes_[corner.energetic];
    const HalfPlane& quick = planes_[corner.quick];
    constexpr double kFar = 16;
    double price = 0;
    if (energetic.trivial) {
      const bool near = quick.cycles_weight * kFar >= first_price();
      price =
          quick.energy_weight > 0 && near && energetic.least > 0 ? quick.cycles_weight / kFar : 0;
    } else if (quick.trivial) {
      const bool near = energetic.cycles_weight <= first_price() * kFar;
      price = energetic.cycles_weight > 0 && near ? energetic.cycles_weight * kFar : kAnyPrice;
    } else {
      const Pair& a = energetic.reached;
      const Pair& b = quick.reached;
      price = (b.energy - a.energy) / (a.cycles - b.cycles);
    }
    price = rounded_price(price);
    const bool sensible = std::isfinite(price) || quick.trivial;
    return sensible && is_new(price) ? std::optional(price) : std::nullopt;
  }

  double first_price() const { return planes_[2].cycles_weight; }

  // Prices that are closer together give corners that rounding blurs.
  bool is_new(double price) const {
    constexpr double kApart = 1e-7;
    return price >= 0 && std::none_of(planes_.begin(), planes_.end(), [&](const HalfPlane& plane) {
             if (plane.trivial) return false;
             if (price == kAnyPrice || plane.energy_weight == 0) {
               return price == kAnyPrice && plane.energy_weight == 0;
             }
             return std::abs(plane.cycles_weight - price) <= kApart * price;
           });
  }

  // Without bounds: from each choice to the price that its totals suggest, while that helps.
  void follow_prices() {
    constexpr int kMostPrices = 4;
    while (prices_ < kMostPrices && !is_over()) {
      const double before = best_.product();
      const double price = rounded_price(best_.energy / best_.cycles);
      if (!is_new(price)) return;
      try_price(price);
      if (best_.product() >= before) return;
    }
  }

  const Network& network_;
  const Architecture& arch_;
  const MapOptions& options_;
  const std::function<void(std::size_t layer, int price)>& on_layer_;
  std::vector<std::size_t> numbers_;  // of the layers in the network
  std::vector<PricedLayer> layers_;
  std::vector<HalfPlane> planes_;
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

}  // namespace tilewright::mapper
