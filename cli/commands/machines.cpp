#include "base/error.h"
#include "cli/commands/commands.h"
#include "cli/options/common_options.h"
#include "report/compare/device_list.h"
#include "report/text.h"
#include "sim/config/config_keys.h"
#include "sim/config/energy_table.h"

namespace weft::cli {
namespace {

po::options_description machines_options() {
  po::options_description own;
  auto add = own.add_options();
  add("energy", "the energies of events, one table for each process");
  add("devices", "the modelled devices of `weft compare`, and how far they are from measurements");
  return general_flags({own, help_option()});
}

void print_machines_help(const report::Streams& streams) {
  streams.out
      << "Usage: weft machines [NAME] [OPTIONS]\n\n"
      << "Lists the presets, or prints one as INI text with the source of its values:\n"
      << "redirect it to a file, edit, and use it with --machine FILE. With --energy: the\n"
      << "energy tables instead, for --energy FILE of other commands. With --devices: the GPUs\n"
      << "and CPUs that `weft compare` models, or one of them as a file for --with FILE.\n\n"
      << help_text(machines_options());
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

/// What a MAC, 64 bits of SRAM and 64 bits of DRAM take.
void list_energy_tables(const report::Streams& streams) {
  report::Table table("lrrrrr");
  const auto pj = [](double value) { return si(value * 1e-12, "J"); };
  table.add({"", "int8 MAC", "bf16 MAC", "8 KiB SRAM", "1 MiB SRAM", "DDR DRAM"});
  for (const std::string& name : energy_table_names()) {
    const EnergyTable energies = load_energy_table(name);
    table.add({name, pj(energies.mac(ElementType::kInt8)), pj(energies.mac(ElementType::kBf16)),
               pj(energies.sram_8_kib), pj(energies.sram_1024_kib), pj(energies.memory_ddr)});
  }
  streams.out << table.text(0) << "SRAM and DRAM: 64 bits\n";
}

void print_energy_tables(const std::vector<std::string>& names, const report::Streams& streams) {
  if (names.empty()) return list_energy_tables(streams);
  streams.out << energy_table_text(names.front());
}

void print_devices(const std::vector<std::string>& names, const report::Streams& streams) {
  streams.out << (names.empty() ? report::device_list(streams.style)
                                : report::device_ini(names.front()));
}

}  // namespace

int run_machines(const Words& words, const report::Streams& streams) {
  const Arguments arguments = parse_arguments(words, machines_options());
  if (arguments.has("help")) return print_machines_help(streams), 0;
  check_positional_count(arguments, 1);
  if (arguments.has("energy") && arguments.has("devices")) {
    throw InputError("--energy and --devices: list different things; drop one");
  }
  if (arguments.has("devices")) {
    print_devices(arguments.positionals, streams);
  } else if (arguments.has("energy")) {
    print_energy_tables(arguments.positionals, streams);
  } else if (arguments.positionals.empty()) {
    list_machines(streams);
  } else {
    streams.out << preset_text(arguments.positionals.front());
  }
  return 0;
}

}  // namespace weft::cli
