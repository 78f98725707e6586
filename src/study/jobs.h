// Independent jobs on several threads. What a job does depends on its number
// alone.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tilewright::study {

// Runs job(i) for every i below `count`, or until cancelled; after each, done(i)
// under a lock. False if not all were run.
inline bool run_jobs(std::size_t count, int threads, const std::atomic<bool>* cancelled,
                     const std::function<void(std::size_t)>& job,
                     const std::function<void(std::size_t)>& done) {
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> finished{0};
  std::mutex lock;
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      if (cancelled != nullptr && cancelled->load()) return;
      job(i);
      ++finished;
      const std::lock_guard guard(lock);
      done(i);
    }
  };
  {
    std::vector<std::jthread> helpers;
    const auto most = static_cast<std::size_t>(std::max(threads, 1));
    for (std::size_t i = 1; i < std::min(most, count); ++i) helpers.emplace_back(work);
    work();
  }
  return finished == count;
}

}  // namespace tilewright::study
