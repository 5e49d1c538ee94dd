#include "base/interrupt.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <mutex>
#include <string>
#include <string_view>

namespace weft {
namespace {

constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};

// A handler may interrupt any code, so it reads only what these flags publish, and calls only what
// POSIX allows in a handler (2.4.3, async-signal-safe functions).
struct Message {
  std::array<char, kInterruptBytes + 1> text{};
  std::size_t size = 0;
};

// The writer fills the message that is not in use, then publishes it.
std::array<Message, 2> messages;
std::atomic<const Message*> message = nullptr;

// The processes that come before this one.
std::array<std::atomic<pid_t>, kInterruptProcesses> processes{};
std::atomic<std::size_t> process_count = 0;
std::atomic<bool> one_of_several = false;

std::atomic<bool> ending = false;

// A terminal shows ^C, or a progress bar, in the line of the cursor.
std::atomic<bool> err_is_terminal = false;

struct Removal {
  std::array<char, 4096> path{};
  std::atomic<bool> used = false;   // a slot is taken
  std::atomic<bool> ready = false;  // its path is complete
};

std::array<Removal, kInterruptFiles> removals;

std::mutex& mutex() {
  static std::mutex the_mutex;
  return the_mutex;
}

void write_all(const char* text, std::size_t size) {
  // Nothing can be done about a closed stderr.
  if (::write(STDERR_FILENO, text, size) < 0) return;
}

/// False for a process that has ended, also while its parent has not noticed. Digits and path are
/// made by hand: no function that formats may be called in a handler.
bool lives(pid_t process) {
  std::array<char, 32> path{};
  std::size_t begin = path.size() - 1;
  const auto prepend = [&](std::string_view part) {
    begin -= part.size();
    std::memcpy(&path[begin], part.data(), part.size());
  };
  prepend("/stat");
  for (; process > 0; process /= 10) path[--begin] = static_cast<char>('0' + process % 10);
  prepend("/proc/");
  const int file = ::open(&path[begin], O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  // "17 (weft) Z 1 ...": the name may have parentheses, but not the fields after it.
  std::array<char, 512> text{};
  const ssize_t size = ::read(file, text.data(), text.size());
  ::close(file);
  const std::string_view stat(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 >= stat.size()) return false;
  return stat[name_end + 2] != 'Z' && stat[name_end + 2] != 'X';
}

bool another_speaks() {
  const std::size_t count = process_count;
  if (count > processes.size()) return true;
  return std::any_of(processes.begin(), processes.begin() + static_cast<std::ptrdiff_t>(count),
                     [](const std::atomic<pid_t>& process) { return lives(process); });
}

void say(const char* text, std::size_t size) {
  if (size == 0 || another_speaks()) return;
  if (err_is_terminal) write_all("\n", 1);
  write_all(text, size);
  write_all("\n", 1);
}

void linger() {
  timespec left{0, std::chrono::nanoseconds(kInterruptLinger).count()};
  while (::nanosleep(&left, &left) != 0) continue;
}

extern "C" void end_by_signal(int signal) {
  static constexpr char kDefault[] = "weft: interrupted; nothing was written";
  if (ending.exchange(true)) return;  // in another thread
  // mpirun sends more than one, and the default action of the next one would end this too early.
  for (const int other : kSignals) std::signal(other, SIG_IGN);
  for (const Removal& removal : removals) {
    if (removal.ready) ::unlink(removal.path.data());
  }
  const Message* const line = message;
  if (line != nullptr) {
    say(line->text.data(), line->size);
  } else {
    say(kDefault, sizeof(kDefault) - 1);
  }
  if (one_of_several) linger();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void end_with_a_word_on_interrupt() {
  err_is_terminal = ::isatty(STDERR_FILENO) == 1;
  for (const int signal : kSignals) {
    struct sigaction before = {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;
    struct sigaction action = {};
    action.sa_handler = end_by_signal;
    ::sigfillset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
  }
}

void set_interrupt_message(std::string_view text) {
  const std::lock_guard lock(mutex());
  Message& next = message == &messages[0] ? messages[1] : messages[0];
  next.size = std::min(text.size(), kInterruptBytes);
  std::memcpy(next.text.data(), text.data(), next.size);
  message = &next;
}

void speak_on_interrupt_after(std::span<const pid_t> before) {
  for (std::size_t i = 0; i < std::min(before.size(), processes.size()); ++i) {
    processes[i] = before[i];
  }
  process_count = before.size();
  one_of_several = true;
}

RemovedOnInterrupt::RemovedOnInterrupt(const std::filesystem::path& file) : slot_(kInterruptFiles) {
  const std::string path = file.string();
  for (std::size_t i = 0; i < kInterruptFiles && slot_ == kInterruptFiles; ++i) {
    bool free = false;
    if (removals[i].used.compare_exchange_strong(free, true)) slot_ = i;
  }
  if (slot_ == kInterruptFiles || path.size() >= removals[slot_].path.size()) return;
  std::memcpy(removals[slot_].path.data(), path.c_str(), path.size() + 1);
  removals[slot_].ready = true;
}

RemovedOnInterrupt::~RemovedOnInterrupt() {
  if (slot_ == kInterruptFiles) return;
  removals[slot_].ready = false;
  removals[slot_].used = false;
}

}  // namespace weft
