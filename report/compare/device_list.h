// The modelled devices for people: their figures, and how well the models agree with published
// products.
#pragma once

#include <string>
#include <string_view>

#include "report/text.h"

namespace weft::report {

/// A line for each device, then one for each published product: measured, modelled, and the errors
/// with and without this product in the calibration.
std::string device_list(const Style& style);

/// The device as an INI file for `weft compare --with FILE`. Throws InputError for an unknown name,
/// with the one meant or all there are.
std::string device_ini(std::string_view name);

}  // namespace weft::report
