#include "cli/manual/completion.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "base/error.h"
#include "base/printable.h"
#include "cli/sweep/sweep_options.h"
#include "models/networks/networks.h"
#include "sim/config/config_keys.h"
#include "sim/config/energy_table.h"
#include "sim/simulate.h"

namespace weft::cli {
namespace {

using Names = std::vector<std::string>;

/// What can stand at a place of the command line.
struct Values {
  Names names = {};
  bool files = false;
  bool is_list = false;  // several, with commas between them
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

Names energy_list() {
  Names names = energy_table_names();
  names.emplace_back("own");
  return names;
}

/// Values that have names, by option. "train dtype" is the --dtype of that command alone.
const std::map<std::string, Values>& named_values() {
  static const std::map<std::string, Values> kValues = {
      {"machine", {preset_names(), true}},
      {"sweep machine", {preset_names(), true, true}},
      {"engine", {engine_list()}},
      {"train engine", {{"fast", "timed", "stepped", "rtl"}}},
      {"run backend", {{"machine", "cpu"}}},
      {"train backend", {{"cpu", "cuda", "sim"}}},
      {"energy", {energy_list(), true}},
      {"with", {compared_devices(), true, true}},
      {"compare dtype", {{"fp32", "tf32", "bf16", "fp16", "int8"}}},
      {"train dtype", {{"float32", "bf16", "fp16"}}},
      {"optimizer", {{"sgd", "adam", "adamw"}}},
      {"input-type", {{"conv", "gemm"}}},
      {"activation", {{"none", "relu", "relu6"}}},
      {"check", {{"cpu", "none"}}},
      {"optimize", {{"0", "1", "2"}}},
      {"taps", {{"packed", "apart", "best"}}},
      {"pad", {{"same"}}},
      {"calibrate", {{"digits"}, true}},
      {"host-time", {{"measured"}}},
      {"front", {swept_figures(), false, true}},
      {"steps", {{"all"}}}};
  return kValues;
}

/// True if the option's value names a file or a folder.
bool takes_file(const ManualOption& option) {
  return option.value.find("FILE") != std::string::npos || option.value.ends_with(".onnx") ||
         option.value == "DIR" || option.value == "DB";
}

Values values_of(const CommandManual& command, const ManualOption& option) {
  const auto& named = named_values();
  for (const std::string& name : {command.name + " " + option.name, option.name}) {
    if (const auto found = named.find(name); found != named.end()) return found->second;
  }
  const auto keys = config_keys();
  const auto key = std::ranges::find(keys, option.name, &ConfigKey::name);
  if (key != keys.end()) return {choices_of(key->range)};
  return {{}, takes_file(option)};
}

/// What the words that are no options can be. Commands that are not here take networks and files.
Values positionals_of(std::string_view command, const Names& commands) {
  if (command == "help") return {commands};
  if (command == "completion") return {{"bash", "zsh", "fish"}};
  if (command == "machines") {
    Names names = preset_names();
    std::ranges::copy(energy_table_names(), std::back_inserter(names));  // with --energy
    return {names};
  }
  if (command == "networks") return {network_names()};
  if (command == "exec") return {{}, true};
  if (command == "matmul" || command == "conv" || command == "scalesim") return {};
  Values values{network_names(), true};
  const bool sweeps = command == "explain" || command == "sweep";
  if (sweeps || command == "compare") values.names.emplace_back("matmul");
  if (sweeps) values.names.emplace_back("conv");
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

/// "--output" and, if there is one, the short form "-o".
Names forms_of(const ManualOption& option) {
  Names forms = {"--" + option.name};
  if (option.letter) forms.push_back(fmt::format("-{}", *option.letter));
  return forms;
}

Names option_words(const CommandManual& command) {
  Names words;
  for (const ManualOption& option : command.options()) {
    for (std::string& form : forms_of(option)) words.push_back(std::move(form));
  }
  return words;
}

/// "quantize:--output|quantize:-o": where the value of the option stands, as a pattern of `case`.
std::string place_of(const CommandManual& command, const ManualOption& option) {
  Names places;
  for (const std::string& form : forms_of(option)) places.push_back(command.name + ":" + form);
  return fmt::format("{}", fmt::join(places, "|"));
}

// --- bash ---

std::string bash_reply(const Values& values) {
  std::string text;
  if (values.is_list) text += "_weft_list; ";
  if (!values.names.empty()) text += fmt::format("_weft_words '{}'; ", joined(values.names));
  if (values.files) text += "_weft_files; ";
  return text + "return";
}

constexpr const char* kBashFunctions = R"(# bash completion of weft, made by `weft completion bash`.
# These read and change cur, before and COMPREPLY of _weft. A line is one name, which can have spaces.
_weft_words() {
  mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -P "$before" -W "$1" -- "$cur")
}
_weft_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -P "$before" -f -- "$cur")
}
_weft_list() {
  if [[ "$cur" != *,* ]]; then return; fi
  before+="${cur%,*},"
  cur="${cur##*,}"
}
)";

