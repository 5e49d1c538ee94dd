// `weft help` and `weft completion`: what the commands say about themselves.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/output_file.h"
#include "base/printable.h"
#include "cli/commands/commands.h"
#include "cli/manual/command_manual.h"
#include "cli/manual/completion.h"
#include "cli/manual/man_page.h"
#include "cli/options/common_options.h"
#include "runtime/workload/network_outputs.h"

namespace weft::cli {
namespace {

po::options_description help_options() {
  po::options_description options;
  auto add = options.add_options();
  add("man", "print the manual page (roff, for man -l -)");
  add("man-dir", text_value("DIR"), "write the manual pages of all commands into this folder");
  return general_flags({options, help_option()});
}

void print_help_help(const report::Streams& streams) {
  streams.out << "Usage: weft help [COMMAND] [OPTIONS]\n\n"
              << "Shows the help of a command, or lists the commands.\n\n"
              << help_text(help_options());
}

const Command& find_command(const std::string& name) {
  const auto all = commands();
  const auto found = std::ranges::find(all, name, &Command::name);
  if (found != all.end()) return *found;
  throw InputError(fmt::format("{}: unknown command; see weft --help", printable(name)));
}

void make_folder(const std::string& folder) {
  if (folder.empty()) throw InputError("--man-dir: the name is empty; give one");
  std::error_code error;
  if (std::filesystem::exists(folder, error) && !std::filesystem::is_directory(folder, error)) {
    throw InputError(fmt::format("--man-dir {}: is a file; name a folder", printable(folder)));
  }
  std::filesystem::create_directories(folder, error);
  if (!error) return;
  throw InputError(fmt::format("--man-dir {}: cannot be created: {}; name another folder",
                               printable(folder), error.message()));
}

void write_pages(const std::string& folder) {
  make_folder(folder);
  const std::vector<CommandManual> manuals = manuals_of(commands());
  std::vector<runtime::FileContent> pages = {{folder + "/weft.1", man_page(manuals)}};
  for (const CommandManual& manual : manuals) {
    pages.push_back({fmt::format("{}/weft-{}.1", folder, manual.name), man_page(manual)});
  }
  runtime::write_files_together(pages);
}

po::options_description completion_options() {
  return general_flags({help_option()});
}

void print_completion_help(const report::Streams& streams) {
  streams.out << "Usage: weft completion bash|zsh|fish\n\n"
              << "Prints a script that completes weft's command line in this shell.\n\n"
              << "For bash, put this line into ~/.bashrc:\n"
              << "source <(weft completion bash)\n\n"
              << "For zsh, put this line into ~/.zshrc, below the one with compinit:\n"
              << "source <(weft completion zsh)\n\n"
              << "For fish, run this once:\n"
              << "weft completion fish > ~/.config/fish/completions/weft.fish\n\n"
              << help_text(completion_options());
}

}  // namespace

int run_help(const Words& words, const report::Streams& streams) {
  const Arguments arguments = parse_arguments(words, help_options());
  if (arguments.has("help")) return print_help_help(streams), 0;
  check_positional_count(arguments, 1);
  if (const auto folder = arguments.text("man-dir")) {
    if (arguments.has("man") || !arguments.positionals.empty()) {
      throw InputError("--man-dir: writes the pages of all commands; drop the other arguments");
    }
    return write_pages(*folder), 0;
  }
  if (arguments.positionals.empty()) {
    if (!arguments.has("man")) return run_command({"--help"}, streams);
    return streams.out << man_page(manuals_of(commands())), 0;
  }
  const Command& command = find_command(arguments.positionals.front());
  if (arguments.has("man")) return streams.out << man_page(manual_of(command)), 0;
  return command.run({"--help"}, streams);
}

int run_completion(const Words& words, const report::Streams& streams) {
  const Arguments arguments = parse_arguments(words, completion_options());
  if (arguments.has("help")) return print_completion_help(streams), 0;
  check_positional_count(arguments, 1);
  if (arguments.positionals.empty()) throw InputError("no shell; give bash, zsh or fish");
  streams.out << completion_script(arguments.positionals.front(), manuals_of(commands()));
  return 0;
}

}  // namespace weft::cli
