// What the reports share in writing JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace weft::cli {

/// Keys stay in the order in which they were added.
using Json = nlohmann::ordered_json;

/// What a run does not have is null.
template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// As a file has it. Names that are not UTF-8 have U+FFFD where they are not.
inline std::string json_file_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace weft::cli
