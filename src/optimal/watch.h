// When to stop: at a limit of time, or when the user has had enough.
#pragma once

#include <atomic>
#include <chrono>
#include <optional>

namespace tilewright::optimal {

// Thrown by work that cannot be taken up again, and by work that would need too
// much memory.
struct Expired {};
struct TooLarge {};

class Watch {
 public:
  Watch(std::optional<double> seconds, const std::atomic<bool>* cancelled)
      : start_(Clock::now()), limit_(seconds), cancelled_(cancelled) {}

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  bool cancelled() const { return cancelled_ != nullptr && cancelled_->load(); }
  void check() const {
    if (expired()) throw Expired{};
  }
  bool expired() const { return cancelled() || (limit_ && seconds() >= *limit_); }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_;
  std::optional<double> limit_;
  const std::atomic<bool>* cancelled_;
};

}  // namespace tilewright::optimal
