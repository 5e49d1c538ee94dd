#pragma once

#include <string_view>

namespace weft::fuzz {

/// The target `onnx`, for the test of seeded mutations.
bool onnx(std::string_view bytes);

}  // namespace weft::fuzz
