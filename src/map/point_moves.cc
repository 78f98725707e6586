// A local search over storage points, from the best mapping that a mapper of even ones found.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/bits.h"
#include "base/deadline.h"
#include "parts.h"

namespace tilewright::map {
namespace {

// What stands in a memory, from the outside in: a tensor that has its point there, or a loop.
struct Item {
  int tensor = -1;  // none: a loop
  DimId dim{};
  std::int64_t bound = 1;
};
using Items = std::vector<Item>;
using Nest = std::vector<Items>;  // by memory

Nest nest_of(const Problem& problem, const Mapping& mapping) {
  Nest nest(static_cast<std::size_t>(problem.memory_count()));
  for (int m = 0; m < problem.memory_count(); ++m) {
    Items& items = nest[at(m)];
    for (const int t : members(mapping.kept(MemoryId{m}))) items.push_back({t, {}, 1});
    for (int i = 0; i < problem.dim_count(); ++i) {
      const DimId dim{mapping.order(MemoryId{m})[i]};
      const std::int64_t bound = mapping.bound(problem.use(MemoryId{m}).slot, dim);
      if (bound > 1) items.push_back({-1, dim, bound});
    }
  }
  return nest;
}

// A point and the loops just inside it. A dimension has one loop there, where the innermost is.
struct Group {
  std::uint32_t tensors = 0;
  Items loops;

  void add(const Item& loop) {
    const auto same = std::find_if(loops.begin(), loops.end(),
                                   [&](const Item& known) { return known.dim == loop.dim; });
    Item merged = loop;
    if (same != loops.end()) {
      merged.bound *= same->bound;
      loops.erase(same);
    }
    loops.push_back(merged);
  }
};

std::vector<Group> groups_of(const Items& items) {
  std::vector<Group> groups(1);
  for (const Item& item : items) {
    if (item.tensor < 0) {
      groups.back().add(item);
      continue;
    }
    if (!groups.back().loops.empty()) groups.emplace_back();
    groups.back().tensors |= 1U << item.tensor;
  }
  return groups;
}

class PointSearch {
 public:
  PointSearch(const MappingTask& task, const MapOptions& options, MapOutcome& outcome,
              double seconds_left)
      : task_(task),
        problem_(task.evaluator.problem()),
        constraints_(options.constraints),
        deadline_(options.limits.seconds ? std::optional(seconds_left) : std::nullopt,
                  options.limits.cancelled),
        outcome_(outcome),
        even_(*outcome.search.best),
        nest_(nest_of(problem_, even_)) {}

  void run() {
    while (!is_at_end() && find_better()) {
    }
  }

 private:
  struct Place {
    std::shared_ptr<const Evaluator> evaluator;  // null if there are no such points
    std::shared_ptr<const Restrictions> restrictions;
  };

  bool is_at_end() const {
    constexpr std::uint64_t kMost = 20'000;
    return tried_ >= kMost || deadline_.has_passed();
  }

  // Takes the first step to something better. A point that is moved frees room; so what can be
  // done with that is tried, too.
  bool find_better() {
    const auto is_taken = [&](const Nest& nest) { return !is_at_end() && take_if_better(nest); };
    const std::vector<Nest> near = moved(nest_, /*points_alone=*/false);
    if (std::any_of(near.begin(), near.end(), is_taken)) return true;
    for (const Nest& first : moved(nest_, /*points_alone=*/true)) {
      const std::vector<Nest> next = moved(first, /*points_alone=*/false);
      if (std::any_of(next.begin(), next.end(), is_taken)) return true;
    }
    return false;
  }

  std::vector<Nest> moved(const Nest& nest, bool points_alone) const {
    std::vector<Nest> all;
    for (std::size_t m = 0; m < nest.size(); ++m) {
      for (std::size_t from = 0; from < nest[m].size(); ++from) {
        const bool point = nest[m][from].tensor >= 0;
        if (point ? !contains(task_.uneven, static_cast<int>(m)) : points_alone) continue;
        move_within(nest, m, from, all);
        // With remainders it would change what is left for the loops between.
        if (!point && task_.space == SpaceKind::Perfect) move_out(nest, m, from, all);
      }
    }
    return all;
  }

  // A tensor's point, or a loop, at another place of its memory, which begins with a point.
  static void move_within(const Nest& nest, std::size_t m, std::size_t from,
                          std::vector<Nest>& all) {
    for (std::size_t to = 0; to < nest[m].size(); ++to) {
      if (to == from) continue;
      Nest other = nest;
      const Item item = other[m][from];
      other[m].erase(other[m].begin() + static_cast<std::ptrdiff_t>(from));
      other[m].insert(other[m].begin() + static_cast<std::ptrdiff_t>(to), item);
      if (begins_with_point(other[m])) all.push_back(std::move(other));
    }
  }

