#include "workers.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace tilewright::python {
namespace {

class Worker {
 public:
  Worker() : thread_([this] { work_forever(); }) { thread_.detach(); }

  // The work must not throw, and has to outlive its run.
  void start(const std::function<void()>& work) {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    changed_.notify_one();
  }

 private:
  void work_forever() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return work_ != nullptr; });
      const std::function<void()>& work = *std::exchange(work_, nullptr);
      lock.unlock();
      work();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* work_ = nullptr;
  std::thread thread_;
};

struct IdleWorkers {
  std::mutex mutex;
  std::vector<Worker*> workers;
};

IdleWorkers*& idle_workers() {
  static IdleWorkers* idle = new IdleWorkers;
  return idle;
}

Worker* hired_worker(IdleWorkers& idle) {
  const std::lock_guard lock(idle.mutex);
  if (idle.workers.empty()) return new Worker;
  Worker* worker = idle.workers.back();
  idle.workers.pop_back();
  return worker;
}

}  // namespace

void run_elsewhere(const std::function<void()>& work, const std::function<void()>& wait) {
  IdleWorkers& idle = *idle_workers();
  Worker* worker = hired_worker(idle);
  worker->start(work);
  wait();
  const std::lock_guard lock(idle.mutex);
  idle.workers.push_back(worker);
}

void forget_workers() { idle_workers() = new IdleWorkers; }

}  // namespace tilewright::python
