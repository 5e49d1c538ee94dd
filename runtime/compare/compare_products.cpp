#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/error.h"
#include "base/figures.h"
#include "runtime/analysis/sweep_workloads.h"
#include "runtime/compare/compare_job.h"
#include "runtime/compare/device_names.h"
#include "runtime/compare/imported/imports.h"
#include "runtime/compare/measured_device.h"
#include "runtime/compare/modelled.h"
#include "runtime/compare/simulated.h"
#include "runtime/measure/product_values.h"
#include "runtime/workload/memory_check.h"
#include "runtime/workload/run_options.h"
#include "sim/memory/physical_memory.h"

namespace weft::runtime {
namespace {

using devices::GemmShape;

MatmulSpec spec_of(const GemmShape& shape) {
  MatmulSpec spec;
  spec.m = shape.m;
  spec.k = shape.k;
  spec.n = shape.n;
  return spec;
}

std::vector<GemmShape> shapes_of(const CompareJob& job) {
  if (!job.sweep) return {job.shape};
  std::vector<GemmShape> shapes;
  for (const std::uint64_t size : sweep_sizes(*job.sweep)) {
    const MatmulSpec spec = swept_spec(spec_of(job.shape), job.sweep->dimension, size);
    shapes.push_back({spec.m, spec.k, spec.n});
  }
  return shapes;
}

/// A requested device; a measured one is opened once and serves all products.
struct OpenDevice {
  const DeviceRequest* request = nullptr;
  std::optional<MeasuredDevice> measured = {};

  devices::NumberFormat format() const {
    return request->format.value_or(measured->formats.front());
  }
};

std::vector<OpenDevice> open_devices(const CompareJob& job) {
  std::vector<OpenDevice> opened;
  for (const DeviceRequest& request : job.devices) {
    OpenDevice device{&request};
    if (request.kind == RowKind::kMeasured) {
      device.measured = open_measured_device(request.device);
      check_format(request.device, device.format(), device.measured->formats);
    }
    opened.push_back(std::move(device));
  }
  return opened;
}

/// Refuses a run of many minutes before it begins.
void check_measured_work(const GemmShape& shape) {
  constexpr double kMostFlop = 0x1p41;
  if (devices::useful_flop(shape) <= kMostFlop) return;
  throw InputError(fmt::format(
      "{} are too much to measure several times; choose smaller sizes, or leave the device out",
      si(devices::useful_flop(shape), "FLOP")));
}

void check_product(const DeviceRequest& request, const GemmShape& shape, const CompareJob& job) {
  if (request.modelled != nullptr) model_product(request, shape, job.tile);
  if (request.kind == RowKind::kMeasured) {
    check_measured_work(shape);
    check_memory(ProductValues::bytes(shape), "the matrices",
                 "choose smaller sizes, or leave the device out");
  }
  if (request.machine && !job.sweep) check_simulated(request, shape);
}

void check_swept(const MachineConfig& machine, const CompareJob& job) {
  const char dimension = job.sweep->dimension;
  check_sweep_work(swept_product(spec_of(job.shape), machine, dimension), dimension,
                   sweep_sizes(*job.sweep));
}

/// Checks all devices before the first one runs: what would fail or take too long fails now.
void check_before(const CompareJob& job, const std::vector<GemmShape>& shapes) {
  for (const DeviceRequest& request : job.devices) {
    for_device(request, [&] {
      for (const GemmShape& shape : shapes) check_product(request, shape, job);
      if (request.machine && job.sweep) check_swept(*request.machine, job);
    });
  }
}

/// The rows of one product.
class Products {
 public:
  Products(const CompareJob& job, const GemmShape& shape)
      : job_(job),
        shape_(shape),
        with_values_(!job.sweep && ProductValues::affordable(shape) &&
                     ProductValues::bytes(shape) <= static_cast<double>(physical_memory_bytes())) {}

  CompareRow row(const OpenDevice& device, const std::function<void(double)>& progress) {
    const DeviceRequest& request = *device.request;
    CompareRow row = for_device(request, [&] { return row_of(device, progress); });
    row.device = request.name;
    row.price_per_hour = request.price_per_hour;
    if (job_.energy) add_board_energy(row, request);
    return row;
  }

 private:
  CompareRow row_of(const OpenDevice& device, const std::function<void(double)>& progress) {
    const DeviceRequest& request = *device.request;
    if (request.modelled != nullptr) return model_product(request, shape_, job_.tile);
    if (device.measured) return device.measured->product(device.format(), values());
    return simulate_product(request, shape_, with_values_ ? &values() : nullptr, progress);
  }

  ProductValues& values() {
    if (!values_) values_.emplace(shape_, job_.seed.value_or(kDefaultSeed), with_values_);
    return *values_;
  }

  const CompareJob& job_;
  const GemmShape& shape_;
  bool with_values_;
  std::optional<ProductValues> values_;
};

}  // namespace

CompareReport compare_products(const CompareJob& job, const std::function<void(double)>& progress) {
  const std::vector<GemmShape> shapes = shapes_of(job);
  Imports imports(job.measured, job.in_order);
  const std::vector<std::vector<CompareRow>> imported = imports.products(shapes);
  const std::vector<OpenDevice> devices = open_devices(job);
  check_before(job, shapes);
  CompareReport report;
  report.energy = job.energy;
  report.price = job.price;
  report.shape = job.shape;
  report.flop = devices::useful_flop(job.shape);
  if (job.sweep) {
    report.sweep = {job.sweep->dimension, step_of(*job.sweep), {}};
    for (const std::uint64_t size : sweep_sizes(*job.sweep)) report.sweep->sizes.push_back(size);
  }
  const auto all = static_cast<double>(shapes.size() * devices.size());
  double done = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    Products products(job, shapes[i]);
    for (const OpenDevice& device : devices) {
      const auto part = [&](double share) { progress((done + share) / all); };
      report.rows.push_back(products.row(device, part));
      part(1);
      ++done;
    }
    for (const CompareRow& row : imported[i]) {
      report.rows.push_back(row);
      report.rows.back().price_per_hour = job.price_of_all;
    }
  }
  tell_apart(report);
  report.imports = imports.summaries();
  return report;
}

}  // namespace weft::runtime
