// Threads that share the work of one call after another.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace tilewright::quickflow {

class Crew {
 public:
  using Task = std::function<void(int worker, std::size_t index)>;

  explicit Crew(int workers) : workers_(std::max(workers, 1)) {}
  ~Crew() {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  int workers() const { return workers_; }

  // Calls task(worker, i) for every i below count, in any order; numbers of
  // workers are below workers(), and no two calls at a time have the same.
  void run(std::size_t count, const Task& task) {
    share(count, count < kWorthSharing ? count : kChunk, task);
  }
  // The same for work of which every piece is worth a thread.
  void run_each(std::size_t count, const Task& task) { share(count, 1, task); }

 private:
  static constexpr std::size_t kWorthSharing = 64;
  static constexpr std::size_t kChunk = 8;

  void share(std::size_t count, std::size_t chunk, const Task& task) {
    if (workers_ == 1 || count <= chunk) {
      for (std::size_t i = 0; i < count; ++i) task(0, i);
      return;
    }
    while (static_cast<int>(threads_.size()) + 1 < workers_) {
      const int worker = static_cast<int>(threads_.size()) + 1;
      threads_.emplace_back([this, worker] { serve(worker); });
    }
    {
      const std::lock_guard lock(mutex_);
      task_ = &task;
      count_ = count;
      chunk_ = chunk;
      next_ = 0;
      busy_ = static_cast<int>(threads_.size());
      ++call_;
    }
    wake_.notify_all();
    work(0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
  }

  void work(int worker) {
    for (;;) {
      const std::size_t first = next_.fetch_add(chunk_);
      if (first >= count_) return;
      const std::size_t end = std::min(first + chunk_, count_);
      for (std::size_t i = first; i < end; ++i) (*task_)(worker, i);
    }
  }

  void serve(int worker) {
    std::size_t last_call = 0;
    for (;;) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return closing_ || call_ != last_call; });
      if (closing_) return;
      last_call = call_;
      lock.unlock();
      work(worker);
      lock.lock();
      if (--busy_ == 0) done_.notify_one();
    }
  }

  int workers_;
  std::vector<std::thread> threads_;  // made when there is something to share
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const Task* task_ = nullptr;
  std::size_t count_ = 0, chunk_ = 1;
  std::atomic<std::size_t> next_{0};
  std::size_t call_ = 0;
  int busy_ = 0;
  bool closing_ = false;
};

}  // namespace tilewright::quickflow
