// What the reports share in writing JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace weft::cli {

/// Keys stay in the order in which they were added.
using Json = nlohmann::ordered_json;

/// What a run does not have is null.
template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace weft::cli
