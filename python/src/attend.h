// Long calls into the library: they run on another thread, while the thread that
// called looks out for Ctrl-C, tells of progress, and lets other threads of Python work.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "tilewright/map.h"

namespace tilewright::python {

namespace nb = nanobind;

// What a callback is told.
struct ProgressNews {
  SearchProgress search;
  std::optional<double> value;  // of the objective, by the best so far
  std::string what;             // the layer, or what is done
  std::optional<double> done;   // the share of the whole work
};

// Calls that are cancelled together, with those that come later.
class RunningCalls {
 public:
  void add(std::atomic<bool>& flag);
  void remove(std::atomic<bool>& flag);
  void cancel();
  bool is_cancelled() const;
  void wait_for_all();

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::atomic<bool>*> flags_;
  bool cancelled_ = false;
};

// With it one thread of Python ends the calls of others.
struct HeldStop {
  RunningCalls calls;
};

class Attendant {
 public:
  // The callback takes a dictionary; it may be None. The stop may be null.
  explicit Attendant(nb::object on_progress, HeldStop* stop = nullptr)
      : on_progress_(std::move(on_progress)), stop_(stop) {}

  // Runs the work to its end. The work has to look at cancelled(), which is set by Ctrl-C, by
  // an exception of the callback, by the stop and when the interpreter ends. What the work throws,
  // and what the callback or a signal handler raises, arrives at the caller.
  void run(const std::function<void()>& work);

  const std::atomic<bool>* cancelled() const { return &cancelled_; }
  bool is_interrupted() const { return interrupted_; }  // by Ctrl-C
  bool wants_news() const { return !on_progress_.is_none(); }
  // To be called by the work, from any thread: the latest news count.
  void tell(ProgressNews news);

 private:
  void wait();
  void look_around(const std::optional<ProgressNews>& news);
  void take_error();

  nb::object on_progress_;
  HeldStop* stop_;
  std::atomic<bool> cancelled_{false};
  bool interrupted_ = false;
  std::exception_ptr error_;  // of Python
  std::mutex mutex_;
  std::condition_variable changed_;
  bool finished_ = false;
  std::optional<ProgressNews> news_;
};

void bind_attendants(nb::module_& m);

}  // namespace tilewright::python
