#include "cli/manual/man_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/version.h"

namespace weft::cli {
namespace {

/// Text without roff's own characters: a dash is a minus sign, which can be copied into a shell.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  if (result.starts_with('.') || result.starts_with('\'')) result.insert(0, "\\&");
  return result;
}

std::string title(std::string_view name) {
  return fmt::format(".TH {} 1 \"\" \"Weft {}\" \"User Commands\"\n", name, version());
}

std::string option_item(const ManualOption& option) {
  std::string text = ".TP\n";
  if (option.letter) text += fmt::format("\\fB\\-{}\\fR, ", *option.letter);
  text += fmt::format("\\fB\\-\\-{}\\fR", escaped(option.name));
  if (!option.value.empty()) text += fmt::format(" \\fI{}\\fR", escaped(option.value));
  return text + '\n' + escaped(option.description) + '\n';
}

std::string options_section(std::string_view heading, const std::vector<ManualOption>& options,
                            bool keys) {
  std::string text;
  for (const ManualOption& option : options) {
    if (option.is_key == keys) text += option_item(option);
  }
  return text.empty() ? "" : fmt::format(".SH {}\n{}", heading, text);
}

std::string synopsis(const std::vector<ManualForm>& forms) {
  std::string text = ".SH SYNOPSIS\n.nf\n";
  std::vector<std::string> seen;
  for (const ManualForm& form : forms) {
    for (const std::string& line : form.usage) {
      if (std::ranges::find(seen, line) != seen.end()) continue;
      seen.push_back(line);
      text += escaped(line) + '\n';
    }
  }
  return text + ".fi\n";
}

std::string description(const CommandManual& command) {
  std::string text = ".SH DESCRIPTION\n";
  for (const ManualForm& form : command.forms) {
    if (&form != &command.forms.front() && !form.usage.empty()) {
      text += fmt::format(".SS {}\n", escaped(form.usage.front()));
    }
    bool first = true;
    for (const std::string& paragraph : form.paragraphs) {
      if (!std::exchange(first, false)) text += ".PP\n";
      text += escaped(paragraph) + '\n';
    }
  }
  return text;
}

constexpr const char* kExitStatus =
    ".SH EXIT STATUS\n"
    ".TP\n0\nDone.\n"
    ".TP\n1\nA check found a mismatch.\n"
    ".TP\n2\nBad input. One line on standard error says what is wrong and what to do.\n"
    ".TP\n3\nThe simulated machine failed: a hazard or a deadlock.\n";

}  // namespace

std::string man_page(std::span<const CommandManual> commands) {
  std::string text = title("WEFT") +
                     ".SH NAME\nweft \\- cycle\\-exact simulator of TPU\\-like machines\n"
                     ".SH SYNOPSIS\n\\fBweft\\fR \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]\n"
                     ".SH DESCRIPTION\n"
                     "Weft models a weight\\-stationary systolic array with the memories and units "
                     "around it, and a compiler that lowers matrix products and whole networks "
                     "(ONNX) onto the machine.\n"
                     ".SH COMMANDS\n";
  for (const CommandManual& command : commands) {
    text += fmt::format(".TP\n\\fBweft\\-{}\\fR(1)\n{}\n", escaped(command.name),
                        escaped(command.summary));
  }
  text +=
      ".SH OPTIONS\n.TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nlist the commands\n"
      ".TP\n\\fB\\-\\-version\\fR\nprint the version\n";
  text += kExitStatus;
  return text +
         ".SH ENVIRONMENT\n.TP\n\\fBNO_COLOR\\fR\nIf it is set, nothing is printed in color.\n";
}

std::string man_page(const CommandManual& command) {
  const std::string name = "weft-" + command.name;
  std::string upper = name;
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  const std::vector<ManualOption> options = command.options();
  return title(upper) +
         fmt::format(".SH NAME\n{} \\- {}\n", escaped(name), escaped(command.summary)) +
         synopsis(command.forms) + description(command) +
         options_section("OPTIONS", options, false) + options_section("MACHINE", options, true) +
         kExitStatus + ".SH SEE ALSO\n\\fBweft\\fR(1)\n";
}

}  // namespace weft::cli
