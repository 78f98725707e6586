#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "mappers/sampling/sampling.h"
#include "support/problems.h"

namespace tilewright {
namespace {

// Hands out given mappings, two in a unit.
class Listed : public Strategy {
 public:
  explicit Listed(std::vector<Mapping> mappings) : mappings_(std::move(mappings)) {}

  std::unique_ptr<Explorer> explorer() const override {
    return std::make_unique<Reader>(mappings_);
  }
  std::uint64_t unit_size() const override { return 2; }
  std::optional<std::uint64_t> total() const override { return mappings_.size(); }

 private:
  class Reader : public Explorer {
   public:
    explicit Reader(const std::vector<Mapping>& mappings) : mappings_(mappings) {}
    void explore(std::uint64_t unit, std::uint64_t most, Recorder& recorder) override {
      for (std::uint64_t i = 0; i < most; ++i) recorder.note(mappings_[unit * 2 + i]);
    }

   private:
    const std::vector<Mapping>& mappings_;
  };

  std::vector<Mapping> mappings_;
};

// 12 elements, of which a buffer holds 6 of each tensor, on up to 4 instances.
class ValidCount : public ::testing::Test {
 protected:
  static Problem problem() {
    Workload workload;
    workload.name = "row";
    workload.dims = {{"X", 12}};
    workload.tensors = {{.name = "I", .role = Role::Input, .ranks = {{{DimId{0}, 1}}}},
                        {.name = "O", .role = Role::Output, .ranks = {{{DimId{0}, 1}}}}};
    return testing::make_problem(
        workload,
        testing::make_arch({testing::make_memory("DRAM"), testing::make_fanout("array", 4),
                            testing::make_memory("Buffer", 12)}));
  }
  // `x` instances with tiles of `inner`.
  Mapping split(std::int64_t x, std::int64_t inner) const {
    Mapping mapping(problem_);
    testing::set_loops(problem_, mapping, "DRAM", {{"X", 12 / x / inner}});
    testing::set_loops(problem_, mapping, "array.x", {{"X", x}});
    testing::set_loops(problem_, mapping, "Buffer", {{"X", inner}});
    return mapping;
  }
  SearchResult run(std::optional<std::uint64_t> valid_evaluations) const {
    SamplingOptions options;
    options.objective = Objective::Latency;
    options.valid_evaluations = valid_evaluations;
    // Too large, 12 cycles, too large, 6 cycles, 6 cycles, 4 cycles.
    const Listed strategy(
        {split(1, 12), split(1, 6), split(1, 12), split(2, 2), split(2, 2), split(3, 2)});
    return search(evaluator_, strategy, options);
  }

  Problem problem_ = problem();
  Evaluator evaluator_ = testing::make_evaluator(problem_);
};

TEST_F(ValidCount, StepsCountTheValidMappingsBesideAllThatWereSeen) {
  const SearchResult result = run(std::nullopt);
  ASSERT_EQ(result.steps.size(), 3U);
  EXPECT_EQ(result.steps[0].seen, 2U);
  EXPECT_EQ(result.steps[0].valid, 1U);
  EXPECT_EQ(result.steps[1].seen, 4U);
  EXPECT_EQ(result.steps[1].valid, 2U);
  EXPECT_EQ(result.steps[2].seen, 6U);
  EXPECT_EQ(result.steps[2].valid, 4U);
}

TEST_F(ValidCount, EndsTheSearchAfterTheUnitThatReachesTheLimit) {
  const SearchResult result = run(2);
  EXPECT_EQ(result.stop, SearchResult::Stop::Evaluations);
  EXPECT_EQ(result.seen, 4U);
  EXPECT_EQ(result.valid, 2U);
}

}  // namespace
}  // namespace tilewright
