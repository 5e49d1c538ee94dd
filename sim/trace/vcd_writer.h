// Writes a value change dump (VCD), the waveform format of GTKWave and other viewers: first the
// signals in their scopes, then for each time the values that change at it.
//
//   constructor | open_scope, add_signal, close_scope ... | set_time, set, set, ... | finish
//
// The output depends only on the calls: it has no date and no host name. Source: IEEE 1364-2005,
// 18.2.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

class VcdWriter {
 public:
  enum class Scope { kModule, kGenerate };
  enum class Kind { kWire, kReg, kInteger };

  /// A declared signal.
  struct Signal {
    std::uint32_t index = 0;
  };

  /// Begins the header; times are in nanoseconds. `comment`, any number of lines, must be printable
  /// ASCII without '$' (InputError). `out` must outlive the writer.
  VcdWriter(std::ostream& out, std::string_view comment);

  // --- Header ----------------------------------------------------------------------------------
  /// Opens a scope inside the open one. The name must be a Verilog identifier, with an optional
  /// index ("gen_row[3]"), and unique in its scope; otherwise throws InputError.
  void open_scope(Scope scope, std::string_view name);
  void close_scope();

  /// Declares a signal of 1 to 64 bits in the open scope. open_scope() has the rules for its name.
  Signal add_signal(Kind kind, std::string_view name, std::uint32_t width);

  // --- Values ----------------------------------------------------------------------------------
  /// Sets the time of the values that follow; it must be later than the last time. The first call
  /// ends the header. A signal that is not set before the second call is unknown.
  void set_time(std::uint64_t time);

  /// Sets the signal to the low bits of `value`. Writes nothing if it has this value already.
  void set(Signal signal, std::uint64_t value);

  /// Sets the signal to x, which means unknown or unused.
  void set_unknown(Signal signal);

  /// Ends the dump at `time` and flushes. The time must be later than the last one, so that viewers
  /// show the last values until then. Without this call the dump is incomplete.
  void finish(std::uint64_t time);

  // Every function may write to the stream. It throws InputError if writing fails (a full disk),
  // and SimulationError if it is called out of order.

 private:
  enum class State : std::uint8_t { kUnset, kUnknown, kKnown };
  enum class Phase { kHeader, kFirstValues, kChanges };

  struct Variable {
    std::string code;
    std::uint64_t value = 0;
    std::uint8_t width = 1;
    State state = State::kUnset;
  };

  void claim_name(std::string_view name);
  void end_header();
  void end_first_values();
  void write_value(Variable& variable, std::uint64_t value);
  void write_unknown(Variable& variable);
  void flush_buffer();

  std::ostream& out_;
  std::string buffer_;
  Phase phase_ = Phase::kHeader;
  std::uint64_t time_ = 0;
  std::vector<std::set<std::string, std::less<>>> names_;  // of each open scope, the root first
  std::vector<Variable> variables_;
};

}  // namespace weft
