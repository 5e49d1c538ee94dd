#include "cli/manual/command_manual.h"

#include <algorithm>
#include <sstream>

#include "cli/options/arguments.h"
#include "report/streams.h"
#include "sim/config/config_keys.h"

namespace weft::cli {
namespace {

bool is_machine_key(std::string_view name) {
  return std::ranges::find(config_keys(), name, &ConfigKey::name) != config_keys().end();
}

/// Boost writes "-h [ --help ]" for an option with a letter.
std::optional<char> letter_of(const po::option_description& option) {
  const std::string name = option.format_name();
  if (name.size() > 2 && name[0] == '-' && name[1] != '-') return name[1];
  return std::nullopt;
}

ManualOption option_of(const po::option_description& option) {
  ManualOption manual;
  manual.name = option.long_name();
  manual.letter = letter_of(option);
  if (option.semantic()->max_tokens() > 0) manual.value = option.semantic()->name();
  manual.is_key = is_machine_key(manual.name);
  manual.description = option.description();
  return manual;
}

/// Splits "Usage: ...\n       ...\n\ntext\ntext\n\ntext" into usage and paragraphs.
void read_text(const std::string& text, ManualForm& form) {
  constexpr std::string_view kUsage = "Usage: ";
  std::istringstream lines(text);
  bool in_usage = true;
  std::string paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) form.paragraphs.push_back(std::exchange(paragraph, {}));
  };
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) {
      in_usage = false;
      end_paragraph();
    } else if (in_usage) {
      form.usage.push_back(line.substr(std::min(kUsage.size(), line.size())));
    } else {
      paragraph += (paragraph.empty() ? "" : " ") + line;
    }
  }
  end_paragraph();
}

ManualForm form_of(const Command& command, std::string_view words) {
  Words help;
  std::istringstream in{std::string(words)};
  for (std::string word; in >> word;) help.push_back(word);
  help.emplace_back("--help");
  HelpRecorder out;
  std::ostringstream err;
  command.run(help, report::Streams{out, err, report::Style(), false});
  ManualForm form;
  read_text(out.str(), form);
  for (const po::options_description& options : out.recorded) {
    for (const auto& option : options.options()) form.options.push_back(option_of(*option));
  }
  return form;
}

}  // namespace

std::vector<ManualOption> CommandManual::options() const {
  std::vector<ManualOption> all;
  for (const ManualForm& form : forms) {
    for (const ManualOption& option : form.options) {
      if (std::ranges::find(all, option.name, &ManualOption::name) == all.end()) {
        all.push_back(option);
      }
    }
  }
  return all;
}

CommandManual manual_of(const Command& command) {
  CommandManual manual{std::string(command.name), std::string(command.summary), {}};
  manual.forms.push_back(form_of(command, ""));
  for (const std::string_view words : command.forms) {
    manual.forms.push_back(form_of(command, words));
  }
  return manual;
}

std::vector<CommandManual> manuals_of(std::span<const Command> commands) {
  std::vector<CommandManual> manuals;
  for (const Command& command : commands) manuals.push_back(manual_of(command));
  return manuals;
}

}  // namespace weft::cli
