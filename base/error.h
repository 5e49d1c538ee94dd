// The typed errors of Weft. Every message is one line that says what is wrong, where, and what to
// do. Only main() catches them; nothing below it exits. The exit codes are in README.md.
#pragma once

#include <stdexcept>

namespace weft {

/// Base of all errors that Weft throws on purpose.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A configuration key, value or combination of them is wrong (exit code 2).
struct ConfigError : Error {
  using Error::Error;
};

/// This computer lacks something that the command needs, such as a library (exit code 2). It says
/// nothing about the simulated machine, so no result keeps it.
struct MissingError : ConfigError {
  using ConfigError::ConfigError;
};

/// A command line, file or array is wrong (exit code 2).
struct InputError : Error {
  using Error::Error;
};

/// A check found a mismatch (exit code 1).
struct CheckError : Error {
  using Error::Error;
};

/// The simulated machine failed (exit code 3).
struct SimulationError : Error {
  using Error::Error;
};

/// Two accesses to a row or a FIFO slot are not ordered as the program orders them.
struct HazardError : SimulationError {
  using SimulationError::SimulationError;
};

/// No unit can ever proceed.
struct DeadlockError : SimulationError {
  using SimulationError::SimulationError;
};

}  // namespace weft
