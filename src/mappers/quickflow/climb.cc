#include "mappers/quickflow/climb.h"

#include <algorithm>

namespace tilewright::quickflow {

Climb::Climb(const Allocation& start, Objective objective, const Limits& limits,
             const QuickflowSettings& settings)
    : objective_(objective), limits_(limits), settings_(settings), centre_(start) {}

void Climb::work_with(std::span<Scorer* const> scorers, ThreadPool* pool, Monitor* monitor,
                      int worker) {
  scorers_ = scorers;
  pool_ = pool;
  monitor_ = monitor;
  worker_ = worker;
  if (visited_.empty()) go_to(centre_);
}

void Climb::go_to(const Allocation& allocation) {
  centre_ = allocation;
  centre_cost_ = scorers_[0]->score(centre_);
  if (!known_.emplace(centre_.hash(), centre_cost_).second) return;
  if (note(centre_.hash(), centre_cost_)) best_ = centre_;
}

void Climb::return_to_best() {
  if (!best_) return;
  centre_ = *best_;
  centre_cost_ = best_cost_;
}

// Hands over what was counted since the last time.
bool Climb::is_over() {
  const std::optional<Score> best = best_ ? std::optional(best_cost_.score) : std::nullopt;
  const bool stopped =
      monitor_->pass(worker_, visits() - reported_visits_, valid_ - reported_valid_, best);
  reported_visits_ = visits();
  reported_valid_ = valid_;
  limited_ = limited_ || visits() >= most_visits_;
  return stopped || visits() >= most_visits_ || has_reached_target();
}

bool Climb::has_reached_target() const {
  return limits_.target && best_ && value_of(objective_, best_cost_.score) <= *limits_.target;
}

// Counts a visit; true if its cost is the best so far.
bool Climb::note(std::uint64_t hash, const Cost& cost) {
  visited_.push_back({hash, cost.is_valid()});
  if (!cost.is_valid()) return false;
  ++valid_;
  if (best_ && !is_better(objective_, cost.score, best_cost_.score)) return false;
  best_cost_ = cost;
  steps_.push_back({visits(), valid_, cost.score});
  return true;
}

void Climb::search(const Scope& scope, const QuickflowSettings::Round& round, KeyOf key) {
  key_ = key;
  int width = round.beam;
  for (int widenings = 0; !is_over();) {
    if (improve(scope, round.hops, width)) {
      width = round.beam;
      widenings = 0;
    } else if (widenings++ < round.widenings) {
      width *= settings_.widening;
    } else {
      return;
    }
  }
}

// Hops away from the centre until something better comes into sight.
bool Climb::improve(const Scope& scope, int hops, int width) {
  int taken = 0;
  const bool better = hop_away(scope, hops, width, taken);
  if (settings_.on_step) settings_.on_step({taken, better, !scope.spatial});
  return better;
}

bool Climb::hop_away(const Scope& scope, int hops, int width, int& taken) {
  const Key key = key_(objective_, centre_cost_);
  std::unordered_set<std::uint64_t> reached = {centre_.hash()};
  std::vector<Allocation> beam = {centre_};
  for (int hop = 0; hop < hops && !is_over(); ++hop) {
    ++taken;
    std::vector<Child> children = expand(beam, scope, reached);
    take_costs(beam, children);
    const auto end = children.begin() + std::min<std::ptrdiff_t>(width, std::ssize(children));
    std::partial_sort(children.begin(), end, children.end(), [](const Child& a, const Child& b) {
      return a.key != b.key ? a.key < b.key : a.hash < b.hash;
    });
    if (children.empty()) return false;
    if (children[0].key < key) {
      centre_ = child_of(beam, children[0]);
      centre_cost_ = children[0].cost;
      return true;
    }
    if (hop + 1 == hops) return false;
    std::vector<Allocation> next;
    for (auto child = children.begin(); child != end; ++child) {
      next.push_back(child_of(beam, *child));
    }
    beam = std::move(next);
  }
  return false;
}

Allocation Climb::child_of(const std::vector<Allocation>& beam, const Child& child) {
  Allocation allocation = beam[at(child.parent)];
  allocation.apply(child.move);
  return allocation;
}

// The neighbours that are not reached in fewer hops, as far as the limit goes.
std::vector<Climb::Child> Climb::expand(const std::vector<Allocation>& beam, const Scope& scope,
                                        std::unordered_set<std::uint64_t>& reached) {
  std::vector<Child> children;
  std::uint64_t visits = this->visits();
  for (std::size_t i = 0; i < beam.size(); ++i) {
    list_moves(beam[i], scope, moves_);
    for (const Move& move : moves_) {
      const std::uint64_t hash = beam[i].hash_after(move);
      if (!reached.insert(hash).second) continue;
      const auto known = known_.find(hash);
      Child child{static_cast<int>(i), move, hash, known != known_.end(), {}, {}};
      if (child.known) child.cost = known->second;
      if (!child.known && visits++ >= most_visits_) return children;
      children.push_back(child);
    }
  }
  return children;
}

void Climb::take_costs(const std::vector<Allocation>& beam, std::vector<Child>& children) {
  const auto take = [&](int worker, std::size_t i) {
    Child& child = children[i];
    if (child.known) return true;
    child.cost = scorers_[at(worker)]->score(beam[at(child.parent)], child.move);
    return true;
  };
  constexpr std::size_t kWorthSharing = 64;
  if (pool_ != nullptr && children.size() >= kWorthSharing) {
    pool_->parallel_for(children.size(), take, {.chunk = 8});
  } else {
    for (std::size_t i = 0; i < children.size(); ++i) take(0, i);
  }
  for (Child& child : children) {
    child.key = key_(objective_, child.cost);
    if (child.known) continue;
    known_.emplace(child.hash, child.cost);
    if (note(child.hash, child.cost)) best_ = child_of(beam, child);
  }
  std::erase_if(children, [](const Child& child) { return !child.cost.score.verdict.fits(); });
}

}  // namespace tilewright::quickflow