  // A prime factor of a loop in another memory.
  static void move_out(const Nest& nest, std::size_t m, std::size_t from, std::vector<Nest>& all) {
    const std::int64_t prime = least_prime(nest[m][from].bound);
    const Item loop{-1, nest[m][from].dim, prime};
    for (std::size_t there = 0; there < nest.size(); ++there) {
      for (std::size_t to = 0; there != m && to <= nest[there].size(); ++to) {
        Nest other = nest;
        other[m][from].bound /= prime;
        if (other[m][from].bound == 1) {
          other[m].erase(other[m].begin() + static_cast<std::ptrdiff_t>(from));
        }
        other[there].insert(other[there].begin() + static_cast<std::ptrdiff_t>(to), loop);
        if (begins_with_point(other[there])) all.push_back(std::move(other));
      }
    }
  }

  static std::int64_t least_prime(std::int64_t number) {
    std::int64_t prime = 2;
    while (prime * prime <= number && number % prime != 0) ++prime;
    return number % prime == 0 ? prime : number;
  }

  // The problem with these points, looked into once.
  const Place& place_for(const std::vector<StoragePoints>& points) {
    const auto [known, is_new] = places_.try_emplace(points);
    if (!is_new) return known->second;
    const Checked<Problem> apart = with_points(problem_, points);
    if (!apart.ok()) return known->second;
    const auto constraints = constraints_at_points(*apart.value, constraints_);
    if (!constraints.ok()) return known->second;
    const Checked<Restrictions> own = Restrictions::create(*apart.value, *constraints.value);
    if (!own.ok()) return known->second;
    known->second = {std::make_shared<const Evaluator>(*Evaluator::compile(*apart.value).value),
                     std::make_shared<const Restrictions>(*own.value)};
    return known->second;
  }

  static bool begins_with_point(const Items& items) {
    return items.empty() || items.front().tensor >= 0 ||
           std::none_of(items.begin(), items.end(), [](const Item& i) { return i.tensor >= 0; });
  }

  // Fan-outs stay as they are.
  Mapping mapping_of(const std::vector<std::vector<Group>>& groups, const Problem& apart) const {
    Mapping mapping(apart);
    int level = 0;
    for (const std::vector<Group>& own : groups) {
      for (const Group& group : own) {
        std::vector<DimId> order;
        for (const Item& loop : group.loops) {
          mapping.set_bound(apart.use(MemoryId{level}).slot, loop.dim, loop.bound);
          order.push_back(loop.dim);
        }
        mapping.set_order(MemoryId{level}, order);
        mapping.set_kept(MemoryId{level++}, group.tensors);
      }
    }
    std::vector<int> axes;
    for (int s = 0; s < problem_.slot_count(); ++s) {
      if (problem_.slots()[at(s)].kind != SlotKind::Temporal) {
        axes.push_back(s);
      }
    }
    std::size_t next = 0;
    for (int s = 0; s < apart.slot_count(); ++s) {
      if (apart.slots()[at(s)].kind == SlotKind::Temporal) continue;
      const int axis = axes[next++];
      for (int d = 0; d < apart.dim_count(); ++d) {
        mapping.set_bound(s, DimId{d}, even_.bound(axis, DimId{d}));
      }
    }
    return canonical(apart, mapping);
  }

  bool take_if_better(const Nest& nest) {
    std::vector<std::vector<Group>> groups;
    std::vector<StoragePoints> points;
    for (const Items& items : nest) {
      groups.push_back(groups_of(items));
      points.emplace_back();
      if (groups.back().size() == 1) continue;
      for (const Group& group : groups.back()) points.back().push_back(group.tensors);
    }
    const Place& place = place_for(points);
    if (!place.evaluator) return false;
    const Problem& apart = place.evaluator->problem();
    const Mapping mapping = mapping_of(groups, apart);
    if (!structural_problems(apart, mapping).empty()) return false;
    ++tried_;
    ++outcome_.search.seen;
    const Score score = place.evaluator->score(mapping);
    if (!score.verdict.fits()) return false;
    ++outcome_.search.valid;
    if (!is_better(task_.objective, score, outcome_.search.score)) return false;
    if (!hardware_problems(apart, mapping).empty() ||
        !place.restrictions->broken_by(apart, mapping).empty()) {
      return false;
    }
    nest_ = nest;
    outcome_.search.best = mapping;
    outcome_.search.score = score;
    outcome_.problem = apart;
    return true;
  }

  const MappingTask& task_;
  const Problem& problem_;
  const std::vector<Constraint>& constraints_;
  Deadline deadline_;
  MapOutcome& outcome_;
  const Mapping even_;
  Nest nest_;
  std::map<std::vector<StoragePoints>, Place> places_;
  std::uint64_t tried_ = 0;
};

}  // namespace

void move_points(const MappingTask& task, const MapOptions& options, MapOutcome& outcome) {
  const bool known_best = outcome.proof && outcome.proof->status == Proof::Status::Proven;
  if (task.uneven == 0 || !outcome.found() || known_best || has_points(*outcome.problem)) return;
  const Stopwatch stopwatch;
  const double left = options.limits.seconds.value_or(0) - outcome.search.seconds;
  PointSearch(task, options, outcome, left).run();
  outcome.search.seconds += stopwatch.seconds();
  // What did not fit is said of the levels of the problem without points.
  if (has_points(*outcome.problem)) outcome.search.failures.clear();
  if (!outcome.proof || outcome.proof->bound <= 0) return;
  outcome.proof->gap = value_of(task.objective, outcome.search.score) / outcome.proof->bound - 1;
}

}  // namespace tilewright::map
