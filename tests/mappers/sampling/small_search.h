// Small problems for tests of searches, in which many mappings do not fit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "mappers/sampling/sampling.h"
#include "support/problems.h"

namespace tilewright::testing {

// A GEMM on an unlimited memory, a row of 4, a memory of `words` and one with a
// partition of two weights.
inline Problem tight_problem(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t words) {
  Memory outer = make_memory("Outer");
  outer.read_pj = 100;
  outer.read_bandwidth = Rational{2, 1};
  Memory middle = make_memory("Middle", words);
  middle.read_pj = 3;
  middle.free = {"weight"};
  Memory inner = make_memory("Inner");
  inner.partitions = {{"weight", {Capacity::Unit::Words, 2}}};
  return make_problem(make_gemm("gemm", m, n, k),
                      make_arch({outer, make_fanout("Array", 4), middle, inner}));
}

inline MapSpace make_space(const Problem& problem, SpaceKind kind) {
  const Checked<Restrictions> restrictions = Restrictions::create(problem);
  Checked<MapSpace> space = MapSpace::create(problem, kind, *restrictions.value);
  if (!space.ok()) throw std::logic_error(to_string(space.problems.front()));
  return std::move(*space.value);
}

// Everything but the time that a search took.
inline bool same_result(const SearchResult& a, const SearchResult& b) {
  const auto same_step = [](const SearchResult::Step& x, const SearchResult::Step& y) {
    return x.seen == y.seen && x.score == y.score;
  };
  const auto same_failure = [](const Failure& x, const Failure& y) {
    return x.closest == y.closest && x.mapping == y.mapping && x.count == y.count;
  };
  return a.best == b.best && a.score == b.score && a.seen == b.seen && a.valid == b.valid &&
         a.stop == b.stop &&
         std::equal(a.steps.begin(), a.steps.end(), b.steps.begin(), b.steps.end(), same_step) &&
         std::equal(a.failures.begin(), a.failures.end(), b.failures.begin(), b.failures.end(),
                    same_failure);
}

// A strategy whose mappings are given, in units of two.
class ListStrategy : public Strategy {
 public:
  explicit ListStrategy(std::vector<Mapping> mappings) : mappings_(std::move(mappings)) {}

  std::unique_ptr<Explorer> explorer() const override {
    return std::make_unique<ListExplorer>(*this);
  }
  std::uint64_t unit_size() const override { return 2; }
  std::optional<std::uint64_t> total() const override { return mappings_.size(); }

 private:
  class ListExplorer : public Explorer {
   public:
    explicit ListExplorer(const ListStrategy& strategy) : strategy_(strategy) {}
    void explore(std::uint64_t unit, std::uint64_t most, Recorder& recorder) override {
      for (std::uint64_t i = 0; i < most; ++i) recorder.note(strategy_.mappings_[unit * 2 + i]);
    }

   private:
    const ListStrategy& strategy_;
  };

  std::vector<Mapping> mappings_;
};

}  // namespace tilewright::testing
