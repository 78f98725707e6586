// Threads that share work. Whatever is thrown, by whichever thread, reaches the
// caller, and not before all threads have left the work.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace tilewright {

class ThreadPool {
 public:
  // Does one piece of the work; false means that the pieces after it need not be done.
  // No two calls at the same time have the same worker, a number below workers().
  using Task = std::function<bool(int worker, std::size_t index)>;

  struct Options {
    std::size_t chunk = 1;  // pieces that a worker takes at a time
    // The calling thread begins pieces alone for so long: less work is not worth threads.
    std::chrono::microseconds alone{0};
    // If given, the calling thread does no pieces, but calls this every so often.
    std::function<void()> look_on = {};
    std::chrono::milliseconds pause{100};
    // Called by the thread that throws, so that long pieces under way can be cut short.
    // Throws nothing itself.
    std::function<void()> on_throw = {};
  };

  explicit ThreadPool(int workers);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // As many as were asked for, one at least. If the system refuses a thread, the work is
  // shared among fewer; the calling thread does all of it if need be.
  int workers() const { return workers_; }

  // Calls task(worker, i) for every i below count. Pieces are handed out in order, and
  // once a piece has given false or has thrown, only those before it are still done. So
  // the outcome is that of the first such piece, with any number of threads: its number is
  // given back, or what it threw is thrown. What look_on throws comes before all else.
  std::optional<std::size_t> parallel_for(std::size_t count, const Task& task,
                                          const Options& options);
  std::optional<std::size_t> parallel_for(std::size_t count, const Task& task) {
    return parallel_for(count, task, Options());
  }

 private:
  std::size_t add_threads(std::size_t wanted);
  std::optional<std::size_t> run_alone(std::size_t first, std::size_t count, const Task& task,
                                       const Options& options) const;
  std::optional<std::size_t> share(std::size_t first, std::size_t count, const Task& task,
                                   const Options& options);
  void start(std::size_t first, std::size_t count, const Task& task, const Options& options,
             std::size_t helpers);
  void look_on();
  bool is_done() const { return busy_ == 0 && next_ >= end_; }
  std::optional<std::size_t> finish(std::size_t count);

  void serve(std::size_t helper);
  void work(int worker);
  bool do_piece(int worker, std::size_t index);
  void end_at(std::size_t index, std::exception_ptr thrown);
  void abandon(std::exception_ptr thrown);

  int workers_;
  std::vector<std::thread> threads_;  // made when there is something to share
  bool refused_ = false;              // a thread, by the system

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::size_t call_ = 0;
  std::size_t helpers_ = 0;  // threads that may take part in this call
  std::size_t busy_ = 0;     // those that do so now
  bool open_ = false;        // whether threads may still begin; who is late is not waited for
  bool closing_ = false;

  // These belong to the call that runs.
  const Task* task_ = nullptr;
  const Options* options_ = nullptr;
  std::size_t chunk_ = 1;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> end_{0};  // no piece from here on is begun
  std::exception_ptr thrown_;
};

// The same with threads for this once.
std::optional<std::size_t> parallel_for(std::size_t count, int threads,
                                        const ThreadPool::Task& task,
                                        const ThreadPool::Options& options = {});

}  // namespace tilewright
