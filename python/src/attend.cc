#include "attend.h"

#include <chrono>
#include <exception>
#include <set>
#include <stdexcept>
#include <utility>

#include "workers.h"

namespace tilewright::python {
namespace {

// How long Ctrl-C may go unnoticed.
constexpr std::chrono::milliseconds kPause{25};

// --- calls that run now ------------------------------------------------------------

// When the interpreter ends, threads that come back to it are lost. So calls that still run
// are cancelled, and the interpreter waits until all of them have come back.
struct RunningCalls {
  std::mutex mutex;
  std::condition_variable changed;
  std::set<std::atomic<bool>*> flags;
  bool closed = false;
};

// A process that was forked has none of the threads, and may have inherited a locked
// mutex: it gets a new object. The old one is left as it is.
RunningCalls*& running_calls() {
  static RunningCalls* calls = new RunningCalls;
  return calls;
}

// Made and ended by a thread that may use Python.
class RunningCall {
 public:
  explicit RunningCall(std::atomic<bool>& cancelled) : calls_(running_calls()), flag_(&cancelled) {
    const std::lock_guard lock(calls_->mutex);
    if (calls_->closed) throw std::runtime_error("the interpreter is about to end");
    calls_->flags.insert(flag_);
  }
  ~RunningCall() {
    const std::lock_guard lock(calls_->mutex);
    calls_->flags.erase(flag_);
    calls_->changed.notify_all();
  }
  RunningCall(const RunningCall&) = delete;
  RunningCall& operator=(const RunningCall&) = delete;

 private:
  RunningCalls* calls_;
  std::atomic<bool>* flag_;
};

void end_calls() {
  RunningCalls& calls = *running_calls();
  const nb::gil_scoped_release release;
  std::unique_lock lock(calls.mutex);
  calls.closed = true;
  for (std::atomic<bool>* flag : calls.flags) flag->store(true);
  calls.changed.wait(lock, [&] { return calls.flags.empty(); });
}

nb::dict dictionary_of(const ProgressNews& news) {
  nb::dict dict;
  const auto optional = [](const std::optional<double>& value) {
    return value ? nb::object(nb::float_(*value)) : nb::object(nb::none());
  };
  dict["what"] = nb::str(news.what.c_str());
  dict["done"] = optional(news.done ? news.done : news.search.fraction);
  dict["seconds"] = nb::float_(news.search.seconds);
  dict["seen"] = nb::int_(news.search.seen);
  dict["valid"] = nb::int_(news.search.valid);
  dict["points"] = nb::int_(news.search.points);
  dict["value"] = optional(news.value);
  dict["bound"] = optional(news.search.bound);
  return dict;
}

}  // namespace

void Attendant::tell(ProgressNews news) {
  const std::lock_guard lock(mutex_);
  news_ = std::move(news);
  changed_.notify_all();
}

void Attendant::run(const std::function<void()>& work) {
  const RunningCall running(cancelled_);
  std::exception_ptr failure;
  {
    const nb::gil_scoped_release release;
    const auto work_to_the_end = [&] {
      try {
        work();
      } catch (...) {
        failure = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      finished_ = true;
      changed_.notify_all();
    };
    run_elsewhere(work_to_the_end, [this] { wait(); });
  }
  if (error_) std::rethrow_exception(error_);
  if (failure) std::rethrow_exception(failure);
}

// Without the lock of the interpreter.
void Attendant::wait() {
  std::unique_lock lock(mutex_);
  while (!finished_) {
    changed_.wait_for(lock, kPause, [&] { return finished_ || news_; });
    if (finished_) return;
    const std::optional<ProgressNews> news = std::exchange(news_, std::nullopt);
    lock.unlock();
    look_around(news);
    lock.lock();
  }
}

void Attendant::look_around(const std::optional<ProgressNews>& news) {
  const nb::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() != 0) take_error();
  if (!news || !wants_news() || error_) return;
  try {
    on_progress_(dictionary_of(*news));
  } catch (nb::python_error& raised) {
    raised.restore();
    take_error();
  }
}

// Ctrl-C ends the work, which may have something to show; everything else is an error.
void Attendant::take_error() {
  cancelled_.store(true);
  if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0) {
    interrupted_ = true;
    PyErr_Clear();
    return;
  }
  error_ = std::make_exception_ptr(nb::python_error());
}

void bind_attendants(nb::module_& m) {
  m.def("end_calls", end_calls,
        "Cancels all searches and waits for them; from then on there are no new ones.");
  m.def(
      "forget_calls",
      [] {
        running_calls() = new RunningCalls;
        forget_workers();
      },
      "For a process that was forked.");
}

}  // namespace tilewright::python
