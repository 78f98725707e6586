#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>

namespace tilewright {
namespace {

constexpr std::initializer_list<int> kNumbersOfWorkers = {-1, 1, 2, 3, 8};

// Calls, by index; every number of a worker must be in use once at a time.
struct Calls {
  Calls(std::size_t count, int workers)
      : of_index(count), at_work(static_cast<std::size_t>(workers)) {}

  void note(int worker, std::size_t index) {
    std::atomic<bool>& busy = at_work.at(static_cast<std::size_t>(worker));
    if (busy.exchange(true)) ++clashes;
    ++of_index.at(index);
    busy = false;
  }
  // The number of pieces from the first on that were done, each of them once.
  std::size_t done_at_the_start() const {
    const auto end = std::find_if(of_index.begin(), of_index.end(),
                                  [](const auto& calls) { return calls != 1; });
    return static_cast<std::size_t>(end - of_index.begin());
  }

  std::vector<std::atomic<int>> of_index;
  std::vector<std::atomic<bool>> at_work;
  std::atomic<int> clashes{0};
};

TEST(ThreadPool, DoesEveryPieceOnce) {
  for (const int workers : kNumbersOfWorkers) {
    ThreadPool pool(workers);
    ASSERT_EQ(pool.workers(), std::max(workers, 1));
    for (const std::size_t count : {0U, 1U, 2U, 7U, 63U, 64U, 65U, 1000U}) {
      for (const std::size_t chunk : {1U, 8U}) {
        for (const bool looks_on : {false, true}) {
          Calls calls(count, pool.workers());
          ThreadPool::Options options{.chunk = chunk};
          options.alone = std::chrono::microseconds(count % 2 == 0 ? 0 : 2);
          if (looks_on) options.look_on = [] {};
          const auto ended = pool.parallel_for(
              count,
              [&](int worker, std::size_t i) {
                calls.note(worker, i);
                return true;
              },
              options);
          ASSERT_EQ(ended, std::nullopt);
          ASSERT_EQ(calls.done_at_the_start(), count) << workers << " workers";
          ASSERT_EQ(calls.clashes, 0);
        }
      }
    }
  }
}

TEST(ThreadPool, SharesWork) {
  // The first piece waits for the second, which so must have another worker.
  std::atomic<bool> second{false};
  parallel_for(2, 2, [&](int /*worker*/, std::size_t i) {
    if (i == 1) second = true;
    while (i == 0 && !second) std::this_thread::yield();
    return true;
  });
  EXPECT_TRUE(second);
}

TEST(ThreadPool, TheCallerWorksAloneAtFirst) {
  ThreadPool pool(4);
  Calls calls(1000, pool.workers());
  bool others = false;
  const auto ended = pool.parallel_for(1000,
                                       [&](int worker, std::size_t i) {
                                         calls.note(worker, i);
                                         others = others || worker != 0;
                                         return i < 900;
                                       },
                                       {.alone = std::chrono::hours(1)});
  EXPECT_EQ(ended, 900U);
  EXPECT_EQ(calls.done_at_the_start(), 901U);
  EXPECT_FALSE(others);
}

TEST(ThreadPool, MayHaveNothingToDo) { const ThreadPool pool(4); }

TEST(ThreadPool, TheFirstPieceThatGivesFalseEndsTheWork) {
  for (const int workers : kNumbersOfWorkers) {
    ThreadPool pool(workers);
    for (const std::size_t chunk : {1U, 8U}) {
      Calls calls(1000, pool.workers());
      const auto ended = pool.parallel_for(1000,
                                           [&](int worker, std::size_t i) {
                                             calls.note(worker, i);
                                             return i < 300 || i % 7 == 0;
                                           },
                                           {.chunk = chunk});
      EXPECT_EQ(ended, 300U);  // 301 = 7 * 43
      EXPECT_GE(calls.done_at_the_start(), 301U);
    }
  }
}

TEST(ThreadPool, ThrowsWhatTheFirstPieceThatThrowsDid) {
  for (const int workers : kNumbersOfWorkers) {
    ThreadPool pool(workers);
    Calls calls(1000, pool.workers());
    std::atomic<int> under_way{0};
    try {
      pool.parallel_for(1000, [&](int worker, std::size_t i) {
        ++under_way;
        calls.note(worker, i);
        --under_way;
        if (i >= 300) throw std::runtime_error(std::to_string(i));
        return true;
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "300");
    }
    EXPECT_EQ(under_way, 0) << "a thread is still at work";
    EXPECT_GE(calls.done_at_the_start(), 301U);
    // It goes on as if nothing had happened.
    EXPECT_EQ(pool.parallel_for(10, [](int, std::size_t i) { return i < 9; }), 9U);
  }
}

TEST(ThreadPool, OfFalseAndAnExceptionTheFirstCounts) {
  ThreadPool pool(3);
  const auto run = [&](std::size_t gives_false, std::size_t throws) {
    return pool.parallel_for(100, [=](int /*worker*/, std::size_t i) {
      if (i == throws) throw std::runtime_error("thrown");
      return i != gives_false;
    });
  };
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(run(50, 51), 50U);
    EXPECT_THROW(run(51, 50), std::runtime_error);
  }
}

TEST(ThreadPool, TheCallerLooksOnAndDoesNoPiece) {
  const std::thread::id caller = std::this_thread::get_id();
  for (const int workers : kNumbersOfWorkers) {
    std::atomic<int> looks{0};
    std::atomic<bool> by_caller{false}, by_another{false};
    parallel_for(20, workers,
                 [&](int /*worker*/, std::size_t /*i*/) {
                   if (std::this_thread::get_id() == caller) by_caller = true;
                   while (looks == 0) std::this_thread::yield();
                   return true;
                 },
                 {.look_on =
                      [&] {
                        ++looks;
                        if (std::this_thread::get_id() != caller) by_another = true;
                      },
                  .pause = std::chrono::milliseconds(1)});
    EXPECT_FALSE(by_caller);
    EXPECT_FALSE(by_another);
  }
}

// Pieces last until somebody says that all is over.
TEST(ThreadPool, WhatTheCallerThrowsWhileItLooksOnCutsThePiecesShort) {
  for (const int workers : kNumbersOfWorkers) {
    std::atomic<bool> over{false};
    std::atomic<int> under_way{0};
    const auto run = [&] {
      parallel_for(1000, workers,
                   [&](int /*worker*/, std::size_t /*i*/) {
                     ++under_way;
                     while (!over) std::this_thread::yield();
                     --under_way;
                     return false;
                   },
                   {.look_on = [] { throw std::runtime_error("enough"); },
                    .pause = std::chrono::milliseconds(1),
                    .on_throw = [&] { over = true; }});
    };
    EXPECT_THROW(run(), std::runtime_error);
    EXPECT_EQ(under_way, 0);
  }
}

}  // namespace
}  // namespace tilewright
