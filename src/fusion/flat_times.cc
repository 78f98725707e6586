#include "fusion/flat_times.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/deadline.h"
#include "fusion/flat_nests.h"
#include "fusion/flat_search.h"
#include "fusion/search_bounds.h"
#include "map/price_search.h"
#include "mapping/prices.h"

namespace tilewright::fusion {

namespace {

using map::HalfPlane;
using map::Pair;

// What a multiply-accumulate takes at most, with all that is moved and done for it: no memory moves
// more than two words of a tensor each way for one.
double most_pj_per_mac(const Workload& workload, const CascadeEinsum& einsum,
                       const Architecture& arch) {
  constexpr double kWords = 4;
  double pj = arch.compute().mac_pj + (einsum.then ? 2 * einsum.then->energy_pj : 0);
  for (const Tensor& tensor : workload.tensors) {
    for (const Level& level : arch.levels) {
      if (const auto* memory = std::get_if<Memory>(&level)) {
        const AccessPrices price = prices_of(*memory, tensor);
        pj += kWords * (price.read_pj + price.write_pj + price.update_pj);
      } else if (const auto* fanout = std::get_if<Fanout>(&level)) {
        const auto hops = static_cast<double>(fanout->x.size + fanout->y.size);
        pj += kWords * hops * fanout->word_pj;
      }
    }
  }
  return pj;
}

// Flat groups at a price of a cycle.
struct FlatRun {
  const Cascade& cascade;
  const Architecture& arch;
  const FuseOptions& options;
  const std::vector<std::string>& shared;
  const FlatAim& aim;
};
struct FoundAtPrice {
  FuseOutcome outcome;  // its value and bound are those of energy and price
  std::optional<PlanEvaluation> evaluation = {};
};

FoundAtPrice find_at(double price, const FlatRun& run) {
  const Architecture arch = price > 0 ? priced(run.arch, price) : run.arch;
  FoundAtPrice found{search_flat(run.cascade, arch, run.options, run.shared, run.aim)};
  if (!found.outcome.found()) return found;
  take_nests(run.cascade, run.arch, found.outcome.plan);
  found.evaluation = evaluate_plan(run.cascade, run.arch, found.outcome.plan).value;
  return found;
}

// Plans of one kind: all, or those without fusion.
class PricedPlans {
 public:
  PricedPlans(const Cascade& cascade, const Architecture& arch, const FuseOptions& options,
              const std::vector<std::string>& shared, Evenness evenness, const Deadline& deadline)
      : cascade_(cascade),
        arch_(arch),
        options_(options),
        shared_(shared),
        evenness_(evenness),
        deadline_(deadline),
        search_(options.objective, 0, false) {}

  // The best plan; a refusal if there is none.
  FuseOutcome run() {
    FuseOutcome first = try_price(0);
    if (!first.found()) return first;
    if (options_.objective.energy == 0) {
      find_fastest();
    } else {
      find_least_product();
    }
    return outcome(std::move(first));
  }

 private:
  struct Known {
    Plan plan;
    PlanEvaluation evaluation;
    Pair at;

    double value(double price) const { return at.energy + price * at.cycles; }
  };

  const Known& best() const {
    const auto before = [&](const Known& a, const Known& b) {
      return is_better({options_.objective}, Total{a.at.energy, a.at.cycles},
                       Total{b.at.energy, b.at.cycles});
    };
    return *std::min_element(known_.begin(), known_.end(), before);
  }

  const Known& best_at(double price) const {
    return *std::min_element(known_.begin(), known_.end(), [&](const Known& a, const Known& b) {
      return a.value(price) < b.value(price);
    });
  }

  // Some plan is wanted at any rate; later runs leave as much time as they have.
  FuseOptions options_of_run() const {
    FuseOptions options = options_;
    options.objective = Objective::Energy;
    if (options.seconds) {
      const double share = known_.empty() ? 0.9 : 0.5;
      options.seconds = std::max(0.001, share * (*options.seconds - deadline_.seconds()));
    }
    return options;
  }

  // Plans of the least energy + price * cycles, and the half-plane that follows.
  FuseOutcome try_price(double price) {
    FlatAim aim;
    aim.evenness = evenness_;
    if (!known_.empty()) aim.to_beat_pj = best_at(price).value(price);
    FoundAtPrice run = find_at(price, {cascade_, arch_, options_of_run(), shared_, aim});
    FuseOutcome& found = run.outcome;
    if (!found.found()) return std::move(found);
    const Pair at{run.evaluation->energy_pj, static_cast<double>(run.evaluation->cycles)};
    known_.push_back({found.plan, std::move(*run.evaluation), at});
    const Pair reached = best_at(price).at;
    const double value = reached.energy + price * reached.cycles;
    const double least = found.bound >= value * (1 - 1e-9) ? value : found.bound;
    planes_.push_back({1, price, least * (1 - 1e-13), reached});
    search_.add(planes_.back());
    return std::move(found);
  }

  // No plan takes fewer cycles than its multiplications do.
  double least_cycles() const {
    double cycles = 0;
    for (const CascadeEinsum& einsum : cascade_.einsums) {
      cycles += map::least_cycles(einsum.workload, arch_);
    }
    return cycles;
  }

