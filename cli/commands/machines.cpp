#include "cli/commands/commands.h"
#include "cli/common_options.h"
#include "report/text.h"
#include "sim/config/config_keys.h"

namespace weft::cli {
namespace {

void print_machines_help(const report::Streams& streams) {
  streams.out << "Usage: weft machines [NAME]\n\n"
              << "Lists the presets, or prints one as INI text with the source of its values:\n"
              << "redirect it to a file, edit, and use it with --machine FILE.\n\n"
              << general_flags({help_option()});
}

void list_machines(const report::Streams& streams) {
  report::Table table("lrlrr");
  for (const std::string& name : preset_names()) {
    const MachineConfig config = load_preset(name);
    const double peak =
        2.0 * config.array_rows * config.array_cols * static_cast<double>(config.clock_hz);
    table.add({name, std::to_string(config.array_rows) + " x " + std::to_string(config.array_cols),
               std::string(to_string(config.dtype)), si(static_cast<double>(config.clock_hz), "Hz"),
               si(peak, "OP/s")});
  }
  streams.out << table.text(0);
}

}  // namespace

int run_machines(const Words& words, const report::Streams& streams) {
  const Arguments arguments = parse_arguments(words, help_option());
  if (arguments.has("help")) return print_machines_help(streams), 0;
  check_positional_count(arguments, 1);
  if (arguments.positionals.empty()) {
    list_machines(streams);
  } else {
    streams.out << preset_text(arguments.positionals.front());
  }
  return 0;
}

}  // namespace weft::cli
