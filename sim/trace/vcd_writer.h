// Writes a value change dump (VCD), the waveform format that GTKWave and its like read: first the
// signals in their scopes, then for each time the values that changed at it.
//
//   comment, time scale | open_scope, add_signal, close_scope ... | set_time, set, set, ... |
//   finish
//
// The bytes depend on nothing but the calls: no date, no name of a machine. Source: IEEE 1364-2005,
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
  /// Opens a scope inside the open one. A name is a Verilog identifier, which an index may follow
  /// ("gen_row[3]"), and used once in its scope; InputError otherwise.
  void open_scope(Scope scope, std::string_view name);
  void close_scope();

  /// Declares a signal of 1 to 64 bits in the open scope; its name as for open_scope().
  Signal add_signal(Kind kind, std::string_view name, std::uint32_t width);

  // --- Values ----------------------------------------------------------------------------------
  /// What set() is told from now on happens at `time`, which must be later than the last one. The
  /// first call ends the header; a signal that is not set before the second is unknown.
  void set_time(std::uint64_t time);

  /// The low bits of `value`, as many as the signal has; writes nothing if they stand already.
  void set(Signal signal, std::uint64_t value);

  /// x, the value that VCD has for "unknown or unused".
  void set_unknown(Signal signal);

  /// Ends the dump at `time`, later than the last one, so that the last values are seen to last
  /// until then, and flushes. Without it the dump lacks its end.
  void finish(std::uint64_t time);

  // Every function may write, and throws InputError once the stream refuses (a full disk), and
  // SimulationError if it is called out of turn.

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
