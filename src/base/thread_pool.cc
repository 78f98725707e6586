#include "base/thread_pool.h"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include "base/deadline.h"

namespace tilewright {

ThreadPool::ThreadPool(int workers) : workers_(std::max(workers, 1)) {}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

std::optional<std::size_t> ThreadPool::parallel_for(std::size_t count, const Task& task,
                                                    const Options& options) {
  std::size_t first = 0;
  for (const Stopwatch stopwatch; first < count; ++first) {
    const std::chrono::duration<double> so_far(stopwatch.seconds());
    if (so_far >= options.alone) break;
    if (!task(0, first)) return first;
  }
  return first == count ? std::nullopt : share(first, count, task, options);
}

std::optional<std::size_t> ThreadPool::share(std::size_t first, std::size_t count, const Task& task,
                                             const Options& options) {
  const std::size_t chunks = (count - first - 1) / options.chunk + 1;
  const std::size_t workers = std::min(chunks, static_cast<std::size_t>(workers_));
  const bool looks_on = options.look_on != nullptr;
  const std::size_t helpers = add_threads(looks_on ? workers : workers - 1);
  if (helpers == 0) return run_alone(first, count, task, options);
  start(first, count, task, options, helpers);
  if (looks_on) {
    look_on();
  } else {
    work(0);
  }
  return finish(count);
}

// How many of the threads that are wanted there are.
std::size_t ThreadPool::add_threads(std::size_t wanted) {
  while (threads_.size() < wanted && !refused_) {
    try {
      threads_.emplace_back([this, helper = threads_.size()] { serve(helper); });
    } catch (const std::system_error&) {
      refused_ = true;
    } catch (const std::bad_alloc&) {
      refused_ = true;
    }
  }
  return std::min(threads_.size(), wanted);
}

std::optional<std::size_t> ThreadPool::run_alone(std::size_t first, std::size_t count,
                                                 const Task& task, const Options& options) const {
  const double pause = std::chrono::duration<double>(options.pause).count();
  Stopwatch since_look;
  for (std::size_t i = first; i < count; ++i) {
    if (!task(0, i)) return i;
    if (!options.look_on || since_look.seconds() < pause) continue;
    options.look_on();
    since_look = {};
  }
  return std::nullopt;
}

void ThreadPool::start(std::size_t first, std::size_t count, const Task& task,
                       const Options& options, std::size_t helpers) {
  {
    const std::lock_guard lock(mutex_);
    task_ = &task;
    options_ = &options;
    chunk_ = options.chunk;
    next_ = first;
    end_ = count;
    helpers_ = helpers;
    open_ = true;
    ++call_;
  }
  wake_.notify_all();
}

void ThreadPool::look_on() {
  std::unique_lock lock(mutex_);
  while (!done_.wait_for(lock, options_->pause, [this] { return is_done(); })) {
    lock.unlock();
    try {
      options_->look_on();
    } catch (...) {
      abandon(std::current_exception());
      return;
    }
    lock.lock();
  }
}

std::optional<std::size_t> ThreadPool::finish(std::size_t count) {
  std::exception_ptr thrown;
  {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return is_done(); });
    open_ = false;
    thrown = std::exchange(thrown_, nullptr);
  }
  if (thrown) std::rethrow_exception(std::move(thrown));
  const std::size_t end = end_;
  return end < count ? std::optional(end) : std::nullopt;
}

void ThreadPool::serve(std::size_t helper) {
  std::size_t last_call = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return closing_ || call_ != last_call; });
    if (closing_) return;
    last_call = call_;
    if (!open_ || helper >= helpers_) continue;
    ++busy_;
    lock.unlock();
    // Worker 0 is the calling thread, or the last helper if that one looks on.
    work(static_cast<int>(helper + 1) % workers_);
    lock.lock();
    if (--busy_ == 0) done_.notify_one();
  }
}

void ThreadPool::work(int worker) {
  for (;;) {
    const std::size_t first = next_.fetch_add(chunk_);
    for (std::size_t i = first; i < first + chunk_; ++i) {
      if (i >= end_ || !do_piece(worker, i)) return;
    }
  }
}

bool ThreadPool::do_piece(int worker, std::size_t index) {
  std::exception_ptr thrown;
  try {
    if ((*task_)(worker, index)) return true;
  } catch (...) {
    thrown = std::current_exception();
  }
  end_at(index, std::move(thrown));
  return false;
}

// Without anything thrown: the piece has given false.
void ThreadPool::end_at(std::size_t index, std::exception_ptr thrown) {
  if (thrown && options_->on_throw) options_->on_throw();
  const std::lock_guard lock(mutex_);
  if (index >= end_) return;
  end_ = index;
  thrown_ = std::move(thrown);
}

// No piece can end the work before this does.
void ThreadPool::abandon(std::exception_ptr thrown) {
  if (options_->on_throw) options_->on_throw();
  const std::lock_guard lock(mutex_);
  end_ = 0;
  thrown_ = std::move(thrown);
}

std::optional<std::size_t> parallel_for(std::size_t count, int threads,
                                        const ThreadPool::Task& task,
                                        const ThreadPool::Options& options) {
  return ThreadPool(threads).parallel_for(count, task, options);
}

}  // namespace tilewright
