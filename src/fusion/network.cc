// Networks: the best plan of every part.
#include <algorithm>
#include <mutex>
#include <utility>

#include "base/deadline.h"
#include "base/thread_pool.h"
#include "cascade/same_work.h"
#include "fusion/network_times.h"
#include "fusion/search_bounds.h"
#include "map/price_search.h"
#include "tilewright/fusion.h"
#include "tilewright/map.h"

namespace tilewright {
namespace {

class NetworkFuser {
 public:
  // The options have the time of this part.
  NetworkFuser(const Architecture& arch, const FuseOptions& options)
      : arch_(arch),
        options_(options),
        goal_(fusion::goal_of(options)),
        deadline_(options.seconds, options.cancelled) {}

  FusedPart fuse_part(const NetworkPart& of) const {
    if (of.cascade.einsum_count() == 1 || options_.longest_group == 1) return alone(of);
    FuseOutcome outcome = fuse(of.cascade, arch_, options_);
    if (outcome.found() && !outcome.cycles) {
      outcome.cycles = evaluate_plan(of.cascade, arch_, outcome.plan).value->cycles;
    }
    if (outcome.found() && of.layers.empty()) return fused(outcome);
    FusedPart part = alone(of);
    if (outcome.found()) return fused(outcome, part);
    // Whether a plan would take less is not known.
    part.proven = false;
    part.bound = part.bound_pj = 0;
    part.problems.insert(part.problems.begin(), outcome.problems.begin(), outcome.problems.end());
    return part;
  }

 private:
  static FusedPart fused(FuseOutcome& outcome) {
    FusedPart part;
    part.found = true;
    part.unfused_pj = outcome.unfused_pj;
    part.energy_pj = outcome.energy_pj;
    part.unfused_cycles = outcome.unfused_cycles;
    part.cycles = *outcome.cycles;
    part.unfused_value = outcome.unfused_value;
    part.value = outcome.value;
    part.proven = outcome.proven;
    part.bound_pj = outcome.bound_pj;
    part.bound = outcome.bound;
    part.plan = std::move(outcome.plan);
    part.searched = outcome.searched;
    return part;
  }
  // Where dimensions were cut, the layers of the network are what a plan is held against: their
  // factors can do more than the whole dimensions.
  static FusedPart fused(FuseOutcome& outcome, const FusedPart& layers) {
    FusedPart part = fused(outcome);
    if (!layers.found) return part;
    if (layers.proven || layers.unfused_value < part.unfused_value) {
      part.unfused_pj = layers.unfused_pj;
      part.unfused_cycles = layers.unfused_cycles;
      part.unfused_value = layers.unfused_value;
    }
    if (part.value <= layers.value) return part;
    // The plan that the time was enough for is no better.
    part.energy_pj = layers.energy_pj;
    part.cycles = layers.cycles;
    part.value = layers.value;
    part.plan.reset();
    part.alone = layers.alone;
    return part;
  }

  // Every einsum on its own.
  FusedPart alone(const NetworkPart& of) const {
    MapOptions options = alone_options(options_);
    FusedPart part = alone(of, options);
    if (options.evenness == Evenness::Even) return part;
    // What uneven mappings gain is not gained by doing nothing.
    options.evenness = Evenness::Even;
    const FusedPart even = alone(of, options);
    part.unfused_pj = even.energy_pj;
    part.unfused_cycles = even.unfused_cycles;
    part.unfused_value = even.value;
    return part;
  }

  FusedPart alone(const NetworkPart& of, const MapOptions& options) const {
    FusedPart part;
    part.found = part.proven = true;
    for (const Layer& layer : of.layers) add_alone(layer.workload, layer.count, options, part);
    if (of.layers.empty()) {
      for (const CascadeEinsum& einsum : of.cascade.einsums) {
        add_alone(einsum.workload, 1, options, part);
      }
    }
    part.unfused_pj = part.energy_pj;
    if (goal_.is_timed()) part.unfused_cycles = part.cycles;
    part.unfused_value = part.value;
    return part;
  }

  MapOutcome map_alone(const Workload& workload, const MapOptions& options) const {
    if (options_.cycle_pj == 0) return map_workload(workload, arch_, options);
    MapOutcome outcome = map_workload(workload, map::with_price(arch_, options_.cycle_pj), options);
    if (outcome.found() && !map::take_price_off(arch_, outcome)) outcome.search.best.reset();
    return outcome;
  }

