#include "cli/manual/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "models/networks/networks.h"
#include "sim/config/config_keys.h"
#include "sim/simulate.h"

namespace weft::cli {
namespace {

using Names = std::vector<std::string>;

/// What can stand at a place of the command line.
struct Values {
  Names names = {};
  bool files = false;
  bool any() const { return files || !names.empty(); }
};

Names network_names() {
  Names names;
  for (const networks::NetworkInfo& info : networks::networks()) names.emplace_back(info.name);
  return names;
}

/// "a|b|c" of a key's range; empty for a range of numbers.
Names choices_of(std::string_view range) {
  Names names;
  if (range.find('|') == std::string_view::npos) return names;
  while (true) {
    const std::size_t bar = std::min(range.find('|'), range.size());
    names.emplace_back(range.substr(0, bar));
    if (bar == range.size()) return names;
    range.remove_prefix(bar + 1);
  }
}

Names engine_list() {
  Names names;
  for (const Engine engine :
       {Engine::kAnalytic, Engine::kFast, Engine::kTimed, Engine::kStepped, Engine::kRtl}) {
    names.emplace_back(to_string(engine));
  }
  return names;
}

Values values_of(const ManualOption& option) {
  const std::map<std::string, Names> known = {{"engine", engine_list()},
                                              {"activation", {"none", "relu", "relu6"}},
                                              {"check", {"cpu", "none"}},
                                              {"optimize", {"0", "1", "2"}},
                                              {"taps", {"packed", "apart"}},
                                              {"host-time", {"measured"}},
                                              {"steps", {"all"}}};
  if (option.name == "machine") return {preset_names(), true};
  if (const auto found = known.find(option.name); found != known.end()) return {found->second};
  const auto keys = config_keys();
  const auto key = std::ranges::find(keys, option.name, &ConfigKey::name);
  if (key != keys.end()) return {choices_of(key->range)};
  const bool files = option.value.find("FILE") != std::string::npos || option.value == "DIR" ||
                     option.value == "DB" || option.value == "FOLDER";
  return {{}, files};
}

/// What the words that are no options can be. Commands that are not here take networks and files.
Values positionals_of(std::string_view command, const Names& commands) {
  if (command == "help") return {commands};
  if (command == "completion") return {{"bash", "zsh", "fish"}};
  if (command == "machines") return {preset_names()};
  if (command == "networks") return {network_names()};
  if (command == "exec") return {{}, true};
  if (command == "matmul" || command == "conv") return {};
  Values values{network_names(), true};
  if (command != "run" && command != "quantize" && command != "train") {
    values.names.insert(values.names.end(), {"matmul", "conv"});
  }
  return values;
}

Names command_names(std::span<const CommandManual> commands) {
  Names names;
  for (const CommandManual& command : commands) names.push_back(command.name);
  return names;
}

std::string joined(const Names& names) {
  return fmt::format("{}", fmt::join(names, " "));
}

Names option_words(const CommandManual& command) {
  Names words;
  for (const ManualOption& option : command.options()) {
    words.push_back("--" + option.name);
    if (option.letter) words.push_back(fmt::format("-{}", *option.letter));
  }
  return words;
}

// --- bash ---

std::string bash_reply(const Values& values) {
  std::string text;
  if (!values.names.empty()) {
    text += fmt::format("COMPREPLY+=($(compgen -W '{}' -- \"$cur\")); ", joined(values.names));
  }
  if (values.files) text += "COMPREPLY+=($(compgen -f -- \"$cur\")); ";
  return text + "return";
}

std::string bash_script(std::span<const CommandManual> commands) {
  const Names names = command_names(commands);
  std::string values;
  std::string options;
  std::string words;
  for (const CommandManual& command : commands) {
    for (const ManualOption& option : command.options()) {
      if (option.value.empty()) continue;
      values += fmt::format("    {}:--{}) {} ;;\n", command.name, option.name,
                            bash_reply(values_of(option)));
    }
    options +=
        fmt::format("      {}) options='{}' ;;\n", command.name, joined(option_words(command)));
    words += fmt::format("    {}) {} ;;\n", command.name,
                         bash_reply(positionals_of(command.name, names)));
  }
  return fmt::format(R"(# bash completion of weft, made by `weft completion bash`.
_weft() {{
  local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}"
  local command="${{COMP_WORDS[1]}}" options=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{} --help --version' -- "$cur"))
    return
  fi
  case "$command:$prev" in
{}  esac
  if [[ "$cur" == -* ]]; then
    case "$command" in
{}    esac
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
    return
  fi
  case "$command" in
{}  esac
}}
complete -o filenames -F _weft weft
)",
                     joined(names), values, options, words);
}

