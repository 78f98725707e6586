#include "attend.h"

#include <chrono>
#include <exception>
#include <stdexcept>
#include <utility>

#include "workers.h"

namespace tilewright::python {
namespace {

// How long Ctrl-C may go unnoticed.
constexpr std::chrono::milliseconds kPause{25};

// When the interpreter ends, threads that come back to it are lost. So calls that still run
// are cancelled, and the interpreter waits until all of them have come back. A process that was
// forked has none of the threads, and may have inherited a locked mutex: it gets a new object. The
// old one is left as it is.
RunningCalls*& calls_of_interpreter() {
  static RunningCalls* calls = new RunningCalls;
  return calls;
}

// Among the running calls as long as it lives.
class Listed {
 public:
  Listed(RunningCalls& calls, std::atomic<bool>& cancelled) : calls_(calls), flag_(cancelled) {
    calls_.add(flag_);
  }
  ~Listed() { calls_.remove(flag_); }
  Listed(const Listed&) = delete;
  Listed& operator=(const Listed&) = delete;

 private:
  RunningCalls& calls_;
  std::atomic<bool>& flag_;
};

void end_calls() {
  RunningCalls& calls = *calls_of_interpreter();
  const nb::gil_scoped_release release;
  calls.cancel();
  calls.wait_for_all();
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

void RunningCalls::add(std::atomic<bool>& flag) {
  const std::lock_guard lock(mutex_);
  flags_.insert(&flag);
  if (cancelled_) flag.store(true);
}

void RunningCalls::remove(std::atomic<bool>& flag) {
  const std::lock_guard lock(mutex_);
  flags_.erase(&flag);
  changed_.notify_all();
}

void RunningCalls::cancel() {
  const std::lock_guard lock(mutex_);
  cancelled_ = true;
  for (std::atomic<bool>* flag : flags_) flag->store(true);
}

bool RunningCalls::is_cancelled() const {
  const std::lock_guard lock(mutex_);
  return cancelled_;
}

void RunningCalls::wait_for_all() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return flags_.empty(); });
}

void Attendant::tell(ProgressNews news) {
  const std::lock_guard lock(mutex_);
  news_ = std::move(news);
  changed_.notify_all();
}

void Attendant::run(const std::function<void()>& work) {
  RunningCalls& all = *calls_of_interpreter();
  const Listed running(all, cancelled_);  // before the look, so that the end waits for this call
  if (all.is_cancelled()) throw std::runtime_error("the interpreter is about to end");
  std::optional<Listed> stoppable;
  if (stop_ != nullptr) stoppable.emplace(stop_->calls, cancelled_);
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
  nb::class_<HeldStop>(m, "Stop")
      .def(nb::init<>())
      .def("set", [](HeldStop& stop) { stop.calls.cancel(); })
      .def_prop_ro("is_set", [](const HeldStop& stop) { return stop.calls.is_cancelled(); });
  m.def("end_calls", end_calls,
        "Cancels all searches and waits for them; from then on there are no new ones.");
  m.def(
      "forget_calls",
      [] {
        calls_of_interpreter() = new RunningCalls;
        forget_workers();
      },
      "For a process that was forked.");
}

}  // namespace tilewright::python