  void add_alone(const Workload& workload, std::int64_t count, MapOptions options,
                 FusedPart& part) const {
    // Some mapping is found soon.
    if (options_.seconds) {
      options.limits.seconds = std::max(0.1, *options_.seconds - deadline_.seconds());
    }
    const MapOutcome& outcome = part.alone.emplace_back(map_alone(workload, options));
    const bool proven =
        outcome.found() && outcome.proof && outcome.proof->status == Proof::Status::Proven;
    part.found = part.found && outcome.found();
    part.proven = part.proven && proven;
    append(part.problems, outcome.problems);
    if (!outcome.found()) return;
    const Score& score = outcome.search.score;
    const auto times = static_cast<double>(count);
    const double bound = outcome.proof ? times * outcome.proof->bound : 0;
    part.energy_pj += times * score.energy_pj;
    part.cycles += count * narrowed(score.cycles);
    if (!goal_.is_timed()) part.bound_pj += bound;
    part.value += times * value_of(goal_, {score.energy_pj, static_cast<double>(score.cycles)});
    part.bound += bound;
  }

  const Architecture& arch_;
  const FuseOptions& options_;
  fusion::Goal goal_;
  Deadline deadline_;
};

// Hands out what is left of the time to parts that are about to begin, by their weights.
class SharedTime {
 public:
  SharedTime(std::optional<double> seconds, const Stopwatch& clock, int threads)
      : seconds_(seconds), clock_(clock), threads_(threads) {}

  void add(double weight) { waiting_ += weight; }
  std::optional<double> take(double weight) {
    const std::lock_guard lock(mutex_);
    if (!seconds_) return std::nullopt;
    const double left = std::max(0.0, *seconds_ - clock_.seconds());
    const double share = waiting_ > 0 ? std::min(1.0, threads_ * weight / waiting_) : 1.0;
    waiting_ -= weight;
    return left * share;
  }

 private:
  std::optional<double> seconds_;
  const Stopwatch& clock_;
  double threads_;
  double waiting_ = 0;
  std::mutex mutex_;
};

// For each part the first one with the same work.
std::vector<std::size_t> first_parts(const NetworkParts& parts, const Architecture& arch) {
  // With the layers that its einsums are made of.
  std::vector<std::pair<Cascade, std::vector<std::int64_t>>> known;
  std::vector<std::size_t> firsts;
  for (const NetworkPart& part : parts.parts) {
    Cascade work = part.cascade;
    std::vector<std::int64_t> counts;
    for (const Layer& layer : part.layers) {
      work.einsums.push_back({layer.workload, {}});
      counts.push_back(layer.count);
    }
    known.emplace_back(without_names(work, arch), counts);
    const auto first = std::find(known.begin(), known.end(), known.back()) - known.begin();
    firsts.push_back(static_cast<std::size_t>(first));
  }
  return firsts;
}

// Those with work of their own, few einsums first.
std::vector<std::size_t> order_of(const NetworkParts& parts,
                                  const std::vector<std::size_t>& firsts) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    if (firsts[i] == i) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return parts.parts[a].cascade.einsum_count() < parts.parts[b].cascade.einsum_count();
  });
  return order;
}

// Searches the parts of a network, within one time for all.
class PartsSearch {
 public:
  PartsSearch(FusedNetwork& fused, const Architecture& arch, const FuseOptions& options,
              int threads, const std::function<void(const FuseProgress&)>& on_progress,
              int price = 0)
      : fused_(fused),
        arch_(arch),
        options_(options),
        threads_(threads),
        on_progress_(on_progress) {
    progress_.price = price;
  }

  void run() {
    const std::vector<std::size_t> firsts = first_parts(fused_.parts, arch_);
    fused_.outcomes.resize(firsts.size());
    had_.resize(firsts.size());
    const std::vector<std::size_t> order = order_of(fused_.parts, firsts);
    progress_.distinct = order.size();
    // Searches take longer the more einsums there are.
    search(order, [&](std::size_t part) {
      const double einsums = fused_.parts.parts[part].cascade.einsum_count();
      return einsums * einsums;
    });
    if (options_.seconds) {
      search(unproven(order), [&](std::size_t part) { return gain_of(part); });
    }
    for (std::size_t i = 0; i < firsts.size(); ++i) fused_.outcomes[i].first = firsts[i];
    fused_.seconds = clock_.seconds();
    fused_.objective = options_.objective;
    fused_.uneven_nests = options_.uneven_nests;
    add_up();
  }

