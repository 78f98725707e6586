#include "fusion/network_times.h"

#include <algorithm>

#include "base/deadline.h"
#include "map/price_search.h"

namespace tilewright::fusion {

namespace {

using map::Pair;

Pair pair_of(const FusedTotals& totals) { return {totals.energy_pj, totals.cycles}; }

// Without fusion, or with groups of any length.
class ProductSearch {
 public:
  ProductSearch(const NetworkParts& parts, const Architecture& arch, const FuseOptions& options,
                const SearchParts& search, const Deadline& deadline, int& prices)
      : parts_(parts),
        arch_(arch),
        options_(options),
        search_parts_(search),
        deadline_(deadline),
        prices_(prices),
        search_(options.objective, 0, false) {}

  FusedNetwork run() {
    constexpr int kMostPrices = 30;
    search_.add_trivial({0, least_cycles()});
    try_price(0);
    const double least_pj = best_.totals.bound;
    for (int tried = 1; tried < kMostPrices && best_.missing() == 0; ++tried) {
      if (deadline_.has_passed()) break;
      const Pair best = pair_of(best_.totals);
      const double balanced = map::rounded_price(search_.balanced_price(best));
      const std::optional<double> price = tried == 1 ? std::optional(balanced) : search_.next(best);
      if (!price) break;
      try_price(*price);
    }
    finish();
    best_.totals.bound_pj = least_pj;
    return std::move(best_);
  }

 private:
  // No mapping takes fewer cycles than its multiplications do.
  double least_cycles() const {
    double cycles = 0;
    for (const NetworkPart& part : parts_.parts) {
      for (const CascadeEinsum& einsum : part.cascade.einsums) {
        cycles += static_cast<double>(part.count) * map::least_cycles(einsum.workload, arch_);
      }
    }
    return cycles;
  }

  void try_price(double price) {
    FuseOptions options = options_;
    options.objective = Objective::Energy;
    options.cycle_pj = price;
    if (options.seconds) {
      options.seconds = std::max(0.01, (*options.seconds - deadline_.seconds()) / 2);
    }
    FusedNetwork found = search_parts_(options, ++prices_);
    const Pair at = pair_of(found.totals);
    // What is proven of all parts at this price; which choice reaches it does not matter.
    search_.add({1, price, found.totals.bound * (1 - 1e-12), at});
    const bool first = best_.outcomes.empty();
    if (first || at.value(options_.objective) < pair_of(best_.totals).value(options_.objective)) {
      best_ = std::move(found);
    }
  }

  void finish() {
    FusedTotals& totals = best_.totals;
    best_.objective = options_.objective;
    totals.value = pair_of(totals).value(options_.objective);
    const double bound = search_.bound();
    totals.proven =
        best_.missing() == 0 && bound >= totals.value * (1 - map::PriceSearch::kRounding);
    totals.bound = totals.proven ? totals.value : std::min(bound, totals.value);
  }

  const NetworkParts& parts_;
  const Architecture& arch_;
  const FuseOptions& options_;
  const SearchParts& search_parts_;
  const Deadline& deadline_;
  int& prices_;
  map::PriceSearch search_;
  FusedNetwork best_;
};

}  // namespace

FusedNetwork fuse_for_product(const NetworkParts& parts, const Architecture& arch,
                              const FuseOptions& options, const SearchParts& search) {
  const Deadline deadline(options.seconds, options.cancelled);
  int prices = 0;
  FuseOptions alone = options;
  alone.longest_group = 1;
  if (alone.seconds) *alone.seconds /= 4;
  const FusedNetwork unfused = ProductSearch(parts, arch, alone, search, deadline, prices).run();
  FusedNetwork best = ProductSearch(parts, arch, options, search, deadline, prices).run();
  FusedTotals& totals = best.totals;
  totals.unfused_pj = unfused.totals.energy_pj;
  totals.unfused_cycles = unfused.totals.cycles;
  totals.unfused_value = unfused.totals.value;
  totals.prices = prices;
  best.seconds = deadline.seconds();
  return best;
}

}  // namespace tilewright::fusion
