// What happens when the user interrupts the program (Ctrl-C), or the system asks it to end. One
// line on stderr says what was kept and how to go on. Then the program ends by the signal, so that
// shells and scripts see it. Files that are being written never appear under their names.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <span>
#include <string_view>

namespace weft {

/// Installs handlers for SIGINT, SIGTERM and SIGHUP, unless the program was started with the signal
/// ignored (nohup).
void end_with_a_word_on_interrupt();

/// Sets the line, without a newline: at most kInterruptBytes, the rest is cut off. Until the first
/// call it is "weft: interrupted; nothing was written". If it is empty, the program ends in
/// silence.
void set_interrupt_message(std::string_view message);
inline constexpr std::size_t kInterruptBytes = 511;

/// Of several processes that a signal ends together, one says the line: the first of them on this
/// computer that lives. `before` are the processes that come before this one, at most
/// kInterruptProcesses; with more, this process is silent. All of them live on for
/// kInterruptLinger, so that each sees the same others. mpirun kills all when the first one has
/// ended, or after a second.
void speak_on_interrupt_after(std::span<const pid_t> before);
inline constexpr std::size_t kInterruptProcesses = 1024;
inline constexpr std::chrono::milliseconds kInterruptLinger(500);

/// A file to remove on an interrupt, while this object lives. At most kInterruptFiles at a time;
/// more are not removed, but stay under their temporary names.
class RemovedOnInterrupt {
 public:
  explicit RemovedOnInterrupt(const std::filesystem::path& file);
  ~RemovedOnInterrupt();
  RemovedOnInterrupt(const RemovedOnInterrupt&) = delete;
  RemovedOnInterrupt& operator=(const RemovedOnInterrupt&) = delete;

 private:
  std::size_t slot_;
};
inline constexpr std::size_t kInterruptFiles = 16;

}  // namespace weft
