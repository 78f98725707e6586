#include "quickflow/crew.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>

namespace tilewright::quickflow {
namespace {

// Calls, by index; every number of a worker must be in use once at a time.
struct Calls {
  explicit Calls(std::size_t count, int workers)
      : of_index(count), at_work(static_cast<std::size_t>(workers)) {}

  void note(int worker, std::size_t index) {
    std::atomic<bool>& busy = at_work.at(static_cast<std::size_t>(worker));
    if (busy.exchange(true)) ++clashes;
    ++of_index.at(index);
    if (worker == 0 && std::this_thread::get_id() != caller) ++clashes;
    busy = false;
  }
  bool are_one_each() const {
    return std::all_of(of_index.begin(), of_index.end(),
                       [](const auto& calls) { return calls == 1; });
  }

  std::vector<std::atomic<int>> of_index;
  std::vector<std::atomic<bool>> at_work;
  std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> clashes{0};
};

TEST(Crew, DoesEveryPieceOnce) {
  for (const int workers : {-1, 1, 2, 3, 8}) {
    Crew crew(workers);
    ASSERT_EQ(crew.workers(), std::max(workers, 1));
    for (const std::size_t count : {0U, 1U, 2U, 7U, 63U, 64U, 65U, 1000U}) {
      for (const bool each : {false, true}) {
        Calls calls(count, crew.workers());
        const Crew::Task task = [&](int worker, std::size_t i) { calls.note(worker, i); };
        each ? crew.run_each(count, task) : crew.run(count, task);
        ASSERT_TRUE(calls.are_one_each()) << workers << " workers, " << count << " pieces";
        ASSERT_EQ(calls.clashes, 0);
      }
    }
  }
}

TEST(Crew, SharesWorkThatIsWorthIt) {
  Crew crew(2);
  // The first piece waits for the second, which so must have another worker.
  std::atomic<bool> second{false};
  crew.run_each(2, [&](int /*worker*/, std::size_t i) {
    if (i == 1) second = true;
    while (i == 0 && !second) std::this_thread::yield();
  });
  EXPECT_TRUE(second);
}

TEST(Crew, MayHaveNothingToDo) { const Crew crew(4); }

}  // namespace
}  // namespace tilewright::quickflow
