#include "mappers/optimal/mirrors.h"

#include <algorithm>
#include <utility>

#include "mappers/optimal/array_choices.h"

namespace tilewright::optimal {
namespace {

// The solver's dimensions in a rank, with their coefficients, in order.
using Terms = std::vector<std::pair<int, std::int64_t>>;

class MirrorSearch {
 public:
  explicit MirrorSearch(const SolverTables& solver)
      : solver_(solver), numbers_(at(solver.problem().dim_count()), -1) {
    for (int d = 0; d < solver.dim_count; ++d) numbers_[at(solver.original(d))] = d;
    for (const Tensor& tensor : solver.problem().workload().tensors) {
      tensors_.push_back(ranks_of(tensor));
    }
    image_.fill(-1);
  }

  std::vector<DimMirror> find() {
    choose(0);
    return std::move(found_);
  }

 private:
  static constexpr std::size_t kMost = 8;
  static constexpr int kMostTries = 256;

  // Dimensions of size 1 have no loops, so it does not matter where they stand.
  std::vector<Terms> ranks_of(const Tensor& tensor) const {
    std::vector<Terms> ranks;
    for (const Rank& rank : tensor.ranks) {
      Terms terms;
      for (const Term& term : rank) {
        const int dim = numbers_[at(term.dim)];
        if (dim >= 0) terms.emplace_back(dim, term.coefficient);
      }
      std::sort(terms.begin(), terms.end());
      ranks.push_back(std::move(terms));
    }
    std::sort(ranks.begin(), ranks.end());
    return ranks;
  }

  // Gives every dimension from one on its image: itself, or another one, which gets it in turn.
  void choose(int dim) {
    while (dim < solver_.dim_count && image_[at(dim)] >= 0) ++dim;
    if (found_.size() == kMost || tries_ == kMostTries) return;
    if (dim == solver_.dim_count) {
      ++tries_;
      if (moves_something() && keeps_tensors() && keeps_orders() && keeps_arrays()) {
        found_.push_back(image_);
      }
      return;
    }
    image_[at(dim)] = dim;
    choose(dim + 1);
    for (int other = dim + 1; other < solver_.dim_count; ++other) {
      if (image_[at(other)] >= 0 || !are_alike(dim, other)) continue;
      image_[at(dim)] = other;
      image_[at(other)] = dim;
      choose(dim + 1);
      image_[at(other)] = -1;
    }
    image_[at(dim)] = -1;
  }

  // As far as they can be told apart one by one.
  bool are_alike(int a, int b) const {
    if (solver_.size(a) != solver_.size(b)) return false;
    for (const TensorShape& tensor : solver_.tensors) {
      if (contains(tensor.relevant, a) != contains(tensor.relevant, b)) return false;
    }
    for (int s = 0; s < solver_.problem().slot_count(); ++s) {
      const BoundLimits& of_a = solver_.limits(s, a);
      const BoundLimits& of_b = solver_.limits(s, b);
      if (of_a.least != of_b.least || of_a.most != of_b.most) return false;
    }
    for (int m = 0; m < solver_.memory_count; ++m) {
      const auto most = [&](int d) {
        return solver_.restrictions->extent_limit(MemoryId{m}, solver_.original(d)).most;
      };
      if (most(a) != most(b)) return false;
    }
    return true;
  }

  bool moves_something() const {
    for (int d = 0; d < solver_.dim_count; ++d) {
      if (image_[at(d)] != d) return true;
    }
    return false;
  }

  bool keeps_tensors() const {
    return std::all_of(tensors_.begin(), tensors_.end(), [&](const std::vector<Terms>& ranks) {
      std::vector<Terms> images = ranks;
      for (Terms& terms : images) {
        for (auto& term : terms) term.first = image_[at(term.first)];
        std::sort(terms.begin(), terms.end());
      }
      std::sort(images.begin(), images.end());
      return images == ranks;
    });
  }

  // What the order of loops must be at memories.
  bool keeps_orders() const {
    const auto keeps = [&](const std::vector<DimId>& order) {
      return std::all_of(order.begin(), order.end(), [&](DimId dim) {
        const int number = numbers_[at(dim)];
        return number < 0 || image_[at(number)] == number;
      });
    };
    for (int m = 0; m < solver_.memory_count; ++m) {
      if (!keeps(solver_.restrictions->outermost(MemoryId{m}))) return false;
      if (!keeps(solver_.restrictions->innermost(MemoryId{m}))) return false;
    }
    return true;
  }

  bool keeps_arrays() const { return !solver_.arrays || solver_.arrays->are_kept_by(image_); }

  const SolverTables& solver_;
  std::vector<int> numbers_;                 // the solver's, of the workload's dimensions
  std::vector<std::vector<Terms>> tensors_;  // their ranks
  DimMirror image_{};
  int tries_ = 0;
  std::vector<DimMirror> found_;
};

}  // namespace

std::vector<DimMirror> find_mirrors(const SolverTables& solver) {
  return MirrorSearch(solver).find();
}

}  // namespace tilewright::optimal
