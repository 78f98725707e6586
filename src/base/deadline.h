// The clock of searches: how long something has taken, and when it has to end.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>

namespace tilewright {

class Stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

// Thrown by work that cannot be taken up again when its deadline has passed.
struct Expired {};

// Passes after a number of seconds, if there is a limit, or when somebody cancels: the
// user by the flag, the library itself by cancel(). May be used from any thread.
class Deadline {
 public:
  explicit Deadline(std::optional<double> limit, const std::atomic<bool>* cancelled = nullptr)
      : limit_(limit), flag_(cancelled) {}

  double seconds() const { return stopwatch_.seconds(); }  // since it was made
  bool is_cancelled() const {
    return cancelled_.load(std::memory_order_relaxed) || (flag_ != nullptr && flag_->load());
  }
  bool is_out_of_time() const { return limit_ && seconds() >= *limit_; }
  bool has_passed() const { return is_cancelled() || is_out_of_time(); }
  void check() const {
    if (has_passed()) throw Expired{};
  }

  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }

 private:
  Stopwatch stopwatch_;
  std::optional<double> limit_;
  const std::atomic<bool>* flag_;
  std::atomic<bool> cancelled_{false};
};

// For work that may have a deadline.
inline void check(const Deadline* deadline) {
  if (deadline != nullptr) deadline->check();
}

}  // namespace tilewright
