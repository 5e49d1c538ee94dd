#pragma once

#include <string_view>

namespace weft {

/// Of Weft, such as "1.2.0".
std::string_view version();

}  // namespace weft
