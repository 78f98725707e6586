// Where an allocation fails, on whichever thread, the caller gets std::bad_alloc, or
// the work is done all the same.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <new>
#include <string>

#include "base/thread_pool.h"
#include "support/allocations.h"
#include "support/asked.h"
#include "support/slow_build.h"
#include "threaded/some_work.h"
#include "tilewright/certificate.h"
#include "tilewright/map.h"

namespace tilewright {
namespace {

using testing::allocation_count;
using testing::FailingAllocations;
using testing::kAllAllocations;

constexpr int kThreads = 3;

struct Tally {
  int failures = 0, successes = 0;
};

// Runs the work with failing allocations. It gives a text that says all of its result.
void fail(const std::function<std::string()>& work, const std::string& expected, long first,
          long count, Tally& tally) {
  std::string result;
  bool failed = false;
  try {
    const FailingAllocations failing(first, count);
    result = work();
  } catch (const std::bad_alloc&) {
    failed = true;
  }
  ++(failed ? tally.failures : tally.successes);
  if (failed) return;
  EXPECT_EQ(result, expected) << "allocation " << first;
}

// The first allocations one by one: that is where threads are made. Then some of all.
void fail_everywhere(const std::function<std::string()>& work, int most_tries = 200) {
  const std::string expected = work();
  const long before = allocation_count();
  work();
  const long all = allocation_count() - before;
  const long tries = std::max(1, testing::affordable(most_tries));
  Tally tally;
  for (long first = 1; first <= all; first += std::max(1L, all / tries)) {
    fail(work, expected, first, 1, tally);
    fail(work, expected, first, kAllAllocations, tally);
  }
  EXPECT_GT(tally.failures, 0);
  fail(work, expected, 100 * all, kAllAllocations, tally);
  EXPECT_GT(tally.successes, 0);
}

std::string text_of(const Score& score) {
  return fmt::format("{} pJ, {} cycles", score.energy_pj, score.cycles);
}

MapOptions limited(const Mapper* mapper) {
  MapOptions options;
  options.mapper = mapper;
  options.mapper_options.set("population", std::int64_t{10});
  options.mapper_options.set("generations", std::int64_t{3});
  options.limits.threads = kThreads;
  if (mapper == find_mapper("random")) options.limits.evaluations = 3000;
  return options;
}

class WithoutMemory : public ::testing::TestWithParam<const Mapper*> {};

TEST_P(WithoutMemory, AMapperFailsCleanly) {
  const Workload workload = testing::short_work();
  const Architecture arch = testing::small_arch();
  const MapOptions options = limited(GetParam());
  fail_everywhere([&] { return text_of(map_workload(workload, arch, options).search.score); });
}

TEST_P(WithoutMemory, AMapperThatReportsFailsCleanly) {
  const Workload workload = testing::short_work();
  const Architecture arch = testing::small_arch();
  MapOptions options = limited(GetParam());
  options.limits.on_progress = [](const SearchProgress&) {};
  fail_everywhere([&] { return text_of(map_workload(workload, arch, options).search.score); });
}

TEST_P(WithoutMemory, ANetworkFailsCleanly) {
  const Network network = testing::small_network();
  const Architecture arch = testing::small_arch();
  const MapOptions options = limited(GetParam());
  fail_everywhere([&] { return text_of(total_of(map_network(network, arch, options))); }, 20);
}

INSTANTIATE_TEST_SUITE_P(Mappers, WithoutMemory,
                         ::testing::Values(find_mapper("optimal"), find_mapper("quickflow"),
                                           find_mapper("genetic"), find_mapper("random"),
                                           find_mapper("exhaustive")),
                         [](const auto& mapper) { return std::string(mapper.param->name); });

TEST(WithoutMemory, SettingsFailCleanly) {
  const Workload workload = testing::short_convolution();
  const Architecture arch = testing::flexible_arch();
  fail_everywhere(
      [&] {
        return text_of(map_workload(workload, arch, limited(find_mapper("optimal"))).search.score);
      },
      40);
}

TEST(WithoutMemory, AFrontFailsCleanly) {
  const Problem problem = testing::make_problem(testing::short_work(), testing::small_arch());
  const Evaluator evaluator = testing::make_evaluator(problem);
  const Restrictions restrictions = *Restrictions::create(problem).value;
  Asked options;
  options.threads = kThreads;
  fail_everywhere([&] {
    std::string text;
    for (const auto& point : find_front(evaluator, SpaceKind::Ruby, restrictions, options).points) {
      text += text_of(point.score) + "\n";
    }
    return text;
  });
}

TEST(WithoutMemory, AComparisonFailsCleanly) {
  const std::vector<Variant> variants = {testing::some_variants().front()};
  const std::vector<Network> networks = {testing::small_network()};
  const Architecture arch = testing::flexible_arch();
  StudyOptions options = usual_study();
  options.threads = kThreads;
  fail_everywhere(
      [&] { return text_of(compare(variants, networks, arch, options).trials.at(0).at(0).total); });
}

TEST(WithoutMemory, ADesignFailsCleanly) {
  Network network;
  network.layers = {{"a", make_gemm("a", 4, 2, 3), 1, {}, {}},
                    {"b", make_gemm("b", 2, 3, 3), 1, {}, {}}};
  const Architecture arch = testing::flexible_arch();
  StudyOptions options = usual_study();
  options.threads = kThreads;
  options.map.mapper = find_mapper("quickflow");
  const DesignLimits limits{std::nullopt, 30, 0};
  fail_everywhere(
      [&] { return to_string(design_fixed(network, arch, options, limits).flexibility); }, 40);
}

TEST(WithoutMemory, ProofAndCheckFailCleanly) {
  const Problem problem = testing::make_problem(testing::short_work(), testing::small_arch());
  const MapOutcome best =
      map_workload(testing::short_work(), testing::small_arch(), limited(find_mapper("optimal")));
  const certificate::Claim claim{
      problem, SpaceKind::Perfect, {}, Objective::Edp, *best.search.best, {}, kThreads};
  fail_everywhere([&] {
    const certificate::Proven proven = certificate::prove(claim);
    if (!proven.certificate) return to_string(proven.problems.at(0));
    return proven.certificate->value + proven.certificate->mapping;
  });
  const certificate::Certificate made = *certificate::prove(claim).certificate;
  fail_everywhere([&] {
    const certificate::Outcome outcome = certificate::check(made, kThreads);
    return outcome.problems.empty() ? "good" : to_string(outcome.problems.front());
  });
}

// --- threads that cannot be made ----------------------------------------------------

// Making a thread takes memory.
TEST(ThreadPool, GoesOnWithFewerThreadsThanItWasAskedFor) {
  for (const bool looks_on : {false, true}) {
    for (long refused_from = 1; refused_from <= 12; ++refused_from) {
      ThreadPool pool(4);
      std::vector<std::atomic<int>> calls(100);
      const ThreadPool::Task task = [&](int worker, std::size_t i) {
        ++calls.at(i);
        return worker < 4;
      };
      ThreadPool::Options options;
      if (looks_on) options.look_on = [] {};
      {
        const FailingAllocations failing(refused_from, kAllAllocations);
        EXPECT_EQ(pool.parallel_for(100, task, options), std::nullopt);
      }
      EXPECT_TRUE(std::all_of(calls.begin(), calls.end(), [](const auto& n) { return n == 1; }));
    }
  }
}

// Without other threads the caller looks on between the pieces.
TEST(ThreadPool, WithoutThreadsTheCallerDoesBoth) {
  int pieces = 0;
  int looks = 0;
  const ThreadPool::Task task = [&](int worker, std::size_t /*i*/) {
    EXPECT_EQ(worker, 0);
    ++pieces;
    return true;
  };
  const ThreadPool::Options options{.look_on =
                                        [&] {
                                          if (++looks == 3) throw 3;
                                        },
                                    .pause = std::chrono::milliseconds(0)};
  ThreadPool pool(2);
  const auto run = [&] {
    const FailingAllocations failing(1, kAllAllocations);
    pool.parallel_for(100, task, options);
  };
  EXPECT_THROW(run(), int);
  EXPECT_EQ(pieces, 3);
}

}  // namespace
}  // namespace tilewright
