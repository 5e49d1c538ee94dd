// A fixed team of threads that share out the tasks of one call. The caller works too, so a pool of
// one has no threads at all.
//
// Invariant: between calls of run() every worker sleeps and holds no reference to a task.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace weft {

class ThreadPool {
 public:
  /// A team of `threads` (at least 1), the caller of run() included.
  explicit ThreadPool(unsigned threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  unsigned size() const { return static_cast<unsigned>(workers_.size()) + 1; }

  /// Calls `task(member)` once for each member 0 .. size()-1, all at the same time, and waits until
  /// all have returned. If tasks throw, it then rethrows one of their exceptions. Only one call of
  /// run() may be active at a time.
  void run(const std::function<void(unsigned)>& task);

 private:
  void work(const std::stop_token& stop, unsigned member);
  void call(const std::function<void(unsigned)>& task, unsigned member);

  std::mutex mutex_;
  std::condition_variable_any started_;
  std::condition_variable finished_;
  const std::function<void(unsigned)>* task_ = nullptr;
  std::uint64_t round_ = 0;  // counts the calls of run(): a worker does each round once
  std::size_t busy_ = 0;
  std::exception_ptr error_;
  // The last member, so that its destructor joins the threads before the other members end.
  std::vector<std::jthread> workers_;
};

}  // namespace weft
