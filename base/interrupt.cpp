#include "base/interrupt.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstring>
#include <mutex>
#include <string>

namespace weft {
namespace {

// A handler may interrupt any code, so it reads only what these flags publish, and calls only what
// POSIX allows in a handler (2.4.3, async-signal-safe functions).
struct Message {
  std::array<char, kInterruptBytes + 1> text{};
  std::size_t size = 0;
};

// The writer fills the message that is not in use, then publishes it.
std::array<Message, 2> messages;
std::atomic<const Message*> message = nullptr;

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

extern "C" void end_by_signal(int signal) {
  static constexpr char kDefault[] = "weft: interrupted; nothing was written";
  for (const Removal& removal : removals) {
    if (removal.ready) ::unlink(removal.path.data());
  }
  const Message* const line = message;
  const char* const text = line != nullptr ? line->text.data() : kDefault;
  const std::size_t size = line != nullptr ? line->size : sizeof(kDefault) - 1;
  if (size > 0) {
    write_all("\n", 1);  // after what a terminal echoes, or a progress bar
    write_all(text, size);
    write_all("\n", 1);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void end_with_a_word_on_interrupt() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before = {};
    ::sigaction(signal, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;
    struct sigaction action = {};
    action.sa_handler = end_by_signal;
    ::sigfillset(&action.sa_mask);
    action.sa_flags = static_cast<int>(SA_RESETHAND);
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