// --- zsh ---

/// In single quotes.
std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// "name:description" of _describe, in which a colon ends the name.
std::string described(const std::string& name, const std::string& description) {
  std::string text;
  for (const char c : name) text += c == ':' ? std::string("\\:") : std::string(1, c);
  return in_quotes(text + ":" + description);
}

std::string zsh_reply(const Values& values) {
  std::string text;
  if (!values.names.empty()) text += fmt::format("compadd -- {}; ", joined(values.names));
  if (values.files) text += "_files; ";
  return text + "return";
}

std::string zsh_script(std::span<const CommandManual> commands) {
  const Names names = command_names(commands);
  std::string list;
  std::string values;
  std::string options;
  std::string words;
  for (const CommandManual& command : commands) {
    list += fmt::format("    {}\n", described(command.name, command.summary));
    options += fmt::format("      {}) options=(\n", command.name);
    for (const ManualOption& option : command.options()) {
      options += fmt::format("        {}\n", described("--" + option.name, option.description));
      if (option.value.empty()) continue;
      values += fmt::format("    {}:--{}) {} ;;\n", command.name, option.name,
                            zsh_reply(values_of(option)));
    }
    options += "      ) ;;\n";
    words += fmt::format("    {}) {} ;;\n", command.name,
                         zsh_reply(positionals_of(command.name, names)));
  }
  return fmt::format(R"(#compdef weft
# zsh completion of weft, made by `weft completion zsh`.
_weft() {{
  local -a commands options
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case "${{words[2]}}:${{words[CURRENT-1]}}" in
{}  esac
  if [[ "$PREFIX" == -* ]]; then
    case "${{words[2]}}" in
{}    esac
    _describe -o option options
    return
  fi
  case "${{words[2]}}" in
{}  esac
}}
_weft "$@"
)",
                     list, values, options, words);
}

// --- fish ---

std::string fish_quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

std::string fish_option(const CommandManual& command, const ManualOption& option) {
  std::string line =
      fmt::format("complete -c weft -n '__fish_seen_subcommand_from {}'", command.name);
  if (option.letter) line += fmt::format(" -s {}", *option.letter);
  line += " -l " + option.name;
  if (!option.value.empty()) {
    const Values values = values_of(option);
    line += values.files ? " -r -F" : " -x";
    if (!values.names.empty()) line += fmt::format(" -a '{}'", joined(values.names));
  }
  return line + " -d " + fish_quoted(option.description) + '\n';
}

std::string fish_script(std::span<const CommandManual> commands) {
  const Names names = command_names(commands);
  std::string text =
      "# fish completion of weft, made by `weft completion fish`.\ncomplete -c weft -f\n"
      "complete -c weft -n __fish_use_subcommand -l help -s h -d 'list the commands'\n"
      "complete -c weft -n __fish_use_subcommand -l version -d 'print the version'\n";
  for (const CommandManual& command : commands) {
    text += fmt::format("complete -c weft -n __fish_use_subcommand -a {} -d {}\n", command.name,
                        fish_quoted(command.summary));
    for (const ManualOption& option : command.options()) text += fish_option(command, option);
    const Values words = positionals_of(command.name, names);
    if (!words.any()) continue;
    text += fmt::format("complete -c weft -n '__fish_seen_subcommand_from {}'{}{}\n", command.name,
                        words.files ? " -F" : "",
                        words.names.empty() ? "" : fmt::format(" -a '{}'", joined(words.names)));
  }
  return text;
}

}  // namespace

std::string completion_script(std::string_view shell, std::span<const CommandManual> commands) {
  if (shell == "bash") return bash_script(commands);
  if (shell == "zsh") return zsh_script(commands);
  if (shell == "fish") return fish_script(commands);
  throw InputError(
      fmt::format("completion {}: no such shell here; give bash, zsh or fish", printable(shell)));
}

}  // namespace weft::cli
