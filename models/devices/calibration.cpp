#include "models/devices/calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/figures.h"

namespace weft::devices {
namespace {

using enum NumberFormat;

/// A product with its time in milliseconds.
constexpr MeasuredProduct timed(std::string_view device, NumberFormat format,
                                const GemmShape& shape, double milliseconds) {
  return {device, format, shape, useful_flop(shape) / (milliseconds * 1e-3)};
}

// The rates were measured elsewhere and published, but for those of DeepBench's products on the
// H100, which tools/measure_gpu.py measured. Of DeepBench's products these are the ones with square
// weights and 7000 columns, neither operand transposed. The A100 has 80 GB: the product with 64
// rows reads 302 MB of weights in 190 us, faster than the memory of the other card. docs/compare.md
// says where they are from.
constexpr MeasuredProduct kProducts[] = {
    timed("v100", kFp32, {1760, 1760, 7000}, 3.376),
    timed("v100", kFp32, {2048, 2048, 7000}, 4.387),
    timed("v100", kFp32, {2560, 2560, 7000}, 6.948),
    timed("v100", kFp32, {4096, 4096, 7000}, 15.894),
    timed("v100", kFp16, {1760, 1760, 7000}, 0.485),
    timed("v100", kFp16, {2048, 2048, 7000}, 0.599),
    timed("v100", kFp16, {2560, 2560, 7000}, 0.884),
    timed("v100", kFp16, {4096, 4096, 7000}, 2.092),
    timed("t4", kFp32, {1760, 1760, 7000}, 9.823),
    timed("t4", kFp32, {2048, 2048, 7000}, 12.579),
    timed("t4", kFp32, {2560, 2560, 7000}, 20.329),
    timed("t4", kFp32, {4096, 4096, 7000}, 56.537),
    timed("t4", kFp16, {1760, 1760, 7000}, 1.374),
    timed("t4", kFp16, {2048, 2048, 7000}, 1.423),
    timed("t4", kFp16, {2560, 2560, 7000}, 2.169),
    timed("t4", kFp16, {4096, 4096, 7000}, 5.531),
    {"a100-80gb", kBf16, {1024, 5120, 10240}, 271.2e12},
    {"a100-80gb", kFp16, {64, 12288, 12288}, 101.7e12},
    {"a100-80gb", kFp16, {512, 12288, 12288}, 252.7e12},
    {"h100", kBf16, {2048, 13312, 2048}, 794.5e12},
    timed("h100", kFp32, {1760, 1760, 7000}, 0.87448),
    timed("h100", kFp32, {2048, 2048, 7000}, 1.23721),
    timed("h100", kFp32, {2560, 2560, 7000}, 2.03056),
    timed("h100", kFp32, {4096, 4096, 7000}, 4.69414),
    timed("h100", kFp16, {1760, 1760, 7000}, 0.06778),
    timed("h100", kFp16, {2048, 2048, 7000}, 0.09135),
    timed("h100", kFp16, {2560, 2560, 7000}, 0.13810),
    timed("h100", kFp16, {4096, 4096, 7000}, 0.34366),
    {"l4", kFp32, {512, 512, 512}, 9.2e12},
    {"l4", kFp32, {1024, 1024, 1024}, 11.9e12},
    {"l4", kFp32, {2048, 2048, 2048}, 12.1e12},
    {"l4", kFp32, {4096, 4096, 4096}, 11.9e12},
};

const DeviceModel& published(std::string_view name) {
  return *std::ranges::find(published_devices(), name, &DeviceModel::name);
}

/// Of the family's own products. `products` is 0 if there are none.
SustainedShare own_share(Family family, std::optional<std::size_t> left_out) {
  SustainedShare found;
  double logarithms = 0;
  for (std::size_t i = 0; i < std::size(kProducts); ++i) {
    const DeviceModel& device = published(kProducts[i].device);
    if (i == left_out || device.family != family) continue;
    const auto share = share_of_product(device, kProducts[i]);
    if (!share) continue;
    logarithms += std::log(*share);
    ++found.products;
  }
  if (found.products > 0) found.share = std::exp(logarithms / static_cast<double>(found.products));
  return found;
}

double mean_of_families(std::optional<std::size_t> left_out) {
  double sum = 0;
  double families = 0;
  for (std::size_t i = 0; i < kFamilyNames.size(); ++i) {
    const SustainedShare own = own_share(static_cast<Family>(i), left_out);
    if (own.products == 0) continue;
    sum += own.share;
    ++families;
  }
  return sum / families;
}

double modelled_rate(const MeasuredProduct& product, double share) {
  DeviceModel device = published(product.device);
  device.sustained_share = share;
  const GemmModel model = model_gemm(device, product.format, product.shape);
  return model.useful_flop / model.seconds();
}

}  // namespace

std::span<const MeasuredProduct> measured_products() {
  return kProducts;
}

std::optional<double> share_of_product(const DeviceModel& device, const MeasuredProduct& product) {
  const GemmModel model = model_gemm(device, product.format, product.shape);
  if (std::max(model.memory_seconds, model.l2_seconds) > model.compute_seconds) return std::nullopt;
  const double seconds = model.useful_flop / product.flop_per_second - model.launch_seconds;
  return model.issued_flop / (seconds * device.peak(product.format));
}

SustainedShare sustained_share(Family family, std::optional<std::size_t> left_out) {
  SustainedShare found = own_share(family, left_out);
  if (found.products == 0) found.share = mean_of_families(left_out);
  return found;
}

std::vector<CalibrationRow> calibration() {
  std::vector<CalibrationRow> rows;
  for (std::size_t i = 0; i < std::size(kProducts); ++i) {
    const MeasuredProduct& product = kProducts[i];
    const DeviceModel& device = published(product.device);
    const bool sets_it = share_of_product(device, product).has_value();
    const SustainedShare without = sustained_share(device.family, i);
    rows.push_back({product, modelled_rate(product, sustained_share(device.family).share),
                    modelled_rate(product, without.share), sets_it && without.products == 0,
                    sets_it});
  }
  return rows;
}

std::string calibration_note(const DeviceModel& device) {
  if (device.family == Family::kOwn) return "not calibrated by weft: with the shares of its file";
  const std::string_view family = to_string(device.family);
  const std::size_t products = own_share(device.family, {}).products;
  if (products > 0) {
    return fmt::format("calibrated on {} of {}", counted(products, "product"), family);
  }
  return fmt::format("not calibrated: no published product of {}", family);
}

}  // namespace weft::devices
