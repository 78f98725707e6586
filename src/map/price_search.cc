#include "map/price_search.h"

#include <algorithm>
#include <cmath>

namespace tilewright::map {

namespace {

// A price goes so far in one step, and away from the first one in small steps until it is so far.
constexpr double kStep = 4, kFar = 16;

}  // namespace

Architecture with_price(const Architecture& arch, double price) {
  Architecture priced = arch;
  std::get<Memory>(priced.levels.front()).leakage_pj_per_cycle += price;
  return priced;
}

bool take_price_off(const Architecture& arch, MapOutcome& outcome) {
  Architecture of = outcome.problem->arch();
  std::get<Memory>(of.levels.front()).leakage_pj_per_cycle =
      std::get<Memory>(arch.levels.front()).leakage_pj_per_cycle;
  Checked<Problem> problem = Problem::create(outcome.problem->workload(), of);
  if (!problem.ok()) return false;
  outcome.problem = std::move(*problem.value);
  const Checked<Evaluator> evaluator = Evaluator::compile(*outcome.problem);
  if (!evaluator.ok()) return false;
  outcome.search.score = evaluator.value->score(*outcome.search.best);
  return true;
}

double least_cycles(const Workload& workload, const Architecture& arch) {
  const Compute& compute = arch.compute();
  const std::int64_t all = physical_instances(arch, arch.compute_level()) * compute.macs;
  const Int128 macs = multiply_accumulates(workload);
  return static_cast<double>(ceil_div(macs, all)) * static_cast<double>(compute.cycles);
}

double rounded_price(double price) {
  if (!(price > 0) || price == kAnyPrice) return price;
  constexpr int kSignificant = 9;
  constexpr int kDecimals = 9;
  const int magnitude = static_cast<int>(std::floor(std::log10(price))) + 1;
  const double scale = std::pow(10.0, std::min(kSignificant - magnitude, kDecimals));
  return std::round(price * scale) / scale;
}

void PriceSearch::add_trivial(const Pair& least) {
  planes_.push_back({1, 0, least.energy * (1 - 1e-12), {}, true});
  planes_.push_back({0, 1, least.cycles * (1 - 1e-12), {}, true});
}

double PriceSearch::balanced_price(const Pair& at) const {
  return at.energy / at.cycles * objective_.cycles / objective_.energy;
}

std::optional<double> PriceSearch::next(const Pair& best) const {
  const std::optional<Corner> lowest = lowest_corner(planes_, objective_);
  const double enough = best.value(objective_) / (1 + std::max(gap_, kRounding));
  if (!lowest || lowest->at.value(objective_) >= enough) return std::nullopt;
  return price_at(*lowest);
}

double PriceSearch::bound() const {
  const std::optional<Corner> lowest = lowest_corner(planes_, objective_);
  return lowest ? lowest->at.value(objective_) : 0;
}

// A price that cuts a corner off.
std::optional<double> PriceSearch::price_at(const Corner& corner) const {
  const HalfPlane& energetic = planes_[corner.energetic];
  const HalfPlane& quick = planes_[corner.quick];
  double price = 0;
  if (energetic.trivial) {
    const bool near = quick.cycles_weight * kFar >= first_price();
    price =
        quick.energy_weight > 0 && near && energetic.least > 0 ? quick.cycles_weight / kStep : 0;
  } else if (quick.trivial) {
    const bool near = energetic.cycles_weight <= first_price() * kFar;
    price = energetic.cycles_weight == 0 ? kAnyPrice
            : near                       ? energetic.cycles_weight * kStep
            : any_price_                 ? kAnyPrice
                                         : energetic.cycles_weight * kFar;
  } else {
    const Pair& a = energetic.reached;
    const Pair& b = quick.reached;
    price = (b.energy - a.energy) / (a.cycles - b.cycles);
  }
  price = rounded_price(price);
  const bool sensible = std::isfinite(price) || (quick.trivial && any_price_);
  return sensible && is_new(price) ? std::optional(price) : std::nullopt;
}

double PriceSearch::first_price() const {
  for (const HalfPlane& plane : planes_) {
    if (!plane.trivial && plane.cycles_weight > 0) return plane.cycles_weight;
  }
  return 0;
}

// Prices that are closer together give corners that rounding blurs.
bool PriceSearch::is_new(double price) const {
  constexpr double kApart = 1e-7;
  return price >= 0 && std::none_of(planes_.begin(), planes_.end(), [&](const HalfPlane& plane) {
           if (plane.trivial) return false;
           if (price == kAnyPrice || plane.energy_weight == 0) {
             return price == kAnyPrice && plane.energy_weight == 0;
           }
           return std::abs(plane.cycles_weight - price) <= kApart * price;
         });
}

}  // namespace tilewright::map
