// A multi-hop local beam search from one start.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/thread_pool.h"
#include "mappers/quickflow/monitor.h"
#include "mappers/quickflow/moves.h"
#include "mappers/quickflow/quickflow.h"
#include "mappers/quickflow/scorer.h"

namespace tilewright::quickflow {

class Climb {
 public:
  using KeyOf = Key (*)(Objective, const Cost&);

  Climb(const Allocation& start, Objective objective, const Limits& limits,
        const QuickflowSettings& settings);

  // Those who take costs, one for each worker of the pool; without a pool the
  // first does it. To be set before each round: a climb may change hands.
  void work_with(std::span<Scorer* const> scorers, ThreadPool* pool, Monitor* monitor, int worker);
  // No more costs than this are taken in all, but for the start's.
  void limit(std::uint64_t visits) { most_visits_ = visits; }

  void search(const Scope& scope, const QuickflowSettings::Round& round, KeyOf key);
  // Goes on from elsewhere.
  void go_to(const Allocation& allocation);
  // Goes on from the best found.
  void return_to_best();

  const Allocation& centre() const { return centre_; }
  const Cost& centre_cost() const { return centre_cost_; }
  const std::optional<Allocation>& best() const { return best_; }
  std::uint64_t visits() const { return visited_.size(); }
  std::uint64_t valid() const { return valid_; }
  const std::vector<SearchResult::Step>& steps() const { return steps_; }
  struct Visit {
    std::uint64_t hash = 0;  // of the allocation
    bool valid = false;
  };
  const std::vector<Visit>& visited() const { return visited_; }  // in order
  bool was_limited() const { return limited_; }                   // at some time
  bool has_reached_target() const;  // by itself: what others find is a matter of time

 private:
  struct Child {
    int parent = 0;
    Move move;
    std::uint64_t hash = 0;
    bool known = false;
    Cost cost;
    Key key;
  };

  bool improve(const Scope& scope, int hops, int width);
  bool hop_away(const Scope& scope, int hops, int width, int& taken);
  std::vector<Child> expand(const std::vector<Allocation>& beam, const Scope& scope,
                            std::unordered_set<std::uint64_t>& reached);
  void take_costs(const std::vector<Allocation>& beam, std::vector<Child>& children);
  static Allocation child_of(const std::vector<Allocation>& beam, const Child& child);
  bool note(std::uint64_t hash, const Cost& cost);
  bool is_over();

  const Objective objective_;
  const Limits& limits_;
  const QuickflowSettings& settings_;
  std::span<Scorer* const> scorers_;
  ThreadPool* pool_ = nullptr;
  Monitor* monitor_ = nullptr;
  int worker_ = 0;
  KeyOf key_ = search_key;
  std::unordered_map<std::uint64_t, Cost> known_;  // by hash
  Allocation centre_;
  Cost centre_cost_;
  std::optional<Allocation> best_;  // by the objective
  Cost best_cost_;
  std::vector<Visit> visited_;
  std::uint64_t valid_ = 0, reported_visits_ = 0, reported_valid_ = 0;
  std::uint64_t most_visits_ = ~std::uint64_t{0};
  bool limited_ = false;
  std::vector<SearchResult::Step> steps_;
  std::vector<Move> moves_;
};

}  // namespace tilewright::quickflow