 private:
  void add_up() {
    FusedTotals& totals = fused_.totals;
    totals = {};
    for (std::size_t i = 0; i < fused_.outcomes.size(); ++i) {
      const FusedPart& part = fused_.of(i);
      const auto count = static_cast<double>(fused_.parts.parts[i].count);
      totals.unfused_pj += count * part.unfused_pj;
      totals.energy_pj += count * part.energy_pj;
      totals.unfused_cycles += count * static_cast<double>(part.unfused_cycles.value_or(0));
      totals.cycles += count * static_cast<double>(part.cycles);
      totals.unfused_value += count * part.unfused_value;
      totals.value += count * part.value;
      totals.bound_pj += count * part.bound_pj;
      totals.bound += count * part.bound;
      totals.proven = totals.proven && part.found && part.proven;
    }
  }

  // By how much the network could take less if the part had a better plan.
  double gain_of(std::size_t part) const {
    const FusedPart& outcome = fused_.outcomes[part];
    return static_cast<double>(fused_.parts.parts[part].count) *
           std::max(0.0, outcome.value - outcome.bound);
  }

  // Those that gain most first. Searches start anew: they need twice the time that they had.
  std::vector<std::size_t> unproven(std::vector<std::size_t> order) const {
    double left = (*options_.seconds - clock_.seconds()) * threads_;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return gain_of(a) > gain_of(b); });
    std::erase_if(order, [&](std::size_t part) {
      const FusedPart& outcome = fused_.outcomes[part];
      if (outcome.proven || left < 2 * had_[part]) return true;
      left -= 2 * had_[part];
      return false;
    });
    return order;
  }

  template <class Weight>
  void search(const std::vector<std::size_t>& parts, Weight weight_of) {
    SharedTime time(options_.seconds, clock_, threads_);
    std::vector<double> weights;
    for (const std::size_t part : parts) weights.push_back(weight_of(part));
    for (const double weight : weights) time.add(weight);
    parallel_for(parts.size(), threads_, [&](int, std::size_t i) {
      search_part(parts[i], time.take(weights[i]));
      return true;
    });
  }

  void search_part(std::size_t part, std::optional<double> seconds) {
    const bool again = fused_.outcomes[part].found;
    tell(part, 0);
    FuseOptions options = options_;
    options.seconds = seconds;
    had_[part] = seconds.value_or(0);
    FusedPart found = NetworkFuser(arch_, options).fuse_part(fused_.parts.parts[part]);
    FusedPart& known = fused_.outcomes[part];
    if (!again || (found.found && found.value < known.value) || found.proven) {
      found.bound_pj = std::max(found.bound_pj, known.bound_pj);
      found.bound = std::max(found.bound, known.bound);
      known = std::move(found);
    }
    tell(part, again ? 0 : 1);
  }

  void tell(std::size_t part, std::size_t done) {
    const std::lock_guard lock(mutex_);
    progress_.done += done;
    if (done == 0) progress_.part = part;
    if (on_progress_) on_progress_(progress_);
  }

  FusedNetwork& fused_;
  const Architecture& arch_;
  const FuseOptions& options_;
  int threads_;
  const std::function<void(const FuseProgress&)>& on_progress_;
  Stopwatch clock_;
  std::vector<double> had_;  // seconds, by part
  FuseProgress progress_;
  std::mutex mutex_;
};

}  // namespace

std::size_t FusedNetwork::missing() const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < outcomes.size(); ++i) count += of(i).found ? 0U : 1U;
  return count;
}

MapOptions alone_options(const FuseOptions& options) {
  MapOptions alone;
  alone.objective = options.objective;
  if (options.uneven_nests) alone.evenness = Evenness::Uneven;
  alone.limits.seconds = options.seconds;
  alone.limits.cancelled = options.cancelled;
  return alone;
}

FusedNetwork fuse_network(const Network& network, const Architecture& arch,
                          const FuseOptions& asked, int threads,
                          const std::function<void(const FuseProgress&)>& on_progress) {
  const FuseOptions options = fusion::options_on(arch, asked);
  FusedNetwork fused{parts_of(network, arch), {}};
  const auto search = [&](const FuseOptions& now, int price) {
    FusedNetwork found{fused.parts, {}};
    PartsSearch(found, arch, now, threads, on_progress, price).run();
    return found;
  };
  const bool product = options.objective.energy > 0 && options.objective.cycles > 0;
  return product ? fusion::fuse_for_product(fused.parts, arch, options, search)
                 : search(options, 0);
}

}  // namespace tilewright
