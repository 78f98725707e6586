// The extents that one dimension can have between the multipliers and the
// outermost memory, once its unrolling is fixed, and the steps between them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "certificate/frames.h"

namespace tilewright::certificate {

// Extents that leave the same number of iterations outside. With temporal
// remainders there are mostly too many extents to tell all of them apart.
struct ExtentClass {
  std::int64_t left = 1;  // iterations outside
  std::int64_t least = 1, most = 1;

  // From small to large.
  friend bool operator<(const ExtentClass& a, const ExtentClass& b) {
    return std::tie(a.least, a.most, a.left) < std::tie(b.least, b.most, b.left);
  }
};

// How extents are told apart with temporal remainders: by what they leave, or by the least and the
// most that the bounds of their loops come to, too.
enum class Telling { ByLeft, ByBounds };

// A step over a memory's loop: the bounds that lead from one class to another.
struct Step {
  int from = 0, to = 0;
  std::int64_t least_bound = 1, most_bound = 1;  // none where it takes loops of several points

  bool is_one_loop() const { return least_bound <= most_bound; }
  // Whether no two loops, one in another, lead as far with any of the bounds.
  bool has_prime_bound() const;
};

struct Chain {
  std::int64_t size = 1;
  std::vector<ExtentClass> classes;  // the first is extent 1
  // [memory] steps over all loops, class by class; bound 1 leads to itself.
  std::vector<std::vector<Step>> loops;
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> loops_of_class;  // [memory][class]
  std::uint32_t looped = 0;  // memories with a step that leads elsewhere, as bits
  // [memory][class] Where a memory may have several storage points, and loops do more than to
  // divide what is left: steps over the loop of one point. Otherwise there are none.
  std::vector<std::vector<std::vector<Step>>> of_point;
  std::vector<std::vector<int>> unrolled;     // [fan-out] class outside, -1 if impossible
  std::vector<std::int64_t> largest_outside;  // [fan-out] extent that stands outside it, at most
  // [class] Of perfect factors: the classes that a loop with a prime bound leads to; and all
  // classes from small to large.
  std::vector<std::vector<int>> prime_loops;
  std::vector<int> by_extent;
  std::vector<char> ends;    // per class: nothing is left
  std::int64_t largest = 1;  // extent of all
  bool exact = true;         // every class is one extent
  bool possible = false;     // some path leads to an end

  // The steps over a memory's loops from a class.
  std::span<const Step> loops_from(int memory, int from) const {
    const auto& known = loops_of_class[at(memory)];
    if (at(from) >= known.size()) return {};
    const auto [first, end] = known[at(from)];
    return {loops[at(memory)].data() + first, end - first};
  }
  // The bounds of a memory's loop at one point that lead from one class to another; no loop if
  // there are none.
  Step point_loop(int memory, int from, int to) const;
  // For each class the steps that lead elsewhere over loops of one point: any loop may be cut in
  // two by a point.
  std::vector<std::vector<Step>> point_loops(int memory) const;

 private:
  Step perfect_loop(int from, int to) const;
};

bool is_prime(std::int64_t number);

// Divisors of numbers, for the next one who asks.
class Divisors {
 public:
  const std::vector<std::int64_t>& of(std::int64_t number);

 private:
  std::unordered_map<std::int64_t, std::vector<std::int64_t>> known_;
};

struct ChainLimits {
  // Up to this size the extents of a dimension with temporal remainders are all told apart.
  std::int64_t small = 8;
  // So many classes may a dimension have whose extents are told apart by their bounds, and so many
  // combinations there may be of those of all dimensions.
  std::size_t most_refined = 160, most_combinations = 1 << 14;
};

// Chains that were made, for the next one who asks.
class Chains {
 public:
  Chains(const Problem& problem, const Rules& rules, const ChainLimits& limits = {});

  std::shared_ptr<const Chain> get(int dim, const Unrolling& unrolling);
  // The chains of every dimension; nothing if one of them has no path to its end.
  std::optional<std::vector<std::shared_ptr<const Chain>>> all(const Unrolling& unrolling);
  // With temporal remainders, and one storage point per memory: the same of an unrolling whose
  // chains all have a path to their end, with extents told apart by their bounds in as many
  // dimensions as there is room for; nothing if that is none.
  std::optional<std::vector<std::shared_ptr<const Chain>>> refined(const Unrolling& unrolling);
  bool can_be_refined() const;
  // Whether all of them have one.
  bool are_possible(const Unrolling& unrolling);
  // Their chains, for those who look at no class but the first and at no step: where perfect
  // factors have no limits, nothing else need be there.
  std::vector<std::shared_ptr<const Chain>> outlines(const Unrolling& unrolling);

 private:
  // Chains of one dimension, by its factors.
  using Known = std::map<std::vector<std::int64_t>, std::shared_ptr<const Chain>>;

  std::shared_ptr<const Chain> get(int dim, const Unrolling& unrolling, Telling telling);
  bool has_free_loops(int dim) const;

  const Problem* problem_;
  const Rules* rules_;
  ChainLimits limits_;
  Divisors divisors_;
  std::vector<Known> known_, refined_;  // [dim]; no chain where there are too many classes
  // [dim] What all chains look like from afar that have a path to their end; nothing where loops
  // have limits.
  std::vector<std::shared_ptr<const Chain>> outlines_;
};

}  // namespace tilewright::certificate
