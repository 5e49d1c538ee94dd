#include "runtime/sweep/workers/local_workers.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/error.h"
#include "runtime/sweep/points/point_runner.h"

namespace weft::sweep {
namespace {

constexpr std::size_t kLongestMessage = 64 * 1024;

/// Runs points until the other end closes the socket.
[[noreturn]] void work(const Space& space, int socket) {
  // Ctrl-C reaches every process of the terminal; the parent alone answers it.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGHUP, SIG_DFL);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  PointRunner runner(space);
  std::uint64_t number = 0;
  while (true) {
    const ssize_t got = ::recv(socket, &number, sizeof(number), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got != static_cast<ssize_t>(sizeof(number))) ::_exit(0);
    std::string bytes = to_bytes(runner.run(*space.point(number)));
    if (bytes.size() > kLongestMessage) bytes.resize(kLongestMessage);
    if (::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0) ::_exit(0);
  }
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("the process that ran it was killed by signal {} ({}), twice",
                       WTERMSIG(status), ::strsignal(WTERMSIG(status)));
  }
  return fmt::format("the process that ran it ended with code {}, twice", WEXITSTATUS(status));
}

}  // namespace

LocalWorkers::LocalWorkers(const Space& space, std::size_t jobs) : space_(space), workers_(jobs) {
  for (Worker& worker : workers_) fork_worker(worker);
}

LocalWorkers::~LocalWorkers() {
  for (const Worker& worker : workers_) {
    if (worker.socket >= 0) ::close(worker.socket);
    if (worker.process < 0) continue;
    if (!worker.points.empty()) ::kill(worker.process, SIGKILL);
    ::waitpid(worker.process, nullptr, 0);
  }
}

void LocalWorkers::fork_worker(Worker& worker) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw InputError("--jobs: the system gives no more sockets; choose fewer");
  }
  const pid_t process = ::fork();
  if (process < 0) {
    ::close(ends[0]);
    ::close(ends[1]);
    throw InputError("--jobs: the system gives no more processes; choose fewer");
  }
  if (process == 0) {
    ::close(ends[0]);
    for (const Worker& other : workers_) {
      if (other.socket >= 0) ::close(other.socket);
    }
    work(space_, ends[1]);
  }
  ::close(ends[1]);
  worker.process = process;
  worker.socket = ends[0];
}

std::size_t LocalWorkers::free() const {
  std::size_t room = 0;
  for (const Worker& worker : workers_) {
    room += depth_.points() - std::min(depth_.points(), worker.points.size());
  }
  return room;
}

std::size_t LocalWorkers::running() const {
  std::size_t points = 0;
  for (const Worker& worker : workers_) points += worker.points.size();
  return points;
}

void LocalWorkers::start(std::uint64_t number) {
  const auto count = [](const Worker& worker) { return worker.points.size(); };
  send(*std::ranges::min_element(workers_, {}, count), number);
}

void LocalWorkers::send(Worker& worker, std::uint64_t number) {
  worker.points.push_back(number);
  // A worker that has ended does not read; wait() finds that out and takes its points back.
  if (::send(worker.socket, &number, sizeof(number), MSG_NOSIGNAL) < 0) return;
}

std::vector<Outcome> LocalWorkers::wait(std::chrono::milliseconds patience) {
  std::vector<pollfd> sockets;
  for (const Worker& worker : workers_) sockets.push_back({worker.socket, POLLIN, 0});
  ::poll(sockets.data(), sockets.size(), static_cast<int>(patience.count()));
  std::vector<Outcome> outcomes;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (sockets[i].revents != 0) receive(workers_[i], outcomes);
  }
  return outcomes;
}

void LocalWorkers::receive(Worker& worker, std::vector<Outcome>& outcomes) {
  std::string bytes(kLongestMessage, '\0');
  while (true) {
    const ssize_t got = ::recv(worker.socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) return replace(worker, outcomes);
    outcomes.push_back(outcome_of({bytes.data(), static_cast<std::size_t>(got)}));
    depth_.add(outcomes.back().seconds);
    std::erase(worker.points, outcomes.back().number);
  }
}

void LocalWorkers::replace(Worker& worker, std::vector<Outcome>& outcomes) {
  ::close(worker.socket);
  worker.socket = -1;
  int status = 0;
  ::waitpid(worker.process, &status, 0);
  worker.process = -1;
  std::deque<std::uint64_t> points = std::move(worker.points);
  worker.points.clear();
  fork_worker(worker);
  if (points.empty()) return;
  const std::uint64_t suspect = points.front();
  if (std::ranges::find(suspects_, suspect) != suspects_.end()) {
    points.pop_front();
    outcomes.push_back({suspect, {}, 0, how_it_ended(status), false});
  } else {
    suspects_.push_back(suspect);
  }
  for (const std::uint64_t number : points) send(worker, number);
}

}  // namespace weft::sweep
