// Memory that several threads share: who asks for more than is left waits for the others.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace tilewright {

class MemoryBudget {
 public:
  explicit MemoryBudget(std::int64_t bytes) : bytes_(bytes), left_(bytes) {}

  // Holds a part of the budget while it lives.
  class Share {
   public:
    Share(MemoryBudget& budget, std::int64_t bytes) : budget_(budget), bytes_(bytes) {
      std::unique_lock lock(budget_.mutex_);
      budget_.freed_.wait(lock, [&] { return bytes_ <= budget_.left_; });
      budget_.left_ -= bytes_;
    }
    ~Share() {
      {
        const std::lock_guard lock(budget_.mutex_);
        budget_.left_ += bytes_;
      }
      budget_.freed_.notify_all();
    }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

   private:
    MemoryBudget& budget_;
    std::int64_t bytes_;
  };

  std::int64_t bytes() const { return bytes_; }  // no more may be asked for at once

 private:
  std::int64_t bytes_, left_;
  std::mutex mutex_;
  std::condition_variable freed_;
};

}  // namespace tilewright
