// Helpers for the reports that write JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace weft::report {

/// Keys stay in the order in which they were added.
using Json = nlohmann::ordered_json;

/// The value as JSON; null if there is none.
template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// The text of a JSON file. Bytes that are not valid UTF-8 become U+FFFD.
inline std::string json_file_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace weft::report
