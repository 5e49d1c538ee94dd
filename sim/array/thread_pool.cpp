#include "sim/array/thread_pool.h"

#include <algorithm>
#include <utility>

namespace weft {

ThreadPool::ThreadPool(unsigned threads) {
  for (unsigned member = 1; member < std::max(threads, 1U); ++member) {
    workers_.emplace_back([this, member](const std::stop_token& stop) { work(stop, member); });
  }
}

// The destructors of the jthreads request a stop, which wakes the sleeping workers, and join.
ThreadPool::~ThreadPool() = default;

void ThreadPool::run(const std::function<void(unsigned)>& task) {
  {
    const std::lock_guard lock(mutex_);
    task_ = &task;
    busy_ = workers_.size();
    ++round_;
  }
  started_.notify_all();
  call(task, 0);
  std::unique_lock lock(mutex_);
  finished_.wait(lock, [this] { return busy_ == 0; });
  task_ = nullptr;
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void ThreadPool::work(const std::stop_token& stop, unsigned member) {
  std::uint64_t done = 0;
  std::unique_lock lock(mutex_);
  while (started_.wait(lock, stop, [&] { return round_ != done; })) {
    done = round_;
    const auto& task = *task_;
    lock.unlock();
    call(task, member);
    lock.lock();
    if (--busy_ == 0) finished_.notify_one();
  }
}

void ThreadPool::call(const std::function<void(unsigned)>& task, unsigned member) {
  try {
    task(member);
  } catch (...) {
    // Not swallowed: run() rethrows it in the caller's thread.
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
  }
}

}  // namespace weft
