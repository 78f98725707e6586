// The extents that one dimension can have between the multipliers and the
// outermost memory, once its unrolling is fixed, and the steps between them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "certificate/frames.h"

namespace tilewright::certificate {

// Extents that leave the same number of iterations outside. With temporal
// remainders there are too many extents to tell all of them apart.
struct ExtentClass {
  std::int64_t left = 1;  // iterations outside
  std::int64_t least = 1, most = 1;
};

// A step over a memory's loop: the bounds that lead from one class to another.
struct Step {
  int from = 0, to = 0;
  std::int64_t least_bound = 1, most_bound = 1;
};

struct Chain {
  std::int64_t size = 1;
  std::vector<ExtentClass> classes;        // the first is extent 1
  std::vector<std::vector<Step>> loops;    // [memory] steps; bound 1 leads to itself
  std::vector<std::vector<int>> unrolled;  // [fan-out] class outside, -1 if impossible
  std::vector<char> ends;                  // per class: nothing is left
  std::int64_t largest = 1;                // extent of all
  bool exact = true;                       // every class is one extent
  bool possible = false;                   // some path leads to an end
};

bool is_prime(std::int64_t number);

// The factors are the dimension's unrollings, per fan-out.
Chain make_chain(const Problem& problem, const Rules& rules, int dim,
                 const std::vector<std::int64_t>& factors);

// Chains that were made, for the next one who asks.
class Chains {
 public:
  Chains(const Problem& problem, const Rules& rules)
      : problem_(&problem), rules_(&rules), known_(at(problem.dim_count())) {}

  std::shared_ptr<const Chain> get(int dim, const Unrolling& unrolling);
  // Of every dimension; nothing if one of them has no path to its end.
  std::optional<std::vector<std::shared_ptr<const Chain>>> all(const Unrolling& unrolling);

 private:
  const Problem* problem_;
  const Rules* rules_;
  std::vector<std::map<std::vector<std::int64_t>, std::shared_ptr<const Chain>>> known_;  // [dim]
};

}  // namespace tilewright::certificate
