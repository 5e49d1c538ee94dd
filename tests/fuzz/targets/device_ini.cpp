// Files of modelled devices: what is accepted can be written and read again, and models a product.
#include "models/devices/device_ini.h"

#include <sstream>

#include "models/devices/gemm_model.h"
#include "tests/fuzz/fuzz.h"

namespace weft::fuzz {

bool device_ini(std::string_view bytes) {
  return accepts([&] {
    std::istringstream in{std::string(bytes)};
    const devices::DeviceModel device = devices::parse_device(in, "fuzz");
    const std::string text = devices::to_ini(device);
    std::istringstream written(text);
    require(devices::to_ini(devices::parse_device(written, "written")) == text,
            "a written device is read as it was");
    const double seconds = devices::model_gemm(device, device.usual, {100, 200, 300}).seconds();
    require(seconds > 0 && seconds < 1e12, "a product takes time, and ends");
  });
}

}  // namespace weft::fuzz