std::string bash_script(std::span<const CommandManual> commands) {
  const Names names = command_names(commands);
  std::string values;
  std::string options;
  std::string words;
  for (const CommandManual& command : commands) {
    for (const ManualOption& option : command.options()) {
      if (option.value.empty()) continue;
      values += fmt::format("    {}) {} ;;\n", place_of(command, option),
                            bash_reply(values_of(command, option)));
    }
    options +=
        fmt::format("      {}) options='{}' ;;\n", command.name, joined(option_words(command)));
    words += fmt::format("    {}) {} ;;\n", command.name,
                         bash_reply(positionals_of(command.name, names)));
  }
  return kBashFunctions + fmt::format(R"(_weft() {{
  local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}" before=
  local command="${{COMP_WORDS[1]}}" options=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    _weft_words '{} --help --version'
    return
  fi
  # --option=value is three words, or one where COMP_WORDBREAKS has no "=".
  if [ "$cur" = = ]; then
    cur=
  elif [ "$prev" = = ]; then
    prev="${{COMP_WORDS[COMP_CWORD-2]}}"
  elif [[ "$cur" == --*=* ]]; then
    prev="${{cur%%=*}}"
    before="$prev="
    cur="${{cur#*=}}"
  fi
  case "$command:$prev" in
{}  esac
  if [[ "$cur" == -* ]]; then
    case "$command" in
{}    esac
    _weft_words "$options"
    return
  fi
  case "$command" in
{}  esac
}}
complete -F _weft weft
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
  if (values.is_list) text += "compset -P '*,'; ";
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
      for (const std::string& form : forms_of(option)) {
        options += fmt::format("        {}\n", described(form, option.description));
      }
      if (option.value.empty()) continue;
      values += fmt::format("    {}) {} ;;\n", place_of(command, option),
                            zsh_reply(values_of(command, option)));
    }
    options += "      ) ;;\n";
    words += fmt::format("    {}) {} ;;\n", command.name,
                         zsh_reply(positionals_of(command.name, names)));
  }
  return fmt::format(R"(#compdef weft
# zsh completion of weft, made by `weft completion zsh`.
_weft() {{
  local -a commands options
  local option="${{words[CURRENT-1]}}"
  commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  if compset -P 1 '--*='; then option="${{words[CURRENT]%%=*}}"; fi
  case "${{words[2]}}:$option" in
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
# A file of fpath is this function's body; sourced from ~/.zshrc, it only defines the function.
if [[ "${{funcstack[1]}}" == _weft ]]; then
  _weft "$@"
else
  compdef _weft weft
fi
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
    const Values values = values_of(command, option);
    line += values.files ? " -r -F" : " -x";
    const char* const form = values.is_list ? " -a '(__fish_append , {})'" : " -a '{}'";
    if (!values.names.empty()) line += fmt::format(fmt::runtime(form), joined(values.names));
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
