// The errors of a plan that does not suit the network or the machine: one line with the place, the
// field and its value.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/printable.h"

namespace weft::compiler {

/// Throws InputError about the field of a layer.
template <class Value>
[[noreturn]] void refuse(const std::string& layer, std::string_view field, const Value& value,
                         const std::string& why) {
  throw InputError(fmt::format("layer {}: {} = {}: {}", printable(layer), field, value, why));
}

/// Throws InputError about the field of a whole program; `program` counts from 0.
template <class Value>
[[noreturn]] void refuse(std::size_t program, std::string_view field, const Value& value,
                         const std::string& why) {
  throw InputError(fmt::format("programs[{}]: {} = {}: {}", program, field, value, why));
}

}  // namespace weft::compiler
