// Workers that are ranks of an MPI job. Each rank knows the space, because each has read the same
// command line, so a message is a point's number. The first rank gives points out and gathers the
// outcomes, and runs points itself, in a thread of its own.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "runtime/sweep/mpi/ranks.h"
#include "runtime/sweep/space/space.h"
#include "runtime/sweep/workers/workers.h"

namespace weft::sweep {

/// In the first rank. If a rank dies, mpirun ends the job; what was committed stays.
class MpiWorkers final : public Workers {
 public:
  /// ranks.begin() was called. Both must outlive this.
  MpiWorkers(const Space& space, const Ranks& ranks);
  /// Waits for the point that the first rank runs itself. release() ends the others.
  ~MpiWorkers() override;

  std::size_t free() const override;
  std::size_t running() const override;
  void start(std::uint64_t number) override;
  std::vector<Outcome> wait(std::chrono::milliseconds patience) override;

 private:
  void work();

  const Space& space_;
  const Ranks& ranks_;
  std::vector<std::size_t> points_;  // that each rank has
  Depth depth_;

  std::mutex mutex_;  // of what follows, which the thread shares
  std::condition_variable change_;
  std::deque<std::uint64_t> waiting_;
  std::vector<Outcome> done_;
  bool ends_ = false;
  std::thread thread_;  // last, because it uses the others
};

/// In the others: runs points until the first rank says that there are no more.
void serve(const Space& space, const Ranks& ranks);

/// In the first rank: tells the others that there are no more points, and waits until they have run
/// those that they have. What they send meanwhile is lost.
void release(const Ranks& ranks);

}  // namespace weft::sweep
