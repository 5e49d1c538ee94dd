// Fields of a JSON object from an untrusted file: each is checked before it is used.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace weft::report {

/// An object and its place in the file, e.g. "workload.conv" or "layer 'c1':". Every getter throws
/// InputError naming the place and the key if the field is missing or has another type.
class JsonFields {
 public:
  /// Throws InputError if `json` is not an object.
  JsonFields(const nlohmann::ordered_json& json, std::string place);

  bool has(const std::string& key) const { return json_.contains(key); }
  bool is_null(const std::string& key) const { return !has(key) || json_.at(key).is_null(); }
  const nlohmann::ordered_json& at(const std::string& key) const;
  JsonFields object(const std::string& key) const;

  /// Throws InputError for a field of any other name.
  void allow(std::initializer_list<std::string_view> keys) const;
  /// The same for a field that the object `other` does not have.
  void allow_like(const nlohmann::ordered_json& other) const;

  std::string text(const std::string& key) const;
  bool boolean(const std::string& key) const;
  /// A whole number from `low` to `high`, or a list of them.
  std::int64_t number(const std::string& key, std::int64_t low, std::int64_t high) const;
  std::vector<std::int64_t> numbers(const std::string& key, std::int64_t low,
                                    std::int64_t high) const;

  [[noreturn]] void fail(const std::string& key, const std::string& why) const;

 private:
  const nlohmann::ordered_json& json_;
  std::string place_;
};

}  // namespace weft::report
