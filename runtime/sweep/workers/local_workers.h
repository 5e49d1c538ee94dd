// Workers that are processes of this computer. They are forked, so they know the space, and a
// message is a point's number. A point that ends its process (the system kills it for its memory)
// costs nothing but itself: it runs a second time, in a new process, and then counts as failed.
#pragma once

#include <sys/types.h>

#include <deque>

#include "runtime/sweep/space/space.h"
#include "runtime/sweep/workers/workers.h"

namespace weft::sweep {

class LocalWorkers final : public Workers {
 public:
  /// Starts `jobs` processes. No other thread of this process may run. `space` must outlive the
  /// workers. Throws InputError if the system gives no process.
  LocalWorkers(const Space& space, std::size_t jobs);
  /// Ends the processes; points that run are lost.
  ~LocalWorkers() override;

  std::size_t free() const override;
  std::size_t running() const override;
  void start(std::uint64_t number) override;
  std::vector<Outcome> wait(std::chrono::milliseconds patience) override;

 private:
  struct Worker {
    pid_t process = -1;
    int socket = -1;
    std::deque<std::uint64_t> points;  // that it has; the first one runs
  };

  void fork_worker(Worker& worker);
  void send(Worker& worker, std::uint64_t number);
  /// Reads what the worker has sent.
  void receive(Worker& worker, std::vector<Outcome>& outcomes);
  void replace(Worker& worker, std::vector<Outcome>& outcomes);

  const Space& space_;
  std::vector<Worker> workers_;
  std::vector<std::uint64_t> suspects_;  // points in whose run a process has ended
  Depth depth_;
};

}  // namespace weft::sweep
