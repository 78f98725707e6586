// Threads that wait for the next call: to start one takes long beside a small search, and a
// thread that has just worked finds its memory in the caches. They are never ended; the process
// ends with them.
#pragma once

#include <functional>

namespace tilewright::python {

// Runs `work`, which must not throw, on another thread, and `wait` on this one; `wait` returns
// when the work has said that it is done.
void run_elsewhere(const std::function<void()>& work, const std::function<void()>& wait);

// For a process that was forked: it has none of the threads, and may have inherited a locked
// mutex. The old ones are left as they are.
void forget_workers();

}  // namespace tilewright::python
