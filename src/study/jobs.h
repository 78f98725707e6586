// Independent jobs on several threads. What a job does depends on its number
// alone.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "base/thread_pool.h"
#include "tilewright/map.h"

namespace tilewright::study {

// How a job maps a layer: on its own thread, which `stop` ends.
inline MapOptions options_of_job(MapOptions options, const std::atomic<bool>& stop) {
  options.limits.threads = 1;
  options.limits.cancelled = &stop;
  options.limits.on_progress = {};
  return options;
}

// Runs job(i, stop) for every i below `count`, or until cancelled; a job that takes long
// looks at `stop` now and then. The calling thread, which does no job, calls done(i) after
// each. False if not all were run to their end.
inline bool run_jobs(std::size_t count, int threads, const std::atomic<bool>* cancelled,
                     const std::function<void(std::size_t, const std::atomic<bool>& stop)>& job,
                     const std::function<void(std::size_t)>& done) {
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::vector<std::size_t> finished;
  const auto tell = [&] {
    std::vector<std::size_t> news;
    {
      const std::lock_guard lock(mutex);
      news = std::exchange(finished, {});
    }
    for (const std::size_t i : news) done(i);
  };
  const auto is_cancelled = [&] { return cancelled != nullptr && cancelled->load(); };
  const auto ended = parallel_for(count, threads,
                                  [&](int /*worker*/, std::size_t i) {
                                    if (is_cancelled()) return false;
                                    job(i, stop);
                                    const std::lock_guard lock(mutex);
                                    finished.push_back(i);
                                    return !is_cancelled();  // or the job may have been cut short
                                  },
                                  {.look_on =
                                       [&] {
                                         if (is_cancelled()) stop = true;
                                         tell();
                                       },
                                   .pause = std::chrono::milliseconds(20),
                                   .on_throw = [&] { stop = true; }});
  tell();
  return !ended;
}

}  // namespace tilewright::study
