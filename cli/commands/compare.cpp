#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <optional>

#include "base/error.h"
#include "base/input_path.h"
#include "base/parse_number.h"
#include "base/printable.h"
#include "cli/commands/commands.h"
#include "cli/commands/compare/results.h"
#include "cli/commands/compare/rows.h"
#include "cli/options/common_options.h"
#include "cli/options/cost_options.h"
#include "cli/options/network_options.h"
#include "cli/workload.h"
#include "report/progress.h"
#include "runtime/compare/compare_job.h"

namespace weft::cli {
namespace {

po::options_description comparison_flags() {
  po::options_description options("Comparison");
  const std::string with = fmt::format(
      "devices, with commas between them: machines of weft and INI files of machines (simulated), "
      "cpu and cuda (measured), GPUs and CPUs, and INI files of such devices (modelled); NAME:TYPE "
      "for another type of number; {} "
      "if not given",
      runtime::kDefaultDevices);
  auto add = options.add_options();
  add("with", text_value("NAME,..."), with.c_str());
  add("measured", po::value<std::vector<std::string>>()->composing()->value_name("FILE"),
      "times measured elsewhere (imported): a trace of PyTorch's profiler, a CSV of ncu, nsys or "
      "weft compare, an SQLite export of nsys, a CSV with name,shape,seconds; may be repeated");
  add("in-order",
      "kernels of --measured without shapes are the products of the workload, in its order");
  add("dtype", text_value("TYPE"),
      "fp32, tf32, bf16, fp16 or int8, for all devices; each one's usual type if not given");
  add("tile", text_value("MxN"),
      "the only tile that modelled GPUs may use, 256x128 to 64x64; the best if not given");
  add("sweep", text_value("D=LO..HI"), "a curve over sizes of m, k or n; :STEP may follow");
  add("seed", text_value("N"), "seed of the values; 1 if not given");
  return options;
}

/// A price of its own for each device.
po::options_description cost_flags_of_devices() {
  po::options_description options = energy_flag();
  auto add = options.add_options();
  add("price-per-hour", text_value("PRICE"),
      "what a million results cost at this price per hour; one for all devices, or one for each "
      "with commas between them");
  return options;
}

po::options_description file_flags() {
  po::options_description options;
  auto add = options.add_options();
  add("csv", text_value("FILE"), "write the rows as CSV; - is stdout");
  add("html", text_value("FILE"), "write an HTML page: the table and a chart");
  return options;
}

po::options_description compare_options() {
  po::options_description all;
  all.add(comparison_flags()).add(network_flags()).add(cost_flags_of_devices());
  return all.add(general_flags({file_flags(), json_flag(), quiet_flag(), help_option()}));
}

void print_compare_help(const report::Streams& streams) {
  streams.out
      << "Usage: weft compare matmul M K N [OPTIONS]\n"
      << "       weft compare MODEL.onnx|NAME [OPTIONS]\n"
      << "       weft compare A.json B.json [--json FILE] [--html FILE] [--quiet]\n"
      << "       weft compare ROWS.csv... [--csv FILE] [--json FILE] [--html FILE] [--quiet]\n\n"
      << "A product, or a network, on several devices: time, cycles, speed, share of the\n"
      << "peak, waste, and the largest difference from float64. Each row says whether it\n"
      << "was simulated, measured on this computer, modelled from published figures, or\n"
      << "imported from a file that was measured elsewhere.\n"
      << "A.json and B.json are --json reports of two runs; their cycles, traffic, energy,\n"
      << "layers and machines are shown side by side, and nothing runs. ROWS.csv are files\n"
      << "that --csv or --json of this command wrote; their rows are shown in one table.\n\n"
      << help_text(compare_options());
}

// --- What is compared ----------------------------------------------------------------------------

devices::Tile parse_tile(std::string_view text) {
  for (const devices::Tile& tile : devices::tiles_of(devices::DeviceKind::kGpu)) {
    if (text == fmt::format("{}x{}", tile.m, tile.n)) return tile;
  }
  std::string known;
  for (const devices::Tile& tile : devices::tiles_of(devices::DeviceKind::kGpu)) {
    known += fmt::format("{}{}x{}", known.empty() ? "" : ", ", tile.m, tile.n);
  }
  throw InputError(fmt::format("--tile {}: unknown; must be one of {}", printable(text), known));
}

/// Rejects options for networks in a comparison of products, and the other way round.
void check_foreign(const Arguments& arguments, std::initializer_list<const char*> names,
                   const char* what) {
  for (const char* name : names) {
    if (!arguments.has(name)) continue;
    throw InputError(fmt::format("--{}: has no effect on {}; drop it", name, what));
  }
}

void check_tile_is_used(const runtime::CompareJob& job) {
  const auto takes_tile = [](const runtime::DeviceRequest& request) {
    return request.modelled != nullptr && request.modelled->kind == devices::DeviceKind::kGpu;
  };
  if (!job.tile || std::ranges::any_of(job.devices, takes_tile)) return;
  throw InputError("--tile: is for modelled GPUs, but --with names none; drop it");
}

/// Rejects options that have no effect.
void check_used(const Arguments& arguments, const runtime::CompareJob& job) {
  if (arguments.has("dtype") &&
      std::ranges::all_of(job.devices, &runtime::DeviceRequest::has_own_format)) {
    throw InputError("--dtype: every device in --with has its own type; drop it");
  }
  const auto has_values = [](const runtime::DeviceRequest& request) {
    return request.modelled == nullptr;
  };
  if (job.seed && (job.sweep || std::ranges::none_of(job.devices, has_values))) {
    throw InputError("--seed: has no effect on modelled devices and sweeps; drop it");
  }
}

void read_product(Arguments arguments, runtime::CompareJob& job) {
  check_foreign(arguments, {"batch", "sequence", "kv-cache", "shape"}, "a product");
  arguments.positionals.erase(arguments.positionals.begin());
  if (arguments.positionals.empty())
    throw InputError("M K N are missing: weft compare matmul M K N");
  const MatmulSpec spec = read_sizes(arguments);
  job.shape = {spec.m, spec.k, spec.n};
  if (const auto tile = arguments.text("tile")) job.tile = parse_tile(*tile);
  if (const auto sweep = arguments.text("sweep")) job.sweep = runtime::parse_sweep(*sweep);
  check_tile_is_used(job);
}

/// Gives each machine its energies, and checks that no output replaces their file.
void read_energies(const Arguments& arguments, runtime::CompareJob& job) {
  const auto name = arguments.text("energy");
  if (!name) return;
  job.energy = true;
  for (runtime::DeviceRequest& device : job.devices) {
    if (!device.machine) continue;
    runtime::for_device(device,
                        [&] { device.energies = load_energy_table(*name, *device.machine); });
  }
  if (std::ranges::none_of(job.devices, [](const runtime::DeviceRequest& device) {
        return device.machine || device.modelled != nullptr;
      })) {
    throw InputError(
        "--energy: is for simulated and modelled devices, but --with names none; drop it");
  }
}

/// Each file once, in the order of the command line.
void read_measured(const Arguments& arguments, runtime::CompareJob& job) {
  if (arguments.has("measured")) {
    job.measured = arguments.values["measured"].as<std::vector<std::string>>();
  }
  for (std::size_t i = 0; i < job.measured.size(); ++i) {
    if (job.measured[i].empty()) throw InputError("--measured: names no file");
    for (std::size_t j = 0; j < i; ++j) {
      if (!same_file(job.measured[i], job.measured[j])) continue;
      throw InputError(
          fmt::format("--measured: {} is named twice; drop one", printable(job.measured[i])));
    }
  }
  job.in_order = arguments.has("in-order");
  if (!job.in_order) return;
  if (job.measured.empty()) throw InputError("--in-order: is for --measured; drop it");
  if (job.sweep) throw InputError("--in-order: has no effect with --sweep; drop it");
}

void read_device_prices(const Arguments& arguments, runtime::CompareJob& job) {
  const std::vector<double> prices = read_prices(arguments, job.devices.size());
  job.price = !prices.empty();
  for (std::size_t i = 0; i < prices.size(); ++i) job.devices[i].price_per_hour = prices[i];
  const bool one = arguments.text("price-per-hour").value_or(",").find(',') == std::string::npos;
  if (one) job.price_of_all = prices.front();
}

runtime::CompareJob read_job(const Arguments& arguments) {
  runtime::CompareJob job;
  std::optional<devices::NumberFormat> format;
  if (const auto dtype = arguments.text("dtype")) format = runtime::parse_format(*dtype, "--dtype");
  job.devices = runtime::parse_devices(
      arguments.text("with").value_or(std::string(runtime::kDefaultDevices)), format);
  if (const auto seed = arguments.text("seed")) {
    job.seed = parse_number(*seed, "--seed", 0, UINT64_MAX);
  }
  if (arguments.positionals.empty()) {
    throw InputError(
        "nothing to compare; give matmul M K N, an .onnx file, a network's name, or two results "
        "(A.json B.json)");
  }
  if (arguments.positionals.front() == "matmul") {
    read_product(arguments, job);
  } else {
    check_foreign(arguments, {"tile", "sweep"}, "a network");
    job.network = read_network_request(arguments);
  }
  check_used(arguments, job);
  read_measured(arguments, job);
  read_energies(arguments, job);
  read_device_prices(arguments, job);
  return job;
}

runtime::CompareReport compare(const runtime::CompareJob& job, const report::Streams& streams) {
  report::Progress progress(streams);
  const auto update = [&](double share) { progress.update(share); };
  return job.network ? runtime::compare_network(job, update)
                     : runtime::compare_products(job, update);
}

}  // namespace

std::vector<std::string> compared_devices() {
  return runtime::device_names();
}

int run_compare(const Words& words, const report::Streams& streams) {
  const Arguments arguments = parse_arguments(words, compare_options());
  if (arguments.has("help")) return print_compare_help(streams), 0;
  if (names_rows(arguments)) return run_compare_rows(arguments, streams);
  if (names_results(arguments)) return run_compare_results(arguments, streams);
  const runtime::CompareJob job = read_job(arguments);
  const ReportTargets targets = report_targets(arguments);
  return write_rows(arguments, targets, compare(job, streams), streams);
}

}  // namespace weft::cli