  void find_least_product() {
    constexpr int kMostPrices = 40;
    search_.add_trivial({0, least_cycles()});
    std::optional<double> price = map::rounded_price(search_.balanced_price(best().at));
    while (price && planes_.size() < kMostPrices && !deadline_.has_passed()) {
      if (!try_price(*price).found()) break;
      price = search_.next(best().at);
    }
    bound_ = search_.bound();
  }

  // A plan that is faster than one that is known does no more multiplications than there are places
  // for in its time, so it takes no more than a certain energy. At that price of a cycle it would
  // be found.
  void find_fastest() {
    double most_pj = 0;
    for (const CascadeEinsum& einsum : cascade_.einsums) {
      most_pj = std::max(most_pj, most_pj_per_mac(einsum.workload, einsum, arch_));
    }
    const Compute& compute = arch_.compute();
    const auto all = static_cast<double>(physical_instances(arch_, arch_.compute_level()));
    most_pj *= best().at.cycles * all * static_cast<double>(compute.macs);
    const double price = map::rounded_price(std::max(1.0, most_pj));
    bound_ = Pair{0, least_cycles()}.value(options_.objective);
    if (!try_price(price).found()) return;
    const double least = std::ceil((planes_.back().least - most_pj) / price - 1e-9);
    bound_ = Pair{0, std::max(least, least_cycles())}.value(options_.objective);
    // At so high a price digits of energies are lost.
    constexpr double kLower = 64;
    try_price(map::rounded_price(kLower * best().at.energy / best().at.cycles));
  }

  FuseOutcome outcome(FuseOutcome first) const {
    const Known& found = best();
    FuseOutcome outcome = std::move(first);
    outcome.objective = options_.objective;
    outcome.plan = found.plan;
    outcome.energy_pj = found.at.energy;
    outcome.cycles = found.evaluation.cycles;
    outcome.value = found.at.value(options_.objective);
    outcome.bound_pj = planes_.front().least;
    outcome.proven = bound_ >= outcome.value * (1 - map::PriceSearch::kRounding);
    outcome.bound = outcome.proven ? outcome.value : bound_;
    outcome.group_pj = group_energies(outcome.plan, found.evaluation);
    return outcome;
  }

  const Cascade& cascade_;
  const Architecture& arch_;
  const FuseOptions& options_;
  const std::vector<std::string>& shared_;
  Evenness evenness_;
  const Deadline& deadline_;
  map::PriceSearch search_;
  std::vector<Known> known_;
  std::vector<HalfPlane> planes_;  // by price, the first one without
  double bound_ = 0;               // of the objective
};

double energy_of(const PlanNode& node, const PlanEvaluation& evaluation) {
  double pj = node.is_leaf() ? evaluation.leaves[at(node.einsum)].energy_pj : 0;
  for (const PlanNode& child : node.children) pj += energy_of(child, evaluation);
  return pj;
}

}  // namespace

std::vector<double> group_energies(const Plan& plan, const PlanEvaluation& evaluation) {
  std::vector<double> energies;
  for (const PlanNode& group : plan.groups) energies.push_back(energy_of(group, evaluation));
  return energies;
}

FuseOutcome fuse_flat_priced(const Cascade& cascade, const Architecture& arch,
                             const FuseOptions& options, const std::vector<std::string>& shared,
                             const FlatAim& aim) {
  FuseOptions alone = options;
  alone.longest_group = 1;
  const FoundAtPrice unfused =
      find_at(options.cycle_pj, {cascade, arch, alone, shared, {aim.evenness}});
  if (!unfused.outcome.found()) return unfused.outcome;
  FuseOptions rest = options;
  if (rest.seconds) rest.seconds = std::max(0.001, *rest.seconds - unfused.outcome.seconds);
  FoundAtPrice found = find_at(options.cycle_pj, {cascade, arch, rest, shared, aim});
  FuseOutcome outcome = std::move(found.outcome);
  if (!outcome.found()) return outcome;
  outcome.energy_pj = found.evaluation->energy_pj;
  outcome.cycles = found.evaluation->cycles;
  outcome.bound_pj = 0;
  outcome.unfused_pj = unfused.evaluation->energy_pj;
  outcome.unfused_cycles = unfused.evaluation->cycles;
  outcome.unfused_value = unfused.outcome.value;
  outcome.group_pj = group_energies(outcome.plan, *found.evaluation);
  outcome.seconds += unfused.outcome.seconds;
  return outcome;
}

FuseOutcome fuse_flat_timed(const Cascade& cascade, const Architecture& arch,
                            const FuseOptions& options, const std::vector<std::string>& shared,
                            Evenness evenness) {
  const Deadline deadline(options.seconds, options.cancelled);
  FuseOptions alone = options;
  alone.longest_group = 1;
  if (alone.seconds) *alone.seconds /= 2;
  FuseOutcome unfused = PricedPlans(cascade, arch, alone, shared, evenness, deadline).run();
  if (!unfused.found()) return unfused;
  FuseOutcome outcome = PricedPlans(cascade, arch, options, shared, evenness, deadline).run();
  if (!outcome.found()) return outcome;
  outcome.unfused_pj = unfused.energy_pj;
  outcome.unfused_cycles = unfused.cycles;
  outcome.unfused_value = unfused.value;
  outcome.seconds = deadline.seconds();
  return outcome;
}

}  // namespace tilewright::fusion
