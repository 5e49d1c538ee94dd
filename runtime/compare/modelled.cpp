#include "runtime/compare/modelled.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/figures.h"
#include "models/devices/calibration.h"
#include "models/devices/network_model.h"

namespace weft::runtime {
namespace {

using devices::DeviceModel;
using devices::GemmModel;
using devices::NumberFormat;

CompareRow row_of(const DeviceModel& device, NumberFormat format) {
  CompareRow row;
  row.kind = RowKind::kModelled;
  row.title = device.title;
  row.format = format;
  row.clock_hz = device.rate(format).clock_mhz * 1e6;
  row.peak = device.peak(format);
  row.details = {{"units", device.units},
                 {"memory_gb_per_s", device.memory_gb_per_s},
                 {"sustained_share", device.sustained_share},
                 {"calibration", devices::calibration_note(device)}};
  return row;
}

NumberFormat used_format(const DeviceRequest& request) {
  return request.format.value_or(request.modelled->usual);
}

/// `choice` is what a user can make smaller.
void check_fits(const DeviceModel& device, double bytes, const char* what, const char* choice) {
  const double there = device.memory_gb * 1e9;
  if (there == 0 || bytes <= there) return;
  const std::string needed = si(bytes, "B");
  const std::string more = si(bytes - there, "B");
  throw InputError(fmt::format(
      "{} would take {}{}, but the device has {}; choose {}, or leave the device out", what, needed,
      needed == si(there, "B") ? fmt::format(", {} too much", more) : "", si(there, "B"), choice));
}

std::string basis_of(const DeviceModel& device, const GemmModel& model) {
  const char* const units = device.kind == devices::DeviceKind::kGpu ? "SM" : "core";
  return fmt::format("{}, {} of {}x{} in {} of {}, bound by {}", device.title,
                     counted(model.tiles, "tile"), model.tile.m, model.tile.n,
                     counted(model.waves, "wave"), counted(device.units, units),
                     to_string(model.bound()));
}

void add_note(CompareRow& row, const DeviceModel& device) {
  row.basis += fmt::format("; modelled, {}", devices::calibration_note(device));
  if (!device.note.empty() && row.format == device.usual) {
    row.basis += fmt::format("; {}", device.note);
  }
}

}  // namespace

CompareRow model_product(const DeviceRequest& request, const devices::GemmShape& shape,
                         std::optional<devices::Tile> tile) {
  const DeviceModel& device = *request.modelled;
  const NumberFormat format = used_format(request);
  check_fits(device, devices::gemm_bytes(shape, format), "operands and result", "smaller sizes");
  const bool fixed = tile && device.kind == devices::DeviceKind::kGpu;
  const GemmModel model = fixed ? devices::model_gemm(device, format, shape, *tile)
                                : devices::model_gemm(device, format, shape);
  CompareRow row = row_of(device, format);
  row.shape = shape;
  row.flop = model.useful_flop;
  row.seconds = model.seconds();
  row.waste = model.waste();
  row.basis = basis_of(device, model);
  add_note(row, device);
  row.details.update(
      {{"tile", {model.tile.m, model.tile.n}},
       {"tiles", model.tiles},
       {"waves", model.waves},
       {"padding", model.padding()},
       {"bound", to_string(model.bound())},
       {"launch_seconds", model.launch_seconds},
       {"compute_seconds", model.compute_seconds},
       {"sustained_seconds", model.sustained_seconds},
       {"l2_seconds", device.l2_gb_per_s > 0 ? nlohmann::ordered_json(model.l2_seconds)
                                             : nlohmann::ordered_json(nullptr)},
       {"memory_seconds", model.memory_seconds}});
  return row;
}

void check_network_fits(const DeviceRequest& request, const graph::Graph& graph) {
  check_fits(*request.modelled, devices::network_bytes(graph, used_format(request)),
             "weights, inputs and outputs", "a smaller network, batch or cache");
}

CompareRow model_network_row(const DeviceRequest& request, const graph::Graph& prepared,
                             double flop) {
  const DeviceModel& device = *request.modelled;
  const NumberFormat format = used_format(request);
  const devices::NetworkModel model = devices::model_network(device, format, prepared);
  CompareRow row = row_of(device, format);
  row.flop = flop;
  row.seconds = model.seconds();
  row.waste = model.waste();
  row.basis = fmt::format(
      "{}, {}: {} in products, {} in traffic of the other operators, {} in launches", device.title,
      counted(model.layers.size(), "node"), si(model.product_seconds, "s"),
      si(model.traffic_seconds, "s"), si(model.launch_seconds, "s"));
  add_note(row, device);
  row.details.update({{"nodes", model.layers.size()},
                      {"padding", model.padding()},
                      {"product_seconds", model.product_seconds},
                      {"traffic_seconds", model.traffic_seconds},
                      {"launch_seconds", model.launch_seconds}});
  return row;
}

void add_board_energy(CompareRow& row, const DeviceRequest& request) {
  if (request.modelled == nullptr || !row.seconds) return;
  row.joules = request.modelled->board_watts * *row.seconds;
  row.details["board_watts"] = request.modelled->board_watts;
}

}  // namespace weft::runtime
