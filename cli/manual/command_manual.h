// What manual pages and completion say of a command, read from its own help: each form of the
// command is asked for --help, and its options are kept as they are defined. So a new command and a
// new option are in both without further work.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/commands.h"

namespace weft::cli {

struct ManualOption {
  std::string name;                 // without dashes
  std::optional<char> letter = {};  // of -h
  std::string value;                // what the help calls its value; empty if it takes none
  bool is_key = false;              // a key of the machine
  std::string description;
};

/// One way to call a command: `weft explain conv ...`.
struct ManualForm {
  std::vector<std::string> usage;       // lines, without "Usage:"
  std::vector<std::string> paragraphs;  // what it does
  std::vector<ManualOption> options;    // in the order of the help
};

struct CommandManual {
  std::string name;
  std::string summary;
  std::vector<ManualForm> forms;  // one or more

  /// The options of all forms, each once.
  std::vector<ManualOption> options() const;
};

CommandManual manual_of(const Command& command);
std::vector<CommandManual> manuals_of(std::span<const Command> commands);

}  // namespace weft::cli
