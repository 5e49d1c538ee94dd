#include "report/explain/json_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/printable.h"
#include "report/json.h"

namespace weft::report {
namespace {

std::optional<std::int64_t> whole(const Json& json, std::int64_t low, std::int64_t high) {
  if (!json.is_number_integer()) return std::nullopt;
  if (json.is_number_unsigned() &&
      json.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)) {
    return std::nullopt;
  }
  const auto value = json.get<std::int64_t>();
  return value >= low && value <= high ? std::optional(value) : std::nullopt;
}

std::string range(std::int64_t low, std::int64_t high) {
  if (high == INT64_MAX) return fmt::format("of at least {}", low);
  return fmt::format("from {} to {}", low, high);
}

}  // namespace

JsonFields::JsonFields(const Json& json, std::string place)
    : json_(json), place_(std::move(place)) {
  if (json_.is_object()) return;
  throw InputError(fmt::format("{} is not an object", place_.empty() ? "the whole" : place_));
}

const Json& JsonFields::at(const std::string& key) const {
  if (!has(key)) fail(key, "is missing");
  return json_.at(key);
}

JsonFields JsonFields::object(const std::string& key) const {
  return {at(key), place_.empty() ? key : fmt::format("{}.{}", place_, key)};
}

void JsonFields::allow(std::initializer_list<std::string_view> keys) const {
  for (const auto& [key, value] : json_.items()) {
    if (std::ranges::find(keys, key) == keys.end()) fail(printable(key), "is no field");
  }
}

void JsonFields::allow_like(const Json& other) const {
  for (const auto& [key, value] : json_.items()) {
    if (!other.contains(key)) fail(printable(key), "is no field");
  }
}

std::string JsonFields::text(const std::string& key) const {
  if (!at(key).is_string()) fail(key, "is not a text");
  return at(key).get<std::string>();
}

bool JsonFields::boolean(const std::string& key) const {
  if (!at(key).is_boolean()) fail(key, "is neither true nor false");
  return at(key).get<bool>();
}

std::int64_t JsonFields::number(const std::string& key, std::int64_t low, std::int64_t high) const {
  if (const auto value = whole(at(key), low, high)) return *value;
  fail(key, fmt::format("is not a whole number {}", range(low, high)));
}

std::vector<std::int64_t> JsonFields::numbers(const std::string& key, std::int64_t low,
                                              std::int64_t high) const {
  if (!at(key).is_array()) fail(key, "is not a list");
  std::vector<std::int64_t> values;
  for (const Json& element : at(key)) {
    const auto value = whole(element, low, high);
    if (!value)
      fail(key, fmt::format("has other elements than whole numbers {}", range(low, high)));
    values.push_back(*value);
  }
  return values;
}

void JsonFields::fail(const std::string& key, const std::string& why) const {
  const std::string_view between = place_.empty() ? "" : place_.ends_with(':') ? " " : ".";
  throw InputError(fmt::format("{}{}{} {}", place_, between, key, why));
}

}  // namespace weft::report
