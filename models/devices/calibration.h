// Published measurements of products, and the sustained rates that follow from them.
//
// A long product runs at less than the boost clock's peak, because of power and heat. The share of
// the peak is one number for all devices of a family:
//
//   share of a product = its FLOP / ((measured time - launch) * peak)
//   share of a family  = geometric mean over its products
//
// The geometric mean makes the sum of the squared logarithms of the errors smallest. Products that
// the memory or the cache bounds say nothing about it and are left out. The mean of the families'
// shares serves for a family without such a product.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/devices/gemm_model.h"

namespace weft::devices {

struct MeasuredProduct {
  std::string_view device;  // in published_devices()
  NumberFormat format = NumberFormat::kFp32;
  GemmShape shape = {};
  double flop_per_second = 0;
};

/// All published products that the models are compared with.
std::span<const MeasuredProduct> measured_products();

/// The share of the peak that a measured product reached once it was launched; nullopt if the
/// device's tiles alone do not bound it. `device` is the published one.
std::optional<double> share_of_product(const DeviceModel& device, const MeasuredProduct& product);

struct SustainedShare {
  double share = 1;
  std::size_t products = 0;  // of the family that set it; 0: the mean of the other families
};

/// Of all measured products but the one at index `left_out`, if that is given. A family without
/// products gets the arithmetic mean of the families that have some.
SustainedShare sustained_share(Family family, std::optional<std::size_t> left_out = {});

/// One measured product beside the model.
struct CalibrationRow {
  MeasuredProduct product = {};
  double modelled = 0;   // FLOP per second
  double left_out = 0;   // with a share that does not know this product
  bool alone = false;    // it is the only product that sets its family's share
  bool sets_it = false;  // it is one of the products that set its family's share

  double error() const { return modelled / product.flop_per_second - 1; }
  double left_out_error() const { return left_out / product.flop_per_second - 1; }
};

/// All measured products, in the order of measured_products().
std::vector<CalibrationRow> calibration();

/// "calibrated on 2 products of Ampere", "not calibrated: no published product of Turing; ...".
std::string calibration_note(const DeviceModel& device);

}  // namespace weft::devices
